import { unheard } from '../../../../dns/not-asked.ts';
import { ownRecords } from '../../../../dns/read-answer.ts';
import type { DnsAnswer } from '../../../../probes/dns/port.ts';
import { early } from '../../../early.ts';
import type { HalfContext } from '../../halves.ts';
import { askOwn } from '../dnssec/watched.ts';
import type { ServerAddress, ServerAnswers } from '../evidence.ts';

/** Name servers are the target's choice, so their number is ours. */
export const serverLimit = 13;
const addressesPerServer = 2;
/** Twelve are two addresses of each of six servers; more are made to cost packets. */
const addressLimit = 16;

/** A name that is surely not the domain's: who resolves it for us, resolves for everybody. */
export const foreignName = 'a.root-servers.net';

/** What a zone tells about itself, with its own TTL; asked of two servers, in case one is silent or behind. */
const directTypes = ['A', 'AAAA', 'MX', 'TXT', 'CAA'] as const;
const directServers = 2;

/** A type that stands at names such as _sip._tcp alone, and that every server knows: a domain's own name has none (RFC 2782). */
export const absentType = 'SRV';

/** What is known of the zone when its servers are asked. */
export type ZoneKnown = {
  readonly isSigned: Promise<boolean>;
  /** Whether the resolver saw that the zone asks its parent for a DS. */
  readonly hasRequests: Promise<boolean>;
  /** Names below the domain that are surely not there: the second server is asked for the second. */
  readonly absent: Promise<readonly string[]>;
  /** What is held against what the servers have. */
  readonly watched: Promise<readonly DnsAnswer[]>;
  readonly parameters: Promise<DnsAnswer>;
};

// As resolvers that guard against forged answers ask; equal questions are asked once, so MX is asked in this way alone.
const inMixedCase = { mixedCase: true } as const;

/**
 * Picks the addresses that are asked: one IPv4 of each name, then one IPv6 of each, then the rest, up to twice as many as there are names (16 at most).
 * @returns `left` counts those that are not asked
 */
export function chooseAddresses(hosts: readonly (readonly [name: string, addresses: readonly string[]])[]): {
  chosen: readonly ServerAddress[];
  left: number;
} {
  const ranked = hosts.flatMap(([name, addresses]) => {
    const first = [
      addresses.find((address) => !address.includes(':')),
      addresses.find((address) => address.includes(':')),
    ];
    const rankOf = (address: string) => (first.includes(address) ? first.indexOf(address) : first.length);
    return addresses.map((address) => ({ name, address, rank: rankOf(address) }));
  });
  const sorted = ranked.toSorted((a, b) => a.rank - b.rank);
  const chosen = sorted
    .slice(0, Math.min(hosts.length * addressesPerServer, addressLimit))
    .map(({ name, address }): ServerAddress => ({ name, address }));
  return { chosen, left: sorted.length - chosen.length };
}

/** Asks each address for the zone, and those that answer for more: a silent address costs nine packets at most and one connection. */
export async function askServers(
  context: HalfContext,
  addresses: readonly ServerAddress[],
  zone: ZoneKnown,
): Promise<{ servers: readonly ServerAnswers[]; direct: readonly DnsAnswer[] }> {
  const names = [...new Set(addresses.map(({ name }) => name))].slice(0, directServers);
  const direct = names.map((name) => addresses.find((server) => server.name === name)?.address);
  const spoken = addresses.map(({ address }) => early(askZone(context, address)));
  const keys = addresses.map(({ address }, at) =>
    early(askKeys(context, address, { ...zone, speaks: spoken[at] ?? askZone(context, address) })),
  );
  const isSigned = early(isAnySigned(zone.isSigned, spoken, keys));
  const speaker = early(firstToSpeak(spoken));
  const asked = await Promise.all(
    addresses.map(async ({ name, address }, at) => {
      const speaks = spoken[at] ?? askZone(context, address);
      const [server, key, own] = await Promise.all([
        askServer(context, { name, address, at }, { speaks, speaker, zone: { ...zone, isSigned } }),
        keys[at],
        direct.includes(address) ? askDirect(context, address, speaks) : [],
      ]);
      return { server: { ...server, ...key }, own };
    }),
  );
  return { servers: asked.map(({ server }) => server), direct: asked.flatMap(({ own }) => own) };
}

