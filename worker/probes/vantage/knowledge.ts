import { setTimeout as delay } from 'node:timers/promises';
import { siteOf } from '#shared/targets/parse-target';
import { steadyNow } from '#shared/time/steady-time';
import {
  doSuspectsAgree,
  emptyMemory,
  isLackTrusted,
  noteAsked,
  noteLacks,
  noteSuspect,
  noteWorks,
  type Purpose,
  type VantageMemory,
  youngMs,
} from './memory.ts';
import type { Controls, ControlNotes, Outcome, Suspicion } from './port.ts';
import type { Way } from './ways.ts';

export type VantageSettings = {
  readonly controls: (notes: ControlNotes) => Controls;
  /** Whether an HTTP proxy is named in the environment. */
  readonly ignoresProxy: boolean;
  readonly tell?: ((memory: VantageMemory) => void) | undefined;
  readonly now?: () => number;
};

/** What is known, and the controls by which more is learnt. */
export type Knowledge = {
  readonly memory: () => VantageMemory;
  readonly change: (next: (memory: VantageMemory) => VantageMemory) => void;
  readonly controls: Controls;
  /** Asks a control; several at once ask one. */
  readonly ask: (way: Way, about?: Partial<Suspicion>) => Promise<Outcome>;
  /** All at once: each says what it needs of the others, and an answer serves all who ask for it. */
  readonly survey: () => Promise<void>;
  /** When a control last showed that it works, by the steady clock. */
  readonly provedAt: (way: Way) => number;
  /** Asks the resolver what it adds to answers, once an hour. */
  readonly learnTraits: () => Promise<void>;
  readonly learnNat64: () => Promise<void>;
  /** Asks controls for the time, unless they were within an hour. */
  readonly learnClock: () => Promise<void>;
  readonly now: () => number;
};

/** Opens it. */
export function openKnowledge({ controls: make, tell, now = steadyNow }: VantageSettings): Knowledge {
  let memory = emptyMemory;
  const change: Knowledge['change'] = (next) => {
    memory = next(memory);
    tell?.(memory);
  };
  const proved = new Map<Way, number>();
  const provedAt = (way: Way) => proved.get(way) ?? -Infinity;
  const works = (way: Way) => {
    proved.set(way, now());
    change((before) => noteWorks(before, way, now()));
  };
  const noting = { memory: () => memory, change, works, now };
  const ask = askOnce(async (from, way, about) => {
    const late = delay(controlMs, 'unsure' as const, { ref: false });
    const said = await Promise.race([from.ask(way, about), late]);
    if (said === 'works') works(way);
    // One that worked within a minute says more than those that fail.
    if (said === 'fails' && isYoung(way, now() - provedAt(way))) return 'works';
    if (said === 'fails') change((before) => noteLacks(before, way, now()));
    return said;
  });
  const surveying = make(openNotes(noting, 'survey'));
  const controls = make(openNotes(noting, 'failures'));
  return {
    memory: () => memory,
    change,
    controls,
    now,
    provedAt,
    // A clock is asked for by a request, which no failure of a target is answered with.
    ask: (way, about = {}) => ask(way === 'clock' ? surveying : controls, way, about),
    survey: async () => void (await Promise.all(surveying.surveyed.map((way) => ask(surveying, way, {})))),
    ...openLearning({
      surveying,
      memory: () => memory,
      now,
      provedAt,
      askClock: () => ask(surveying, 'clock', {}),
    }),
  };
}

type Noting = Pick<Knowledge, 'memory' | 'change' | 'now'> & Pick<ControlNotes, 'works'>;

function openNotes({ memory, change, works, now }: Noting, purpose: Purpose): ControlNotes {
  return {
    purpose,
    mayAsk() {
      const next = noteAsked(memory(), purpose, now());
      if (next) change(() => next);
      return next !== undefined;
    },
    works,
    nat64: () => memory().nat64?.[0],
    keepTraits: (traits) => change((before) => ({ ...before, ...traits })),
    keepClock: (clock) => change((before) => ({ ...before, clock })),
  };
}

type AskControl = (from: Controls, way: Way, about: Partial<Suspicion>) => Promise<Outcome>;

/** Several who ask at once ask once. */
function askOnce(askControl: AskControl): AskControl {
  const asking = new Map<Way, Promise<Outcome>>();
  return (from, way, about) => {
    const outcome = asking.get(way) ?? askControl(from, way, about).finally(() => asking.delete(way));
    asking.set(way, outcome);
    return outcome;
  };
}

