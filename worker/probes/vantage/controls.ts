import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { VantageKind } from '#shared/model/vantage';
import { textsIn } from '../dns/read-reply.ts';
import type {
  Controls,
  ControlNotes,
  ControlSubject,
  ControlWire,
  Family,
  HttpsOutcome,
  Outcome,
} from './port.ts';
import { openResolverControls, type ResolverControls } from './resolver-controls.ts';
import { rootServers } from './roots.ts';

type Transport = 'udp' | 'tcp';

/** Silent for good: nothing listens in this block (RFC 5737), so that an answer comes from somebody in between. */
const silentAddress = '192.0.2.1';

/** What a root server said: the truth (aa, no recursion), something else, nothing, or there is no way there. */
type RootAnswer = 'true' | 'other' | 'silent' | 'no-route';

type Asked = {
  readonly wire: ControlWire;
  readonly roots: Roots;
  readonly https: Https;
  readonly resolver: ResolverControls;
};
type Control = (asked: Asked, about: ControlSubject) => Promise<Outcome>;

/** The control of each kind that has one. */
const table: { readonly [K in VantageKind]?: Control } = {
  resolver: ({ resolver }) => resolver.answers(),
  'dns-types': ({ resolver }) => resolver.types(),
  'honest-dns': async ({ resolver }) => (await resolver.honest()).outcome,
  'dns-direct': async ({ roots }) => {
    const four = await roots.ask(4, 'udp');
    if (four === 'true') return (await roots.hasInterceptor()) ? 'fails' : 'works';
    if (four === 'other') return 'fails';
    const six = await roots.ask(6, 'udp');
    if (six === 'true') return 'works';
    return four === 'no-route' && six !== 'other' ? 'unsure' : 'fails';
  },
  ipv4: (asked, about) => lookAtFamily(4, asked, about),
  ipv6: (asked, about) => lookAtFamily(6, asked, about),
  'dns-tcp': async ({ wire, roots }) => {
    const family = await usualFamily(wire);
    if ((await roots.ask(family, 'tcp')) === 'true') return 'works';
    return (await roots.ask(family, 'udp')) === 'true' ? 'fails' : 'unsure';
  },
  edns: async ({ wire, roots }) => {
    const family = await usualFamily(wire);
    if ((await roots.ask(family, 'udp', { edns: true })) === 'true') return 'works';
    return (await roots.ask(family, 'udp')) === 'true' ? 'fails' : 'unsure';
  },
  'large-packets': async ({ wire, roots, https }, about) => {
    const seen = await https.look(about);
    if (seen.kind === 'secured') return 'works';
    return seen.kind === 'silent' ? 'fails' : roots.large(await usualFamily(wire));
  },
  https: async ({ https }, about) => {
    const seen = await https.look(about);
    if (seen.kind === 'unknown') return 'unsure';
    return seen.kind === 'not-connected' ? 'fails' : 'works';
  },
  tls: ({ https }, about) => https.trust(about),
};

async function usualFamily(wire: ControlWire): Promise<Family> {
  return (await wire.hasRoute(4)) ? 4 : 6;
}

async function lookAtFamily(
  family: Family,
  { wire, roots, https }: Asked,
  about: ControlSubject,
): Promise<Outcome> {
  if (!(await wire.hasRoute(family))) return about.hasNoRoute === false ? 'unsure' : 'fails';
  if ((await roots.ask(family, 'udp')) === 'true') return 'works';
  const seen = await https.look(about, family);
  if (seen.kind === 'silent' || seen.kind === 'secured') return 'works';
  const other = family === 4 ? 6 : 4;
  // Only where questions to name servers pass at all does their silence over one family say something of it.
  if ((await roots.ask(other, 'udp')) === 'true') return 'fails';
  const otherSeen = seen.kind === 'not-connected' ? await https.look(about, other) : seen;
  return otherSeen.kind === 'secured' ? 'fails' : 'unsure';
}

