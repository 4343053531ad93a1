import type { Chain } from '../../../certificates/chain.ts';
import type { ReadChain } from '../../../certificates/read-chain.ts';
import type { HttpProbe } from '../../../probes/http/port.ts';
import type { Handshake, HandshakeRequest, TlsProbe } from '../../../probes/tls/port.ts';
import type { UdpProbe } from '../../../probes/udp/port.ts';
import { early } from '../../early.ts';
import type {
  FullEndpoint,
  HandshakeAnswer,
  HandshakeObservation,
  HstsObservation,
  NamesObservation,
  Question,
} from '../evidence.ts';
import { findClient, type SslFacts } from '../facts/facts.ts';
import { readHttp3Offer } from '../facts/http3.ts';
import type { Allowance } from './allowance.ts';
import type { HelloObservations } from './ask-all.ts';
import { type HelloAsker, isCutOff, type Target } from './ask-hello.ts';
import { askAgain, askOnce } from './ask-questions.ts';
import { gatherWithoutName, type Shaken, shakeOn, shakeOnce } from './gather-handshakes.ts';
import { gatherHttp3 } from './gather-http3.ts';
import { gatherOtherKind, isOfOtherKind } from './gather-other-kind.ts';
import { gatherRevocationList, within } from './gather-revocation-list.ts';
import { gatherRenegotiation, gatherResumption } from './gather-sessions.ts';
import type { Lanes } from './lanes.ts';

/** How one address is looked at. */
export type EndpointContext = {
  readonly asker: HelloAsker;
  readonly allowance: Allowance;
  readonly target: Target;
  readonly tls: TlsProbe;
  readonly http: HttpProbe;
  readonly udp: UdpProbe;
  /** What the DNS says of the name; it is asked for beside. */
  readonly names: Promise<NamesObservation>;
  readonly readChain: ReadChain;
  readonly lanes: Lanes;
  /** The first of OpenSSL's handshakes, which is begun beside the first ClientHello. */
  readonly shaking: Promise<Shaken>;
  /** What it shows, before tickets and late alerts are waited for; pending for ever where it fails. */
  readonly meeting: Promise<HandshakeObservation>;
  /** Asks what ClientHellos can tell. @param opening the answer to the first */
  readonly askMore: (opening: Question) => Promise<HelloObservations>;
  /** Whether to come back with the session: once for a name is enough. */
  readonly resumes: boolean;
  /** The list of the certificates that another address was seen to have. */
  readonly known: { readonly leaf: string; readonly list: FullEndpoint['revocationList'] } | null;
};

/** Sends the first ClientHello, which decides whether there is anything to look at. */
export function askOpening(asker: HelloAsker): Promise<Question> {
  return askOnce({ ask: asker.askFirst }, 'TLSv1.2', 'sound');
}

/** Begins to shake hands: what today's clients are shown is known before anything else. @param opening goes on beside */
export function beginHandshakes(
  look: Pick<EndpointContext, 'tls' | 'target' | 'allowance' | 'lanes'>,
  opening: Promise<Question>,
): Pick<EndpointContext, 'shaking' | 'meeting'> {
  let last: Shaken | undefined;
  const meeting = Promise.withResolvers<HandshakeObservation>();
  const shakeAnew = async () => {
    // Where both found no server, there is none to be asked alone.
    if (last === undefined || !isHopeless(await opening))
      last = await shakeOnce({ ...look, onMet: meeting.resolve });
    return last;
  };
  const isUnanswered = ({ seen: [first] }: Shaken) => first === undefined || isWordless(first);
  return { shaking: early(look.lanes.orAlone(shakeAnew, isUnanswered)), meeting: meeting.promise };
}

/** Asks once more where the server may have turned away the first ClientHello for the handshake beside it. */
export async function confirmOpening(
  { asker, shaking }: Pick<EndpointContext, 'asker' | 'shaking'>,
  opening: Question,
): Promise<Question> {
  if (opening.end.kind !== 'failure' && !isCutOff(opening.end)) return opening;
  return isConnected((await shaking).seen) ? askOpening(asker) : opening;
}

/** A second ClientHello does not help when there is no connection, or when the port does not speak TLS. */
export function isHopeless({ end }: Question): boolean {
  return end.kind === 'failure' || end.kind === 'not-tls';
}

/** Whether a handshake was completed. */
export function isConnected(handshakes: readonly HandshakeObservation[]): boolean {
  return handshakes.at(-1)?.handshake.kind === 'connected';
}

type GatheredEndpoint = Omit<FullEndpoint, 'chains' | 'notOffered' | 'alpnRefused'>;

