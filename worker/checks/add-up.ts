import type { PartProgress, Progress } from '#shared/ports/job-queue';

type TellProgress = (progress: Progress) => void;

/** What each task counts for, in the sum. */
const share = 100;

/** Tasks whose progress is added up. */
export type Tasks<Task> = {
  /** The teller of a task: how far it is, by its own measure. */
  readonly tell: (task: Task) => TellProgress;
  /** A task has ended, with the stored report that it gave. */
  readonly end: (task: Task, state: 'done' | 'failed', reportId?: string) => void;
};

type TaskState = { percent: number; state: PartProgress['state'] };

/**
 * Adds up the progress of tasks. Each counts the same, however many questions it turns out to have, so that the sum never falls.
 * @param nameOf the part that a task belongs to; a part with several tasks runs until all have ended
 */
export function addUp<Task>(
  tell: TellProgress,
  tasks: readonly Task[],
  nameOf: (task: Task) => string,
): Tasks<Task> {
  const standings = new Map<Task, TaskState>(tasks.map((task) => [task, { percent: 0, state: 'waiting' }]));
  const names = [...new Set(tasks.map(nameOf))];
  const reports: string[] = [];
  const partOf = (name: string): PartProgress => {
    const states = tasks.filter((task) => nameOf(task) === name).map((task) => standings.get(task)?.state);
    return { name, state: joinStates(states.filter((state) => state !== undefined)) };
  };
  const sum = (current: string): Progress => ({
    done: [...standings.values()].reduce((total, { percent }) => total + percent, 0),
    total: share * tasks.length,
    current,
    parts: names.map(partOf),
    ...(reports.length > 0 ? { reports: [...reports] } : {}),
  });
  return {
    tell:
      (task) =>
      ({ done, total, current }) => {
        const standing = standings.get(task);
        if (!standing || standing.state === 'done' || standing.state === 'failed') return;
        const percent = Math.floor((share * Math.min(done, total)) / Math.max(1, total));
        standing.percent = Math.max(standing.percent, percent);
        standing.state = 'running';
        tell(sum(current));
      },
    end(task, state, reportId) {
      if (reportId !== undefined) reports.push(reportId);
      standings.set(task, { percent: share, state });
      tell(sum(nameOf(task)));
    },
  };
}

function joinStates(states: readonly PartProgress['state'][]): PartProgress['state'] {
  const isEnded = (state: PartProgress['state']) => state === 'done' || state === 'failed';
  if (states.every(isEnded)) return states.includes('failed') ? 'failed' : 'done';
  return states.every((state) => state === 'waiting') ? 'waiting' : 'running';
}
