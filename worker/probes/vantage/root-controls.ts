import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { textsIn } from '../dns/read-reply.ts';
import { throughNat64 } from './nat64.ts';
import type { ControlNotes, ControlWire, Outcome } from './port.ts';
import { rootServers } from './roots.ts';
import { openShared } from './share.ts';
import { type Family, familyKind } from './ways.ts';

/** Silent for good: nothing listens in this block (RFC 5737), so that an answer comes from somebody in between. */
const silentAddress = '192.0.2.1';

/** What a root server said: the truth (aa, no recursion), something else, nothing; or there is no way there, or no question is left. */
export type RootAnswer = 'true' | 'other' | 'silent' | 'no-route' | 'not-asked';

type RootWish = {
  readonly family: Family;
  readonly transport: 'udp' | 'tcp';
  readonly edns: boolean;
};

/** What root servers tell of the way to name servers. */
export type RootControls = {
  /** With EDNS, and where that is silent without: what passes at all. */
  udp(family: Family): Promise<RootAnswer>;
  withEdns(family: Family): Promise<RootAnswer>;
  /** Over TCP, where UDP passes. */
  tcp(family: Family): Promise<RootAnswer>;
  /** Servers at addresses of IPv4, through a NAT64. */
  translated(): Promise<RootAnswer>;
  /** Whether an answer larger than a small MTU comes over TCP, where a small one does. */
  large(family: Family): Promise<Outcome>;
  /** Whether somebody answers for an address that nobody has. */
  hasInterceptor(): Promise<boolean>;
};

/** Opens them. */
export function openRootControls(wire: ControlWire, notes: ControlNotes): RootControls {
  const questions = openRootQuestions(wire, notes);
  const withEdns = (family: Family) => questions.ask({ family, transport: 'udp', edns: true });
  const udp = async (family: Family): Promise<RootAnswer> => {
    const usual = withEdns(family);
    const early = await Promise.race([usual, delay(listedMs, undefined, { ref: false })]);
    if (early !== undefined && early !== 'silent') return early;
    const plain = questions.ask({ family, transport: 'udp', edns: false });
    return firstTrue([usual, plain]);
  };
  const tcp = async (family: Family): Promise<RootAnswer> => {
    if ((await udp(family)) !== 'true') return 'not-asked';
    return questions.ask({ family, transport: 'tcp', edns: false });
  };
  let askedSilentAt = -Infinity;
  return {
    udp,
    tcp,
    withEdns,
    translated: () => questions.translated(),
    async large(family) {
      if ((await tcp(family)) !== 'true' || !notes.mayAsk()) return 'unsure';
      const options = { transport: 'tcp', dnssecOk: true } as const;
      const answer = await wire.askServer(questions.living(family) ?? '', { name: '', type: 'ANY' }, options);
      if (answer.kind === 'failure') return answer.code === 'tcp-failed' ? 'fails' : 'unsure';
      return answer.sizeBytes > largeBytes ? 'works' : 'unsure';
    },
    async hasInterceptor() {
      const isLate = wire.now() - askedSilentAt > silentEveryMs;
      if (!isLate || !(await wire.hasRoute(4)) || !notes.mayAsk()) return false;
      askedSilentAt = wire.now();
      const answer = await wire.askServer(silentAddress, { name: '', type: 'NS' }, { transport: 'udp' });
      return answer.kind === 'answer';
    },
  };
}

const silentEveryMs = 3_600_000;

/** More than fits into a packet of a usual link, so that the answer has one of the full size. */
const largeBytes = 1460;

/** The listed ones nearly always answer within this time: then nobody else is asked. */
const listedMs = 600;

