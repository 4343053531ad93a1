import { readCertificate } from '../../../certificates/certificate.ts';
import { openChainReader, type ReadChain } from '../../../certificates/read-chain.ts';
import { findAnchors, ownAnchorsOf } from '../../../certificates/trust/store.ts';
import type { GatherContext } from '../../check.ts';
import { early } from '../../early.ts';
import type {
  EndpointObservation,
  FullEndpoint,
  HandshakeAnswer,
  Question,
  SslEvidence,
} from '../evidence.ts';
import { findClient } from '../facts/facts.ts';
import { listLogIds } from '../facts/timestamps.ts';
import { findLogs } from '../grammar/transparency-logs.ts';
import { type AllowanceLimits, allowanceLimits, openAllowance } from './allowance.ts';
import { askAlike, type Model } from './ask-alike.ts';
import { type HelloObservations, askAll, questionsNoted } from './ask-all.ts';
import { openHelloAsker, type Target } from './ask-hello.ts';
import { firstOfFamilies, lookAtOthers, spread } from './gather-endpoints.ts';
import { gatherNames } from './gather-names.ts';
import { within } from './gather-revocation-list.ts';
import { lanesOfRun, openLanes } from './lanes.ts';
import {
  askOpening,
  beginHandshakes,
  confirmOpening,
  isConnected,
  isHopeless,
  type EndpointContext,
  lookInFull,
} from './look-in-full.ts';

/**
 * Looks at the TLS servers of a name: in full at the first address of each family, by a few connections at the others.
 * At most 45 connections to an address looked at in full, twelve at once, sixteen where a server answers those promptly and six or one where it does not, and 6 to any other.
 */
export function gatherSsl(context: GatherContext): Promise<SslEvidence> {
  return gatherWithin(context, allowanceLimits);
}

/** The same within other limits: those of a lab are shorter. */
export async function gatherWithin(context: GatherContext, limits: AllowanceLimits): Promise<SslEvidence> {
  const at = Date.now();
  const { target: host, options, probes } = context;
  const target = { host, port: Number(options['port'] ?? 443) };
  const naming = early(gatherNames(probes.dns, target));
  const [names, site] = await Promise.all([
    naming,
    lookAtSite({ context, limits, target, names: naming, readChain: openChainReader(at) }),
  ]);
  const { main, endpoints, connections } = site;
  const anchors = findAnchors(listChains(main.seen, endpoints));
  const ownAnchors = ownAnchorsOf(anchors);
  return {
    host,
    port: target.port,
    at,
    ...main.seen,
    chains: main.seen.chains,
    anchors,
    ...(ownAnchors.length > 0 ? { ownAnchors } : {}),
    logs: findLogs(listSigners(main.seen, endpoints)),
    names,
    addresses: addressesOf(main),
    endpoints,
    connections,
  };
}

type SslRun = {
  readonly context: GatherContext;
  readonly limits: AllowanceLimits;
  readonly target: Target;
  readonly names: EndpointContext['names'];
  readonly readChain: ReadChain;
};

/** An address and its answer to the first ClientHello. */
type Opened = { readonly look: OwnContext; readonly opening: Question };
type OwnContext = Omit<EndpointContext, 'askMore' | 'known' | 'resumes'>;
type Main = Opened & { readonly seen: FullEndpoint };

type Site = {
  readonly main: Main;
  readonly endpoints: readonly EndpointObservation[];
  readonly connections: number;
};

async function lookAtSite(run: SslRun): Promise<Site> {
  const { context, target } = run;
  const start = performance.now();
  const addresses = await context.probes.tls.addresses(target.host);
  const openings = firstOfFamilies(addresses).map((address) => open(run, address));
  const early = await firstOpen(openings);
  // The others are waited for while the first is looked at.
  const [looked, firsts] = await Promise.all([early && lookAtMain(context, early), Promise.all(openings)]);
  const spares = early ? [] : await openSpares(run, addresses);
  const opened = [...firsts, ...spares];
  const first = early ?? opened.find(isOpen) ?? opened[0] ?? (await open(run, undefined));
  const others = opened.filter((one) => one !== first && (firsts.includes(one) || !isOpen(one)));
  const main = looked ?? (await lookAtMain(context, first));
  const [full, short] = await Promise.all([
    Promise.all(others.map((one) => lookAtOther(one, main))),
    isConnected(main.seen.handshakes)
      ? lookAtOthers(context.probes.tls, target, {
          limits: run.limits,
          spentMs: performance.now() - start,
          addresses: reachable(addresses, [first, ...others]),
        })
      : { endpoints: [], connections: 0 },
  ]);
  const own = [first, ...opened.filter((one) => one !== first)].reduce(
    (sum, { look }) => sum + look.allowance.taken(),
    0,
  );
  return { main, endpoints: [...full, ...short.endpoints], connections: own + short.connections };
}

/** How long the first family is waited for once the other has answered: usually both do at once, and the same one is to be looked at each time. */
const headStartMs = 1000;

/** The first that is open; one that answers much later than another is not waited for. Undefined where none is. */
async function firstOpen(openings: readonly Promise<Opened>[]): Promise<Opened | undefined> {
  const inOrder = async () => {
    for (const opening of openings) {
      const one = await opening;
      if (isOpen(one)) return one;
    }
    return undefined;
  };
  const found = await Promise.race([...openings.map(whenOpen), inOrder()]);
  return found && ((await within(inOrder(), headStartMs)) ?? found);
}

/** Settles only if it is open. */
function whenOpen(opening: Promise<Opened>): Promise<Opened> {
  return new Promise((resolve, reject) => {
    opening.then((one) => (isOpen(one) ? resolve(one) : undefined), reject);
  });
}

