/** The runs of this process that touch targets: who is beside whom, so that the loss of the process can be blamed on one of them. */
export type RunIsolation = {
  /**
   * Begins a run. One that must be alone waits until every other has ended, and keeps the others out; those that must be alone go first.
   * @param onCompany called at most once, before another run begins beside one that began alone; that one waits for it
   */
  enter(mustBeAlone: boolean, onCompany: () => Promise<void>): Promise<IsolatedRun>;
};

export type IsolatedRun = {
  /** No other run was there when this one began. */
  readonly isAlone: boolean;
  leave(): void;
};

type WaitingRun = { readonly mustBeAlone: boolean; readonly begin: () => void };

/** Opens it, without a run. */
export function openRunIsolation(): RunIsolation {
  const waiting: WaitingRun[] = [];
  let running = 0;
  let isLocked = false;
  let tellCompany: (() => Promise<void>) | undefined;

  const canBegin = (mustBeAlone: boolean) =>
    mustBeAlone ? running === 0 : !isLocked && !waiting.some((entry) => entry.mustBeAlone);
  const wake = () => {
    for (let next = findNext(waiting, canBegin); next; next = findNext(waiting, canBegin)) {
      waiting.splice(waiting.indexOf(next), 1);
      running += 1;
      if (next.mustBeAlone) isLocked = true;
      next.begin();
    }
  };
  const leave = () => {
    running -= 1;
    if (running === 0) {
      isLocked = false;
      tellCompany = undefined;
    }
    wake();
  };
  return {
    async enter(mustBeAlone, onCompany) {
      await new Promise<void>((begin) => {
        waiting.push({ mustBeAlone, begin });
        wake();
      });
      const isAlone = running === 1;
      const tell = tellCompany;
      tellCompany = isAlone ? onCompany : undefined;
      try {
        if (!isAlone) await tell?.();
      } catch (error) {
        leave();
        throw error;
      }
      return { isAlone, leave };
    },
  };
}

// The one that must be alone does not wait for others that came before it, only for those that run.
function findNext(
  waiting: readonly WaitingRun[],
  canBegin: (mustBeAlone: boolean) => boolean,
): WaitingRun | undefined {
  const first = waiting.find(({ mustBeAlone }) => mustBeAlone) ?? waiting[0];
  return first && canBegin(first.mustBeAlone) ? first : undefined;
}
