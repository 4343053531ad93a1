import { notStarted, type Progress } from '#shared/ports/job-queue';

type Tell = (progress: Progress) => void;

/** Adds up the progress of tasks that each count their own questions: gives each task its own teller, and tells the sum. @param known tasks that count before they begin */
export function addUp<Task>(tell: Tell, known: readonly Task[] = []): (task: Task) => Tell {
  const tasks = new Map<Task, Progress>(known.map((task) => [task, notStarted]));
  return (task) => (progress) => {
    tasks.set(task, progress);
    const all = [...tasks.values()];
    const sum = (key: 'done' | 'total') => all.reduce((total, one) => total + one[key], 0);
    tell({ done: sum('done'), total: sum('total'), current: progress.current });
  };
}