/** Opens the controls. */
export function openControls(wire: ControlWire, notes: ControlNotes): Controls {
  const resolver = openResolverControls(wire, notes);
  const asked = { wire, roots: openRoots(wire, notes), https: openHttps(wire, notes), resolver };
  return {
    ask: async (kind, about) => (await table[kind]?.(asked, about)) ?? 'unsure',
    hasStandIn: (kind) => kind === 'https' || kind === 'tls' || kind === 'large-packets',
    learnTraits: () => resolver.learn(),
    surveyed: [
      'resolver',
      'dns-direct',
      'ipv4',
      'ipv6',
      'dns-tcp',
      'dns-types',
      'honest-dns',
      ...(wire.controlHosts.length > 0 ? (['https', 'tls', 'large-packets'] as const) : []),
    ],
  };
}

type Roots = ReturnType<typeof openRoots>;
type Https = ReturnType<typeof openHttps>;

type RootWish = { readonly family: Family; readonly transport: Transport; readonly edns: boolean };

async function askRoot(
  wire: ControlWire,
  notes: ControlNotes,
  address: string,
  { family, transport, edns }: RootWish,
): Promise<RootAnswer> {
  if (!notes.mayAsk()) return 'silent';
  const answer = await wire.askServer(address, { name: '', type: 'NS' }, { transport, edns });
  if (answer.kind === 'failure') return answer.code === 'network-unreachable' ? 'no-route' : 'silent';
  if (!answer.flags.aa || answer.flags.ra) return 'other';
  notes.works(family === 4 ? 'ipv4' : 'ipv6');
  if (transport === 'tcp') notes.works('dns-tcp');
  else notes.works('dns-direct');
  if (transport === 'udp' && edns) notes.works('edns');
  return 'true';
}

/** Addresses of root servers as the resolver names them: those of a lab, or of a day to come. */
async function namedRoots(
  wire: ControlWire,
  notes: ControlNotes,
  family: Family,
): Promise<readonly string[]> {
  if (!notes.mayAsk()) return [];
  const roots = await wire.askResolver({ name: '', type: 'NS' });
  const type = family === 4 ? 'A' : 'AAAA';
  const found = await Promise.all(
    textsIn(roots, 'NS')
      .slice(0, 2)
      .map(async (name) => (notes.mayAsk() ? textsIn(await wire.askResolver({ name, type }), type) : [])),
  );
  return found.flatMap((addresses) => addresses.slice(0, 1));
}

/** Which root servers to ask: two of the list, and two that the resolver names, which may be those of a lab. */
function openRootList(wire: ControlWire, notes: ControlNotes) {
  const first = randomBytes(1)[0] ?? 0;
  const named = new Map<Family, readonly string[]>();
  const listed = (family: Family) => {
    const all: readonly string[] = rootServers[family];
    return [first, first + 5].flatMap((at) => all[at % all.length] ?? []);
  };
  return {
    listed,
    async others(family: Family): Promise<readonly string[]> {
      const found = named.get(family) ?? (await namedRoots(wire, notes, family));
      if (found.length > 0) named.set(family, found);
      return found.filter((one) => !listed(family).includes(one));
    },
  };
}

/** The listed ones nearly always answer within this time: then nobody else is asked. */
const listedMs = 600;

function openRootQuestions(wire: ControlWire, notes: ControlNotes) {
  const list = openRootList(wire, notes);
  /** Those that answered last. */
  const living = new Map<Family, string>();
  const askAll = (addresses: readonly string[], wish: RootWish) =>
    Promise.all(
      addresses.map(async (address) => {
        const answer = await askRoot(wire, notes, address, wish);
        if (answer === 'true') living.set(wish.family, address);
        return answer;
      }),
    );
  return {
    living,
    async ask(
      family: Family,
      transport: Transport,
      { edns = false }: { readonly edns?: boolean } = {},
    ): Promise<RootAnswer> {
      if (!(await wire.hasRoute(family))) return 'no-route';
      const wish = { family, transport, edns };
      const known = living.get(family);
      if (known !== undefined && (await askAll([known], wish)).includes('true')) return 'true';
      const listed = askAll(list.listed(family), wish);
      const early = await Promise.race([listed, delay(listedMs, undefined, { ref: false })]);
      if (early?.includes('true')) return 'true';
      // Somebody in between answers for both.
      if (early?.every((answer) => answer === 'other')) return 'other';
      const answers = (await Promise.all([listed, askAll(await list.others(family), wish)])).flat();
      if (answers.includes('true')) return 'true';
      return answers.includes('other') ? 'other' : 'silent';
    },
  };
}

