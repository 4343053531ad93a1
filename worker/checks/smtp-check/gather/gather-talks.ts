import type { MailOffer, SmtpProbe, Talk } from '../../../probes/smtp/port.ts';
import type { Handshake } from '../../../probes/tls/port.ts';
import type { AddressObservation, MailHandshake, SecondObservation, TalkObservation } from '../evidence.ts';
import { isHandshakeFailed } from '../facts/start-tls.ts';
import type { Allowance } from './allowance.ts';

/** An address of a mail host, and the name that its certificate is asked for by. */
export type MailHostAddress = {
  readonly host: string;
  readonly address: string;
  readonly servername: string;
};

export type Talking = {
  readonly smtp: SmtpProbe;
  readonly allowance: Allowance;
  /** Unix ms: what is known from before then is asked again. */
  readonly since: number;
  readonly leftMs: () => number;
  /** Called after each conversation. */
  readonly note: () => void;
};

/** A host that answered is the same for an hour; one that was busy may be well again soon. */
const keepMs = { answered: 3_600_000, otherwise: 600_000 } as const;
/** A second conversation is begun only with so much time left. */
const secondMs = 3000;

/** Talks to each place once, all at the same time, then a second time where that tells more. */
export async function gatherTalks(
  talking: Talking,
  places: readonly MailHostAddress[],
): Promise<readonly AddressObservation[]> {
  const firsts = await Promise.all(places.map((place) => talkTo(talking, place, 'modern')));
  const offers = secondOffers(places, firsts);
  const seconds = await Promise.all(
    places.map(async (place, index): Promise<SecondObservation | null> => {
      const offer = offers[index];
      if (offer === undefined || talking.leftMs() < secondMs) return null;
      return { offer, talk: (await talkTo(talking, place, offer)).talk };
    }),
  );
  return places.map(({ address }, index) => ({
    address,
    seenAt: firsts[index]?.seenAt ?? null,
    first: firsts[index]?.talk ?? unasked,
    second: seconds[index] ?? null,
  }));
}

type Said = { readonly talk: TalkObservation; readonly seenAt: number | null };
type SecondOffer = SecondObservation['offer'];

/** What failed is tried again at each address; old versions are looked for at one address of each host. */
function secondOffers(
  places: readonly MailHostAddress[],
  firsts: readonly Said[],
): readonly (SecondOffer | undefined)[] {
  const asked = new Set<string>();
  return places.map(({ host }, index) => {
    const talk = firsts[index]?.talk;
    if (talk?.kind !== 'talked') return undefined;
    if (isHandshakeFailed(talk)) return 'legacy';
    if (talk.handshake?.kind !== 'connected' || asked.has(host)) return undefined;
    asked.add(host);
    return 'old';
  });
}

const unasked = {
  kind: 'failure',
  code: 'budget-spent',
  reason: 'one check makes at most 12 connections to hosts of others',
} as const;

async function talkTo(talking: Talking, place: MailHostAddress, offer: MailOffer): Promise<Said> {
  const { smtp, allowance, since, leftMs, note } = talking;
  const key = { host: place.host, address: place.address, offer };
  const { text, seenAt } = await smtp.once(key, since, async () => {
    // Of such a look nobody else is to hear: it is older than anything that is asked for.
    if (!allowance.take(place.host)) return { text: JSON.stringify(unasked), seenAt: 0, keepMs: 0 };
    const at = Date.now();
    const seen = await smtp.talk({ ...place, offer, limitMs: leftMs() });
    if (seen.kind === 'failure' && seen.isUnasked) allowance.noteUnmade();
    const talk = trim(seen);
    return { text: JSON.stringify(talk), seenAt: at, keepMs: keepFor(talk) };
  });
  note();
  return { talk: JSON.parse(text) as TalkObservation, seenAt: seenAt === 0 ? null : seenAt };
}

/** Where no connection was made, the next run is to try again: it may have been our network. */
function keepFor(talk: TalkObservation): number {
  if (talk.kind === 'failure') return 0;
  return talk.ehlo?.kind === 'reply' && talk.ehlo.code === 250 && !isHandshakeFailed(talk)
    ? keepMs.answered
    : keepMs.otherwise;
}

function trim(talk: Talk): TalkObservation {
  if (talk.kind === 'failure') return { kind: 'failure', code: talk.code, reason: talk.reason };
  const { address: _, handshake, ...rest } = talk;
  return { ...rest, handshake: handshake && trimHandshake(handshake) };
}

/** Public chains have four; more say nothing. */
const certificatesKept = 10;

function trimHandshake(handshake: Handshake): MailHandshake {
  if (handshake.kind === 'failure') {
    const { code, opensslCode, reason } = handshake;
    return { kind: 'failure', code, opensslCode, reason };
  }
  const { protocol, cipher, ephemeralKey, certificates } = handshake;
  return {
    kind: 'connected',
    protocol,
    suite: cipher.standardName,
    group: ephemeralKey.name ?? null,
    certificates: certificates.slice(0, certificatesKept),
  };
}