const nothing: Omit<GatheredEndpoint, 'questions'> = {
  handshakes: [],
  withoutName: null,
  otherKind: null,
  hsts: { kind: 'unknown', reason: 'no handshake was completed' },
  http3: null,
  revocationList: { kind: 'unknown', url: null, reason: 'no certificate was seen' },
  groups: null,
  tls12Groups: null,
  preference: null,
  tls13Preference: null,
  choices: [],
  refusals: [],
  clients: [],
  certificateForm: null,
  stillAnswers: null,
  fallback: null,
  resumption: null,
  renegotiation: null,
};

/** Looks at one address: OpenSSL's view of it, and its answers to ClientHellos of our own. @param opening from askOpening */
export async function lookInFull(look: EndpointContext, opening: Question): Promise<FullEndpoint> {
  const looked = await lookAt(look, opening);
  const { chains, notOffered, isAlpnRefused } = look.asker;
  return { ...looked, chains, notOffered, alpnRefused: isAlpnRefused() };
}

async function lookAt(look: EndpointContext, opening: Question): Promise<GatheredEndpoint> {
  if (isHopeless(opening)) return { ...nothing, questions: [opening] };
  if (opening.end.kind !== 'silent') return lookOn(look, opening);
  // OpenSSL has tried too before the server is reported as silent.
  const { seen } = await look.shaking;
  return isConnected(seen) ? lookOn(look, opening) : { ...nothing, handshakes: seen, questions: [opening] };
}

/** OpenSSL's handshakes and ClientHellos side by side, as far as there are lanes. */
async function lookOn(look: EndpointContext, opening: Question): Promise<GatheredEndpoint> {
  const { asker } = look;
  const isUnfinished = opening.accepted.some((answer) => answer.isUnfinished === true);
  const handshaking = early(
    look.shaking.then((first) =>
      isUnfinished || isConnected(first.seen) ? first : look.lanes(() => shakeOn(look, first)),
    ),
  );
  // The list lies with the CA, and needs no lane.
  const meeting = early(
    Promise.race([look.meeting.then((met) => [met]), handshaking.then(({ seen }) => seen)]).then(findClient),
  );
  const listing = early(meeting.then((client) => gatherList(look, client)));
  const visiting = early(handshaking.then(({ seen }) => visit(look, opening, seen)));
  const trying = early(
    Promise.all([visiting, look.names]).then(([{ hsts }, names]) =>
      gatherHttp3(look, readHttp3Offer(hsts, names)),
    ),
  );
  const asking = early(look.askMore(opening));
  const knowing = early(meeting.then((client) => lookEarly(look, opening, { client, asking })));
  const returning = early(handshaking.then((shaken) => comeBack(look, opening, shaken)));
  const [asked, { seen: handshakes }, revocationList, visited, http3, returned, known] = await Promise.all([
    asking,
    handshaking,
    listing,
    visiting,
    trying,
    returning,
    knowing,
  ]);
  // A connection that is cut off can mean two things: the server refuses this hello, or it blocks us from now on.
  const ends = [
    ...asked.questions.map(({ end }) => end),
    ...asked.clients.flatMap(({ answer }) => (answer.kind === 'accepted' ? [] : [answer])),
  ];
  const stillAnswers = ends.some(isCutOff) ? await askAgain(asker, asked.questions) : null;
  const otherKind = known ?? (await gatherOtherKind(look, { client: findClient(handshakes), ...asked }));
  return {
    handshakes,
    ...visited,
    http3,
    ...returned,
    otherKind,
    revocationList,
    ...asked,
    stillAnswers,
  };
}

/** Ended without an alert, as a server does that has too many connections. */
function isWordless({ handshake }: { readonly handshake: Handshake | HandshakeAnswer }): boolean {
  return handshake.kind === 'failure' && handshake.isStalled !== true && cutOffs.includes(handshake.code);
}

/** In a lane, and once more where the connection may have been cut off for those beside it. */
function inLane<T>(
  { tls, http, lanes }: EndpointContext,
  gather: (probes: { readonly tls: TlsProbe; readonly http: Pick<HttpProbe, 'ask'> }) => Promise<T>,
): Promise<T> {
  let isCut = false;
  const noting = {
    tls: {
      ...tls,
      handshake: async (request: HandshakeRequest) => {
        const handshake = await tls.handshake(request);
        isCut = isWordless({ handshake });
        return handshake;
      },
    },
    http: {
      ask: async (request: Parameters<HttpProbe['ask']>[0]) => {
        const answer = await http.ask(request);
        isCut = answer.kind === 'failure' && cutOffs.includes(answer.code);
        return answer;
      },
    },
  };
  const gatherAnew = () => {
    isCut = false;
    return gather(noting);
  };
  return lanes.orAlone(gatherAnew, () => isCut);
}

const cutOffs: readonly string[] = ['connection-closed', 'connection-reset', 'connection-refused'];