// One server may have a signed zone that the resolver has not met.
async function isAnySigned(
  isKnown: Promise<boolean>,
  spoken: readonly Promise<ZoneAnswers>[],
  keys: readonly Promise<Keys>[],
): Promise<boolean> {
  if (await isKnown) return true;
  const answers = await Promise.all(spoken);
  if (answers.some(({ soa }) => soa.kind === 'answer' && soa.answers.some(({ type }) => type === 'RRSIG')))
    return true;
  const given = await Promise.all(keys);
  return given.some(({ dnskey }) => dnskey !== undefined && ownRecords(dnskey).length > 0);
}

/** The place of the first server that answers for the zone; -1 where none does. */
async function firstToSpeak(spoken: readonly Promise<ZoneAnswers>[]): Promise<number> {
  const speaking = spoken.map(async (server, at) => {
    const { soa } = await server;
    if (ownRecords(soa).length === 0) throw new Error('it does not answer for the zone');
    return at;
  });
  return Promise.any(speaking).catch(() => -1);
}

type ZoneAnswers = { readonly soa: DnsAnswer; readonly ns: DnsAnswer; readonly isSilent: boolean };

async function askZone({ domain, ask }: HalfContext, server: string): Promise<ZoneAnswers> {
  const [soa, ns] = await Promise.all([
    // With its signature: a secondary that is behind serves one that has expired.
    ask({ name: domain, type: 'SOA' }, { server, dnssecOk: true }),
    ask({ name: domain, type: 'NS' }, { server, edns: false }),
  ]);
  return { soa, ns, isSilent: soa.kind === 'failure' && ns.kind === 'failure' };
}

async function askServer(
  context: HalfContext,
  { name, address, at }: ServerAddress & { readonly at: number },
  {
    speaks,
    speaker,
    zone,
  }: {
    readonly speaks: Promise<ZoneAnswers>;
    readonly speaker: Promise<number>;
    readonly zone: ZoneKnown;
  },
): Promise<ServerAnswers> {
  const [{ soa, ns }, tcp, foreign, sets, edns, signed] = await Promise.all([
    speaks,
    askByTcp(context, address, speaks),
    askForeign(context, address, speaks),
    askMx(context, address, speaks),
    askEdns(context, address, speaks),
    askSigned(context, { server: address, at, speaker }, zone),
  ]);
  return { name, address, soa, ns, tcp, foreign, ...sets, ...edns, ...signed };
}

// What each server has by itself: the resolver's answer is the word of one of them.
async function askMx(
  { domain, ask }: HalfContext,
  server: string,
  speaks: Promise<ZoneAnswers>,
): Promise<Pick<ServerAnswers, 'mx' | 'plainMx'>> {
  if ((await speaks).isSilent) return {};
  const question = { name: domain, type: 'MX' };
  const mx = await ask(question, { server, ...inMixedCase });
  // Whether the letters are to blame is shown by the same question without them.
  return mx.kind === 'failure' || mx.rcode !== 'NOERROR'
    ? { mx, plainMx: await ask(question, { server }) }
    : { mx };
}

// A server that cannot read EDNS as it is today is not asked about that of tomorrow.
async function askEdns(
  { domain, ask }: HalfContext,
  server: string,
  speaks: Promise<ZoneAnswers>,
): Promise<Pick<ServerAnswers, 'nextEdns' | 'unknownOption'>> {
  const { soa } = await speaks;
  if (soa.kind === 'failure' || soa.edns === null) return {};
  const question = { name: domain, type: 'SOA' };
  const [nextEdns, unknownOption] = await Promise.all([
    ask(question, { server, ednsVersion: 1 }),
    ask(question, { server, unknownOption: true }),
  ]);
  return { nextEdns, unknownOption };
}