type Learning = Pick<Knowledge, 'memory' | 'now' | 'provedAt'> & {
  readonly surveying: Controls;
  readonly askClock: () => Promise<unknown>;
};

/** What is asked for once an hour, and sooner where nobody answered. */
function openLearning({ surveying, memory, now, provedAt, askClock }: Learning) {
  const once = (learn: () => Promise<unknown>, everyMs: () => number) => {
    let last: { readonly at: number; readonly learnt: Promise<unknown> } | undefined;
    return async (): Promise<void> => {
      if (!last || now() - last.at > everyMs()) last = { at: now(), learnt: learn() };
      await last.learnt;
    };
  };
  const rewrites = once(
    () => surveying.learnRewrites(),
    () => hourMs,
  );
  const learnNat64 = once(
    () => surveying.learnNat64(),
    () => (memory().nat64 === null ? unknownMs : hourMs),
  );
  const clock = once(askClock, () => clockMs);
  // The steady clock cannot be set: where the other one was, what is known of it has ended.
  let betweenClocks = Date.now() - now();
  return {
    learnTraits: async () => void (await Promise.all([rewrites(), learnNat64()])),
    learnNat64,
    learnClock: async () => {
      const isMoved = Math.abs(Date.now() - now() - betweenClocks) > movedMs;
      betweenClocks = Date.now() - now();
      if (isMoved || now() - provedAt('clock') > hourMs) await clock();
    },
  };
}

const hourMs = 3_600_000;
/** What is not answered by then is as it was. */
const controlMs = 8000;

/** Whether what a control showed so long ago still speaks for today. The resolver is our own: it may be asked as often as it fails. */
function isYoung(way: Way, ms: number): boolean {
  return ms < (way === 'resolver' ? youngMs / 20 : youngMs);
}

/** What NTP corrects within an hour is less. */
const movedMs = 30_000;
/** Before clocks are asked again where they were wrong, or silent. */
const clockMs = 600_000;
/** Before what nobody answered is asked again. */
const unknownMs = 120_000;
/** Whose failure it was: the target's, ours, or the target's as nobody else of the kind could be asked. */
export async function judgeFailure(
  knowledge: Knowledge,
  way: Way,
  suspicion: Omit<Suspicion, 'ways'>,
): Promise<'ours' | 'theirs' | 'untried'> {
  const { memory, ask, provedAt, now } = knowledge;
  if ((memory().works[way] ?? -1) >= suspicion.since) return 'theirs';
  if (isLackTrusted(memory(), way, now())) return 'ours';
  if (isYoung(way, now() - provedAt(way))) return 'theirs';
  const said = await ask(way, suspicion);
  if (said !== 'unsure') return said === 'fails' ? 'ours' : 'theirs';
  if (memory().lacks[way] !== undefined) return 'ours';
  return doOthersFailAlike(knowledge, way, suspicion) ? 'ours' : 'untried';
}

/** Takes a failure down beside others for which there was no control; true where they agree that it is no target's. */
function doOthersFailAlike(
  { memory, change, controls, now }: Knowledge,
  way: Way,
  { host = '', address = '', sign = '', isEarly }: Omit<Suspicion, 'ways'>,
): boolean {
  if (isEarly || !controls.hasStandIn(way) || host === '' || host === address) return false;
  const failure = { way, site: siteOf(host), network: networkOf(address), sign, at: now() };
  change((before) => noteSuspect(before, failure));
  // Only failures are explained by it. It is no lack, for which others would not even be tried: targets teach none.
  return doSuspectsAgree(memory(), failure);
}

export async function isLacking({ memory, ask, now }: Knowledge, way: Way): Promise<boolean> {
  if (memory().lacks[way] === undefined) return false;
  if (isLackTrusted(memory(), way, now())) return true;
  // Where nobody can say, it is tried: what works ends the lack, and what fails is judged by a control of its own.
  return (await ask(way)) === 'fails';
}

/** Between two times at which it is told that something works: a busy worker sees hundreds in a second. */
const tellEveryMs = 1000;

export function noteWorked({ memory, change, now }: Knowledge, way: Way): void {
  const { works, lacks } = memory();
  const isNews = lacks[way] !== undefined || now() - (works[way] ?? -Infinity) > tellEveryMs;
  if (isNews) change((before) => noteWorks(before, way, now()));
  else (works as { [W in Way]?: number })[way] = now();
}

/** The /16 of an IPv4 address, the /32 of an IPv6 address. */
function networkOf(address: string): string {
  return address.includes(':')
    ? address.split(':').slice(0, 2).join(':')
    : address.split('.').slice(0, 2).join('.');
}