/** The list lies with the CA; of a certificate that was seen elsewhere it is not fetched again. */
async function gatherList(
  look: EndpointContext,
  client: SslFacts['client'],
): Promise<FullEndpoint['revocationList']> {
  const { known, http, allowance } = look;
  if (known !== null && client?.certificates[0] === known.leaf) return known.list;
  return gatherRevocationList(http, chainOf(look, client), allowance);
}

type Asking = { readonly client: SslFacts['client']; readonly asking: Promise<HelloObservations> };

/** Looks for the other kind of key as soon as an answer was signed by one: no later answer can rule it out. */
async function lookEarly(
  look: EndpointContext,
  opening: Question,
  { client, asking }: Asking,
): Promise<FullEndpoint['otherKind']> {
  const isOther = isOfOtherKind(client);
  const chosen = isOther && (await Promise.race([look.asker.whenChosen(isOther), asking.then(() => null)]));
  if (!chosen) return null;
  const questions = [{ ...opening, accepted: [chosen] }];
  return inLane(look, ({ tls }) => gatherOtherKind({ ...look, tls }, { client, questions }));
}

/** What a client would do next: a handshake without a name, and a request for the page. */
async function visit(
  look: EndpointContext,
  opening: Question,
  handshakes: readonly HandshakeObservation[],
): Promise<Pick<GatheredEndpoint, 'withoutName' | 'hsts'>> {
  const { target, allowance } = look;
  const last = handshakes.at(-1);
  if (last?.handshake.kind !== 'connected') {
    allowance.releaseKept(0);
    return { withoutName: null, hsts: nothing.hsts };
  }
  const unasked = whyNoPage(last.handshake.lateAlert, opening);
  const [withoutName, hsts] = await Promise.all([
    inLane(look, ({ tls }) => gatherWithoutName(tls, target, allowance, last.offer)),
    unasked ?? inLane(look, ({ http }) => gatherHsts(http, target, allowance)),
  ]);
  // One for the other kind of key, where it is not asked for already.
  allowance.releaseKept(look.asker.isChosen(isOfOtherKind(findClient(handshakes))) ? 0 : 1);
  return { withoutName, hsts };
}

/** What a client does that comes back: it resumes its session, or begins another handshake in the same connection. */
async function comeBack(
  look: EndpointContext,
  opening: Question,
  { seen, session }: Shaken,
): Promise<Pick<GatheredEndpoint, 'resumption' | 'renegotiation'>> {
  const last = seen.at(-1);
  if (last?.handshake.kind !== 'connected') return { resumption: null, renegotiation: null };
  const client = { offer: last.offer, handshake: last.handshake, session };
  const [resumption, renegotiation] = await Promise.all([
    look.resumes ? inLane(look, ({ tls }) => gatherResumption({ ...look, tls }, client)) : null,
    inLane(look, ({ tls }) => gatherRenegotiation({ ...look, tls }, client, opening)),
  ]);
  return { resumption, renegotiation };
}

function whyNoPage(lateAlert: string | null, { accepted }: Question): HstsObservation | null {
  if (lateAlert !== null)
    return { kind: 'unknown', reason: `the server ended the connection (${lateAlert})` };
  return accepted.every(({ alpn }) => alpn === null || alpn.startsWith('h'))
    ? null
    : { kind: 'unknown', reason: 'the port serves no web pages' };
}

/** As long as the HTTP probe waits for a header section; a body that trickles is not wanted. */
const pageTimeMs = 8000;

async function gatherHsts(
  http: Pick<HttpProbe, 'ask'>,
  { host, port, address }: Target,
  allowance: Allowance,
): Promise<HstsObservation> {
  const refusal = allowance.takeKept();
  if (refusal !== null) return { kind: 'unknown', reason: refusal };
  const url = `https://${host}${port === 443 ? '' : `:${port}`}/`;
  const answer = await within(
    http.ask({ url, bodyLimitBytes: 0, ...familyOf(address) }),
    allowance.leftMs(pageTimeMs),
  );
  if (answer === null) return { kind: 'unknown', reason: 'the page did not come in time' };
  if (answer.kind === 'failure') return { kind: 'unknown', reason: answer.reason };
  const valuesOf = (wanted: string) =>
    answer.headers.filter(([name]) => name.toLowerCase() === wanted).map(([, value]) => value.slice(0, 500));
  return {
    kind: 'fields',
    url,
    values: valuesOf('strict-transport-security'),
    altSvc: valuesOf('alt-svc'),
  };
}

/** The HTTP probe chooses by family; the first address of each is the one that is looked at. */
function familyOf(address: string | undefined): { readonly family?: 4 | 6 } {
  if (address === undefined) return {};
  return { family: address.includes(':') ? 6 : 4 };
}

function chainOf({ readChain }: EndpointContext, client: SslFacts['client']): Chain | null {
  return client === null ? null : readChain(client.certificates);
}