function openRoots(wire: ControlWire, notes: ControlNotes) {
  const questions = openRootQuestions(wire, notes);
  const { living } = questions;
  const ask: typeof questions.ask = (...asked) => questions.ask(...asked);
  let askedSilentAt = -Infinity;
  return {
    ask,
    /** Whether an answer larger than a small MTU comes over TCP, where a small one does. */
    async large(family: Family): Promise<Outcome> {
      if ((await ask(family, 'tcp')) !== 'true' || !notes.mayAsk()) return 'unsure';
      const address = living.get(family) ?? '';
      const options = { transport: 'tcp', dnssecOk: true } as const;
      const answer = await wire.askServer(address, { name: '', type: 'ANY' }, options);
      if (answer.kind === 'failure') return answer.code === 'tcp-failed' ? 'fails' : 'unsure';
      return answer.sizeBytes > largeBytes ? 'works' : 'unsure';
    },
    /** Whether somebody answers for an address that nobody has. */
    async hasInterceptor(): Promise<boolean> {
      const isLate = performance.now() - askedSilentAt > silentEveryMs;
      if (!isLate || !(await wire.hasRoute(4)) || !notes.mayAsk()) return false;
      askedSilentAt = performance.now();
      const answer = await wire.askServer(silentAddress, { name: '', type: 'NS' }, { transport: 'udp' });
      return answer.kind === 'answer';
    },
  };
}

const silentEveryMs = 3_600_000;

/** More than fits into a packet of a usual link, so that the answer has one of the full size. */
const largeBytes = 1460;

function openHttps(wire: ControlWire, notes: ControlNotes) {
  const registryOf = ({ host }: ControlSubject) => {
    const registry = host === undefined ? undefined : wire.registryHostOf(host);
    return registry === undefined ? [] : [registry];
  };
  const hostsFor = (about: ControlSubject) => [...wire.controlHosts, ...registryOf(about)].slice(0, 2);
  return {
    /**
     * Whether the certificate of a control leads to a public root. A registry's always does; hosts that the operator names may have one of an
     * authority of the operator's own, which says nothing of anybody in between.
     */
    async trust(about: ControlSubject): Promise<Outcome> {
      const registries = registryOf(about);
      for (const host of [...registries, ...wire.controlHosts].slice(0, 2)) {
        if (!notes.mayAsk()) break;
        const seen = await wire.lookAtHttps(host);
        if (seen.kind !== 'secured') continue;
        if (seen.isPublic) return 'works';
        if (!seen.isKnown || registries.includes(host)) return 'fails';
      }
      return 'unsure';
    },
    /** Two hosts at most: the first that can be connected to speaks. */
    async look(about: ControlSubject, family?: Family): Promise<HttpsOutcome> {
      let last: HttpsOutcome = { kind: 'unknown' };
      for (const host of hostsFor(about)) {
        if (!notes.mayAsk()) break;
        const sight = await wire.lookAtHttps(host, family);
        if (sight.kind === 'secured') {
          notes.works('https');
          notes.works('large-packets');
          if (sight.isPublic) notes.works('tls');
        }
        if (sight.kind === 'secured' || sight.kind === 'silent') return sight;
        if (sight.kind === 'not-connected') last = sight;
      }
      return last;
    },
  };
}