function openRootQuestions(wire: ControlWire, notes: ControlNotes) {
  const list = openRootList(wire, notes);
  const shared = openShared<RootAnswer>(wire.now);
  /** Those that answered last. */
  const living = new Map<Family, string>();
  const askAll = (addresses: readonly string[], wish: RootWish): Promise<RootAnswer> =>
    firstTrue(
      addresses.map(async (address) => {
        const answer = await askRoot(wire, notes, address, wish);
        if (answer === 'true') living.set(wish.family, address);
        return answer;
      }),
    );
  const askOneByOne = async (wish: RootWish): Promise<RootAnswer> => {
    // What one of them fails at, another may not.
    const known = living.get(wish.family);
    const listed = list.listed(wish.family).filter((one) => one !== known);
    const [first = '', ...rest] = known === undefined ? listed : [known, ...listed.slice(0, 1)];
    const sooner = askAll([first], wish);
    const early = await Promise.race([sooner, delay(listedMs, undefined, { ref: false })]);
    if (early === 'true' || early === 'other') return early;
    const named = list
      .others(wish.family)
      .then((all) => askAll(all.filter((one) => one !== known).slice(0, 1), wish));
    // Without EDNS it is asked beside: one of each kind is enough.
    const others = wish.transport === 'udp' && !wish.edns ? [] : rest;
    return firstTrue([sooner, askAll(others, wish), named]);
  };
  return {
    async translated(): Promise<RootAnswer> {
      const prefix = notes.nat64();
      return prefix === undefined
        ? 'no-route'
        : shared(`translated ${prefix}`, async () => {
            const named = (await list.others(4)).slice(0, 1);
            return askTranslated(wire, notes, [...named, ...list.listed(4)].slice(0, 2), prefix);
          });
    },
    living: (family: Family) => living.get(family),
    async ask(wish: RootWish): Promise<RootAnswer> {
      if (!(await wire.hasRoute(wish.family))) return 'no-route';
      return shared(`${wish.family} ${wish.transport} ${wish.edns}`, () => askOneByOne(wish));
    },
  };
}

async function askTranslated(
  wire: ControlWire,
  notes: ControlNotes,
  addresses: readonly string[],
  prefix: string,
): Promise<RootAnswer> {
  const wish = { family: 6, transport: 'udp', edns: true } as const;
  const answers = await Promise.all(
    addresses.map((address) => askServer(wire, notes, throughNat64(address, prefix), wish)),
  );
  const said = bestOf(answers);
  if (said === 'true') notes.works('nat64');
  return said;
}

/** The truth as soon as one of them tells it, else the best of all. */
async function firstTrue(asked: readonly Promise<RootAnswer>[]): Promise<RootAnswer> {
  const isTrue = Promise.withResolvers<RootAnswer>();
  for (const one of asked) void one.then((answer) => answer === 'true' && isTrue.resolve(answer));
  return Promise.race([isTrue.promise, Promise.all(asked).then(bestOf)]);
}

/** Somebody in between answers for all. */
function bestOf(answers: readonly RootAnswer[]): RootAnswer {
  const best = (['true', 'other', 'silent'] as const).find((one) => answers.includes(one));
  return best ?? 'not-asked';
}

async function askServer(
  wire: ControlWire,
  notes: ControlNotes,
  address: string,
  { transport, edns }: RootWish,
): Promise<RootAnswer> {
  if (!notes.mayAsk()) return 'not-asked';
  const answer = await wire.askServer(address, { name: '', type: 'NS' }, { transport, edns });
  if (answer.kind === 'failure') return 'silent';
  return answer.flags.aa && !answer.flags.ra ? 'true' : 'other';
}

async function askRoot(
  wire: ControlWire,
  notes: ControlNotes,
  address: string,
  wish: RootWish,
): Promise<RootAnswer> {
  const answer = await askServer(wire, notes, address, wish);
  if (answer !== 'true') return answer;
  const { family, transport, edns } = wish;
  notes.works(familyKind(family));
  if (transport === 'tcp') {
    notes.works(`dns-tcp/${family}`);
    notes.works(`tcp/${family}`);
  } else {
    notes.works(`dns-direct/${family}`);
    if (edns) notes.works(`edns/${family}`);
  }
  return 'true';
}

/** Which root servers to ask: two of the list, and one that the resolver names, which may be that of a lab. */
function openRootList(wire: ControlWire, notes: ControlNotes) {
  // What is short needs no EDNS, which some networks drop.
  const plain = { edns: false };
  const first = randomBytes(1)[0] ?? 0;
  const shared = openShared<readonly string[]>(wire.now);
  const found = new Map<Family, readonly string[]>();
  const listed = (family: Family) => {
    const all: readonly string[] = rootServers[family];
    return [first, first + 5].flatMap((at) => all[at % all.length] ?? []);
  };
  const names = () =>
    shared('names', async () => {
      if (!notes.mayAsk()) return [];
      return textsIn(await wire.askResolver({ name: '', type: 'NS' }, plain), 'NS').slice(0, 1);
    });
  const named = async (family: Family): Promise<readonly string[]> => {
    const type = family === 4 ? 'A' : 'AAAA';
    const all = (await names()).map(async (name) =>
      notes.mayAsk() ? textsIn(await wire.askResolver({ name, type }, plain), type).slice(0, 1) : [],
    );
    return (await Promise.all(all)).flat();
  };
  return {
    listed,
    async others(family: Family): Promise<readonly string[]> {
      const known = found.get(family) ?? (await shared(`${family}`, () => named(family)));
      if (known.length > 0) found.set(family, known);
      return known.filter((one) => !listed(family).includes(one));
    },
  };
}