function openEach(run: SslRun, addresses: readonly string[]): Promise<readonly Opened[]> {
  return Promise.all(addresses.map((address) => open(run, address)));
}

/** Where the first address of each family is out of order, another one may serve the name. */
async function openSpares(run: SslRun, addresses: readonly string[]): Promise<readonly Opened[]> {
  const firsts = firstOfFamilies(addresses);
  return openEach(run, spread(addresses.filter((address) => !firsts.includes(address))));
}

async function open(
  { context, limits, target, names, readChain }: SslRun,
  address?: string,
): Promise<Opened> {
  const own = address === undefined ? target : { ...target, address };
  const { tls, http, udp } = context.probes;
  const allowance = openAllowance(limits, () => performance.now());
  const lanes = openLanes(lanesOfRun);
  const asker = openHelloAsker({ probe: tls, target: own, allowance, lanes });
  const asking = early(askOpening(asker));
  const begun = beginHandshakes({ tls, target: own, allowance, lanes }, asking);
  const look = { asker, allowance, target: own, tls, http, udp, names, readChain, lanes, ...begun };
  return { look, opening: await confirmOpening(look, await asking) };
}

function isOpen({ opening }: Opened): boolean {
  return !isHopeless(opening);
}

/** The addresses that are left. If this machine has no way to one, those of the same family are not tried either. */
function reachable(addresses: readonly string[], looked: readonly Opened[]): readonly string[] {
  const known = looked.map(({ look }) => look.target.address);
  const isOurs = ({ opening: { end } }: Opened) =>
    end.kind === 'failure' && (end.code === 'network-unreachable' || end.code === 'not-from-here');
  const missing = looked.filter(isOurs).map(({ look }) => isIpv6(look.target.address ?? ''));
  return addresses.filter((address) => !known.includes(address) && !missing.includes(isIpv6(address)));
}

function isIpv6(address: string): boolean {
  return address.includes(':');
}

async function lookAtMain({ progress, target }: GatherContext, opened: Opened): Promise<Main> {
  let done = 0;
  const note = () => {
    done += 1;
    progress({ done, total: questionsNoted, current: target });
  };
  const askMore = (opening: Question) => askAll(opened.look.asker, opening, note);
  const seen = await lookInFull({ ...opened.look, askMore, known: null, resumes: true }, opened.opening);
  return { ...opened, seen };
}

/** The same at an address of the other family, which usually answers alike. */
async function lookAtOther({ look, opening }: Opened, main: Main): Promise<EndpointObservation> {
  const address = look.target.address ?? '';
  if (isHopeless(opening)) return { address, handshake: failureOf(opening, address) };
  const client = findClient(main.seen.handshakes);
  const model: Model = { opening: main.opening, asked: askedOf(main.seen) };
  const full = await lookInFull(
    {
      ...look,
      askMore: () => askAlike(look.asker, opening, model),
      resumes: false,
      known: client && { leaf: client.certificates[0] ?? '', list: main.seen.revocationList },
    },
    opening,
  );
  return { address, handshake: full.handshakes.at(-1)?.handshake ?? failureOf(opening, address), full };
}

function askedOf(seen: FullEndpoint): HelloObservations {
  const { questions, groups, preference, fallback = null, certificateForm = null } = seen;
  const { tls12Groups = null, tls13Preference = null, choices = [], refusals = [], clients = [] } = seen;
  const orders = { preference, tls13Preference, choices, refusals };
  return { questions, groups, tls12Groups, ...orders, clients, fallback, certificateForm };
}

/** Why an address has no handshake. */
function failureOf({ end }: Question, address: string): HandshakeAnswer {
  const failure = { kind: 'failure', opensslCode: null, address } as const;
  if (end.kind === 'failure') return { ...failure, code: end.code, reason: end.reason };
  return end.kind === 'not-tls'
    ? { ...failure, code: 'not-tls', reason: 'the server does not speak TLS on this port' }
    : { ...failure, code: 'tls-timeout', reason: 'the server did not answer a ClientHello' };
}

/** Every chain that was seen. */
function listChains(
  main: FullEndpoint,
  endpoints: readonly EndpointObservation[],
): readonly (readonly string[])[] {
  const looks = [main, ...endpoints.flatMap(({ full }) => full ?? [])];
  const shaken = [
    ...looks.flatMap(({ handshakes }) => handshakes.map(({ handshake }) => handshake)),
    ...looks.flatMap(({ otherKind }) =>
      otherKind?.answer.kind === 'shown' ? otherKind.answer.handshake : [],
    ),
    ...endpoints.map(({ handshake }) => handshake),
  ];
  const sent = shaken.flatMap((one) => (one.kind === 'connected' ? [one.certificates] : []));
  return [...sent, ...looks.flatMap(({ chains }) => chains)];
}

/** Ids of the transparency logs that have signed anything about a leaf. */
function listSigners(main: FullEndpoint, endpoints: readonly EndpointObservation[]): readonly string[] {
  const shown = new Set(listChains(main, endpoints).map(([leaf = '']) => leaf));
  const leaves = [...shown].flatMap((leaf) => readCertificate(leaf) ?? []);
  const questions = [main, ...endpoints.flatMap(({ full }) => full ?? [])].flatMap((look) => look.questions);
  const lists = questions.flatMap(({ accepted }) =>
    accepted.flatMap(({ timestampList }) => timestampList ?? []),
  );
  return listLogIds(leaves, lists);
}

function addressesOf({ look: { asker }, seen }: Main): string[] {
  const shaken = seen.handshakes.flatMap(({ handshake }) => handshake.address ?? []);
  return [...new Set([...asker.addresses, ...shaken])];
}