type Keys = Pick<ServerAnswers, 'dnskey'>;

// The keys of each server: the resolver may have met the one without. They may need TCP, which takes two round trips more, so those of a zone
// that is known to be signed do not wait until it is known that the server speaks.
async function askKeys(
  { domain, ask }: HalfContext,
  server: string,
  { isSigned, speaks }: Pick<ZoneKnown, 'isSigned'> & { readonly speaks: Promise<ZoneAnswers> },
): Promise<Keys> {
  if (!(await isSigned) && (await speaks).isSilent) return {};
  return { dnskey: await ask({ name: domain, type: 'DNSKEY' }, { server, dnssecOk: true }) };
}

// What the zone asks its parent for, and the proofs that a name and a type are not there (RFC 4035 §3.1.3), of each server of a signed zone.
async function askSigned(
  context: HalfContext,
  {
    server,
    at,
    speaker,
  }: { readonly server: string; readonly at: number; readonly speaker: Promise<number> },
  { isSigned, hasRequests, absent, ...known }: ZoneKnown,
): Promise<Pick<ServerAnswers, 'cds' | 'cdnskey' | 'absentName' | 'absentType' | 'owns' | 'proofs'>> {
  const { domain, ask } = context;
  const signed = { server, dnssecOk: true } as const;
  // Most zones ask for nothing: the second form of the same wish is compared where one was seen.
  const askCdnskey = async () =>
    (await hasRequests) ? { cdnskey: await ask({ name: domain, type: 'CDNSKEY' }, signed) } : {};
  if (!(await isSigned) && !(await hasRequests)) return {};
  const [cds, cdnskey, proofs] = await Promise.all([
    ask({ name: domain, type: 'CDS' }, signed),
    askCdnskey(),
    (await isSigned) ? askProofs() : {},
  ]);
  return { cds, ...cdnskey, ...proofs };

  async function askProofs() {
    const names = await absent;
    const seen = early(
      Promise.all([
        ask({ name: names[at] ?? names[0] ?? '', type: 'A' }, signed),
        ask({ name: domain, type: absentType }, signed),
      ]),
    );
    const own = await askOwn(context, { server, at, speaker, seen, absentType, ...known });
    const [absentName, ofType] = await seen;
    return { absentName, absentType: ofType, ...own };
  }
}

async function askForeign(
  { ask }: HalfContext,
  server: string,
  speaks: Promise<ZoneAnswers>,
): Promise<DnsAnswer> {
  const question = { name: foreignName, type: 'A' };
  const { isSilent } = await speaks;
  return isSilent
    ? unheard(question, 'the server answered nothing before', { server })
    : ask(question, { server, recursionDesired: true });
}

// A connection may fail for once; a second one, for another type as equal questions of a run are asked once, shows whether it did.
// A server that is silent anyway is not connected to again.
async function askByTcp(
  { domain, ask }: HalfContext,
  server: string,
  speaks: Promise<ZoneAnswers>,
): Promise<DnsAnswer> {
  const options = { server, transport: 'tcp', edns: false } as const;
  const first = await ask({ name: domain, type: 'SOA' }, options);
  if (first.kind === 'answer' || (await speaks).isSilent) return first;
  const second = await ask({ name: domain, type: 'NS' }, options);
  return second.kind === 'answer' ? second : first;
}

async function askDirect(
  { domain, ask }: HalfContext,
  server: string,
  speaks: Promise<ZoneAnswers>,
): Promise<readonly DnsAnswer[]> {
  if ((await speaks).isSilent) return [];
  return Promise.all(
    directTypes.map((type) =>
      ask({ name: domain, type }, type === 'MX' ? { server, ...inMixedCase } : { server }),
    ),
  );
}
