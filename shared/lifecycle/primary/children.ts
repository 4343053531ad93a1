import type { Child, ChildPlace } from './child.ts';
import { occupyPlace, type Places } from './occupy-place.ts';

export type Children = {
  /** Starts the first, and once it is ready all others. Resolves with what they say of themselves when all are ready. */
  start(): Promise<readonly object[]>;
  /** The child of each place; undefined where another is about to be started. */
  all(): readonly (Child | undefined)[];
  /** Has all of them stop in order. Rejects where one did not end well, or not within `withinMs`: that one is killed. */
  stop(withinMs: number): Promise<void>;
  kill(): void;
};

export type ChildrenOptions = Omit<Places, 'living' | 'isStopping'>;

/** Opens the children of these places. None is started yet. */
export function openChildren(all: readonly ChildPlace[], options: ChildrenOptions): Children {
  let isStopping = false;
  const living = new Map<ChildPlace, Child>();
  const places: Places = { ...options, living, isStopping: () => isStopping };
  const occupy = (place: ChildPlace, isFirst: boolean) =>
    new Promise<object>((resolve, reject) => {
      occupyPlace(place, places, resolve, isFirst).catch(reject);
    });
  return {
    async start() {
      const [first, ...others] = all;
      if (!first) return [];
      const says = await occupy(first, true);
      return [says, ...(await Promise.all(others.map((place) => occupy(place, false))))];
    },
    all: () => all.map((place) => living.get(place)),
    stop(withinMs) {
      isStopping = true;
      return stopAll([...living.values()], withinMs);
    },
    kill() {
      isStopping = true;
      for (const child of living.values()) child.kill();
    },
  };
}

async function stopAll(children: readonly Child[], withinMs: number): Promise<void> {
  const late = setTimeout(() => {
    for (const child of children) child.kill();
  }, withinMs);
  const statuses = children.map(async (child) => {
    const wasReady = child.isReady();
    child.stop();
    const status = await child.ended;
    // One that was only starting was not asked to end in order.
    return wasReady ? status : 0;
  });
  const bad = (await Promise.all(statuses)).filter((status) => status !== 0);
  clearTimeout(late);
  if (bad.length > 0) throw new Error(`processes ended with ${bad.join(', ')}`);
}
