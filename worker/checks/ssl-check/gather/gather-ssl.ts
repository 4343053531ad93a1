import type { Chain } from '../../../certificates/chain.ts';
import { findAnchors } from '../../../certificates/trust/store.ts';
import type { HttpProbe } from '../../../probes/http/port.ts';
import type { TlsProbe } from '../../../probes/tls/port.ts';
import type { GatherContext } from '../../check.ts';
import type {
  EndpointSeen,
  GroupsSeen,
  HandshakeAnswer,
  HandshakeSeen,
  HstsSeen,
  Preference,
  Question,
  SslEvidence,
} from '../evidence.ts';
import { findClient, type SslFacts } from '../facts/facts.ts';
import { type Allowance, type AllowanceLimits, allowanceLimits, openAllowance } from './allowance.ts';
import { askAll, questionsNoted } from './ask-all.ts';
import { type HelloAsker, openHelloAsker, type Target } from './ask-hello.ts';
import { askAgain, askOnce } from './ask-questions.ts';
import { gatherEndpoints } from './gather-endpoints.ts';
import { gatherHandshakes, gatherWithoutName } from './gather-handshakes.ts';
import { gatherNames } from './gather-names.ts';
import { gatherOtherKind } from './gather-other-kind.ts';
import { gatherRevocationList } from './gather-revocation-list.ts';
import { type Lanes, lanesOfRun, openLanes } from './lanes.ts';
import { openChainReader, type ReadChain } from './read-chain.ts';
import { within } from './within.ts';

/** Looks at a TLS server: OpenSSL's view of it, and its answers to ClientHellos of our own; at most 30 connections, four at once. */
export function gatherSsl(context: GatherContext): Promise<SslEvidence> {
  return gatherWithin(context, allowanceLimits);
}

/** The same within other limits: those of a lab are shorter. */
export async function gatherWithin(
  { target: host, options, probes, progress }: GatherContext,
  limits: AllowanceLimits,
): Promise<SslEvidence> {
  const at = Date.now();
  const target = { host, port: Number(options['port'] ?? 443) };
  const allowance = openAllowance(limits, () => performance.now());
  const lanes = openLanes(lanesOfRun);
  const asker = openHelloAsker({ probe: probes.tls, target, allowance, lanes });
  const readChain = openChainReader(at);
  const look = { asker, allowance, target, tls: probes.tls, http: probes.http, progress, readChain, lanes };
  const [names, looked] = await Promise.all([gatherNames(probes.dns, target), lookAt(look)]);
  const addresses = addressesOf(asker, looked.handshakes);
  const endpoints = isConnected(looked.handshakes)
    ? await gatherEndpoints(probes.tls, target, { lanes, allowance, seen: addresses })
    : null;
  return {
    host,
    port: target.port,
    at,
    ...looked,
    chains: asker.chains,
    alpnRefused: asker.isAlpnRefused(),
    anchors: findAnchors(listChains(asker, looked, endpoints ?? [])),
    names,
    addresses,
    endpoints,
    connections: allowance.taken() + (endpoints?.length ?? 0),
  };
}

/** A second ClientHello does not help when there is no connection, or when the port does not speak TLS. */
function isHopeless({ end }: Question): boolean {
  return end.kind === 'failure' || end.kind === 'not-tls';
}

type Looked = Pick<SslEvidence, 'handshakes' | 'withoutName' | 'otherKind' | 'hsts' | 'revocationList'> & {
  readonly questions: readonly Question[];
  readonly groups: GroupsSeen | null;
  readonly preference: Preference | null;
  readonly stillAnswers: boolean | null;
};

const nothing: Omit<Looked, 'questions'> = {
  handshakes: [],
  withoutName: null,
  otherKind: null,
  hsts: { kind: 'unknown', reason: 'no handshake was completed' },
  revocationList: { kind: 'unknown', url: null, reason: 'no certificate was seen' },
  groups: null,
  preference: null,
  stillAnswers: null,
};

type Look = {
  readonly asker: HelloAsker;
  readonly allowance: Allowance;
  readonly target: Target;
  readonly tls: TlsProbe;
  readonly http: HttpProbe;
  readonly progress: GatherContext['progress'];
  readonly readChain: ReadChain;
  readonly lanes: Lanes;
};

/** One hello decides whether there is anything to look at. */
async function lookAt(look: Look): Promise<Looked> {
  const opening = await askOnce(look.asker, 'TLSv1.2', 'sound');
  if (isHopeless(opening)) return { ...nothing, questions: [opening] };
  if (opening.end.kind !== 'silent') return lookOn(look, opening);
  // OpenSSL tries once more before the server is reported as silent.
  const handshakes = await gatherHandshakes(look.tls, look.target, look.allowance, 'once');
  return isConnected(handshakes) ? lookOn(look, opening) : { ...nothing, handshakes, questions: [opening] };
}

