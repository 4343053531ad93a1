import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { siteOf } from '#shared/targets/parse-target';
import type {
  ControlHost,
  ControlNotes,
  ControlSubject,
  ControlWire,
  HttpsOutcome,
  Outcome,
} from './port.ts';
import { openShared } from './share.ts';
import { type Family, familyKind } from './ways.ts';

/** What https hosts of unrelated operators tell. */
export type HttpsControls = {
  /** What came of the first that was secured, or of two that failed alike; `unknown` where fewer than two could be asked. */
  look(about: ControlSubject, family: Family): Promise<HttpsOutcome['kind']>;
  /** Whether their certificates lead to public roots. */
  trust(about: ControlSubject): Promise<Outcome>;
  /** What the clocks of two of them have more than ours, ms; undefined where two that agree could not be asked. */
  clock(): Promise<number | undefined>;
};

/** So many of them are asked at most, of which two have to fail alike. */
const mostAsked = 3;
/** After so long without an answer the next is asked beside. */
const hedgeMs = 800;
/** Two clocks that are right differ by less; so does ours where it is right. */
export const clockToleranceMs = 60_000;

type Observation = { readonly from: ControlHost; readonly seen: HttpsOutcome };

/** Opens them. */
export function openHttpsControls(wire: ControlWire, notes: ControlNotes): HttpsControls {
  const shared = openShared<HttpsOutcome>(wire.now);
  const start = randomInt(1000);
  // Where a target failed, a handshake tells enough.
  const asksDate = notes.purpose === 'survey';
  const see = async (from: ControlHost, family: Family): Promise<HttpsOutcome> =>
    shared(`${from.host} ${family}`, async () => {
      if (!notes.mayAsk()) return { kind: 'unknown' };
      const seen = await wire.lookAtHttps(from, family, asksDate);
      if (seen.kind !== 'secured') return seen;
      for (const way of ['https', 'large-packets', 'tcp'] as const) notes.works(`${way}/${family}`);
      notes.works(familyKind(family));
      if (seen.isPublic) notes.works('tls');
      return seen;
    });
  const hostsFor = (about: ControlSubject) => inTurn(start, wire, about);
  return {
    async look(about, family) {
      if (!(await wire.hasRoute(family))) return 'unknown';
      const sights = await askInTurn(hostsFor(about), (from) => see(from, family), isTold);
      return sights.map(({ seen }) => seen.kind).includes('secured')
        ? 'secured'
        : (agreed(sights) ?? 'unknown');
    },
    async trust(about) {
      const family = (await wire.hasRoute(4)) ? 4 : 6;
      const isOdd = ({ from, seen }: Observation) =>
        seen.kind === 'secured' && seen.isStrange && !(seen.isKnown && from.isNamed);
      const isTrue = ({ seen }: Observation) => seen.kind === 'secured' && seen.isPublic;
      const isEnough = (sights: readonly Observation[]) =>
        sights.some(isTrue) || sights.filter(isOdd).length > 1;
      const sights = await askInTurn(hostsFor(about), (from) => see(from, family), isEnough);
      if (sights.some(isTrue)) return 'works';
      return sights.filter(isOdd).length > 1 ? 'fails' : 'unsure';
    },
    async clock() {
      const family = (await wire.hasRoute(4)) ? 4 : 6;
      const aheadOf = (sights: readonly Observation[]) =>
        sights.flatMap(({ seen }) =>
          seen.kind === 'secured' && seen.aheadMs !== undefined ? seen.aheadMs : [],
        );
      const both = (sights: readonly Observation[]) => agreeing(aheadOf(sights)) !== undefined;
      return agreeing(aheadOf(await askInTurn(hostsFor({}), (from) => see(from, family), both)));
    },
  };
}

/** Asks one after the other, the next where one fails or is late, until `isEnough`. */
async function askInTurn(
  hosts: readonly ControlHost[],
  look: (from: ControlHost) => Promise<HttpsOutcome>,
  isEnough: (sights: readonly Observation[]) => boolean,
): Promise<readonly Observation[]> {
  const sights: Observation[] = [];
  const pending: Promise<unknown>[] = [];
  for (const from of hosts) {
    if (pending.length - sights.filter(isAbsent).length >= mostAsked) break;
    const sight = look(from).then((seen) => void sights.push({ from, seen }));
    pending.push(sight);
    await Promise.race([sight, delay(hedgeMs, undefined, { ref: false })]);
    if (isEnough(sights)) return [...sights];
  }
  for (const one of pending) {
    await one;
    if (isEnough(sights)) break;
  }
  return [...sights];
}

/** The smaller of two differences that agree. */
function agreeing(all: readonly number[]): number | undefined {
  const sorted = all.toSorted((a, b) => Math.abs(a) - Math.abs(b));
  return sorted.find((one, at) =>
    sorted.some((other, place) => place > at && Math.abs(one - other) <= clockToleranceMs),
  );
}

function isTold(sights: readonly Observation[]): boolean {
  return sights.some(({ seen }) => seen.kind === 'secured') || agreed(sights) !== undefined;
}

function isAbsent({ seen }: Observation): boolean {
  return seen.kind === 'unknown' && seen.isAbsent === true;
}

/** How two failed alike. */
function agreed(sights: readonly Observation[]): 'silent' | 'not-connected' | undefined {
  const kinds = sights.map(({ seen }) => seen.kind);
  return (['silent', 'not-connected'] as const).find(
    (kind) => kinds.filter((one) => one === kind).length > 1,
  );
}

/** One host of each operator, the operator's own first; neither the target's own nor those of its registry. */
function inTurn(start: number, wire: ControlWire, { host }: ControlSubject): readonly ControlHost[] {
  const shunned = host === undefined ? [] : [siteOf(host), ...wire.registriesOf(host)];
  const isFree = ({ host: one }: ControlHost) => !shunned.includes(siteOf(one));
  const named = wire.controlHosts.filter(({ isNamed }) => isNamed);
  const listed = wire.controlHosts.filter(({ isNamed }) => !isNamed);
  const at = listed.length === 0 ? 0 : start % listed.length;
  const all = [...named, ...listed.slice(at), ...listed.slice(0, at)].filter(isFree);
  return all.filter(({ operator }, place) => all.findIndex((one) => one.operator === operator) === place);
}