/** OpenSSL's handshakes and ClientHellos side by side, as far as there are lanes. */
async function lookOn(look: Look, opening: Question): Promise<Looked> {
  const { asker, allowance } = look;
  const handshaking = look.lanes(() =>
    gatherHandshakes(look.tls, look.target, allowance, 'until-it-connects'),
  );
  // The list lies with the CA, and needs no lane.
  const listing = handshaking.then((seen) =>
    gatherRevocationList(look.http, chainOf(look, findClient(seen)), allowance),
  );
  const visiting = handshaking.then((seen) => visit(look, opening, seen));
  const [asked, handshakes, revocationList, visited] = await Promise.all([
    askAll(asker, opening, noteEach(look)),
    handshaking,
    listing,
    visiting,
  ]);
  // A connection that is cut off can mean two things: the server refuses this hello, or it blocks us from now on.
  const isCutOff = asked.questions.some(
    ({ end }) => end.kind === 'refused' && (end.by === 'closed' || end.by === 'reset'),
  );
  const stillAnswers = isCutOff ? await askAgain(asker, asked.questions) : null;
  const otherKind = await gatherOtherKind(look, { client: findClient(handshakes), ...asked });
  return { handshakes, ...visited, otherKind, revocationList, ...asked, stillAnswers };
}

function noteEach({ progress, target }: Look): () => void {
  let done = 0;
  return () => {
    done += 1;
    progress({ done, total: questionsNoted, current: target.host });
  };
}

/** What a client would do next: a handshake without a name, and a request for the page. */
async function visit(
  look: Look,
  opening: Question,
  handshakes: readonly HandshakeSeen[],
): Promise<Pick<Looked, 'withoutName' | 'hsts'>> {
  const { tls, http, target, allowance, lanes } = look;
  const last = handshakes.at(-1);
  if (last?.handshake.kind !== 'connected') {
    allowance.releaseKept();
    return { withoutName: null, hsts: nothing.hsts };
  }
  const unasked = whyNoPage(last.handshake.lateAlert, opening);
  const [withoutName, hsts] = await Promise.all([
    lanes(() => gatherWithoutName(tls, target, allowance, last.offer)),
    unasked ?? lanes(() => gatherHsts(http, target, allowance)),
  ]);
  allowance.releaseKept();
  return { withoutName, hsts };
}

function whyNoPage(lateAlert: string | null, { accepted }: Question): HstsSeen | null {
  if (lateAlert !== null)
    return { kind: 'unknown', reason: `the server ended the connection (${lateAlert})` };
  return accepted.every(({ alpn }) => alpn === null || alpn.startsWith('h'))
    ? null
    : { kind: 'unknown', reason: 'the port serves no web pages' };
}

/** As long as the HTTP probe waits for a header section; a body that trickles is not wanted. */
const pageTimeMs = 8000;

async function gatherHsts(http: HttpProbe, { host, port }: Target, allowance: Allowance): Promise<HstsSeen> {
  const refusal = allowance.takeKept();
  if (refusal !== null) return { kind: 'unknown', reason: refusal };
  const url = `https://${host}${port === 443 ? '' : `:${port}`}/`;
  const answer = await within(http.ask({ url, bodyLimitBytes: 0 }), allowance.leftMs(pageTimeMs));
  if (answer === null) return { kind: 'unknown', reason: 'the page did not come in time' };
  if (answer.kind === 'failure') return { kind: 'unknown', reason: answer.reason };
  const values = answer.headers
    .filter(([name]) => name.toLowerCase() === 'strict-transport-security')
    .map(([, value]) => value.slice(0, 500));
  return { kind: 'fields', url, values };
}

function isConnected(handshakes: readonly HandshakeSeen[]): boolean {
  return handshakes.at(-1)?.handshake.kind === 'connected';
}

function chainOf({ readChain }: Look, client: SslFacts['client']): Chain | null {
  return client === null ? null : readChain(client.certificates);
}

/** Every chain that was seen. */
function listChains(
  asker: HelloAsker,
  { handshakes, otherKind }: Looked,
  endpoints: readonly EndpointSeen[],
): readonly (readonly string[])[] {
  const shaken = [...handshakes, ...endpoints].map(({ handshake }) => handshake);
  const sent = [...shaken, otherHandshake(otherKind)].flatMap((one) =>
    one?.kind === 'connected' ? [one.certificates] : [],
  );
  return [...sent, ...asker.chains];
}

function otherHandshake(otherKind: Looked['otherKind']): HandshakeAnswer | null {
  return otherKind?.answer.kind === 'shown' ? otherKind.answer.handshake : null;
}

function addressesOf(asker: HelloAsker, handshakes: readonly HandshakeSeen[]): string[] {
  const seen = handshakes.flatMap(({ handshake }) => handshake.address ?? []);
  return [...new Set([...asker.addresses, ...seen])];
}
