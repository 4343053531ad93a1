import type { Progress } from '../../shared/job-queue/port.ts';

type Tell = (progress: Progress) => void;

/** Of work in parts that each count their own questions: makes each part's teller, and tells the sum. @param known parts that count before they begin */
export function addUp<Part>(tell: Tell, known: readonly Part[] = []): (part: Part) => Tell {
  const parts = new Map<Part, Progress>(known.map((part) => [part, { done: 0, total: 1, current: '' }]));
  return (part) => (progress) => {
    parts.set(part, progress);
    const all = [...parts.values()];
    const sum = (key: 'done' | 'total') => all.reduce((total, one) => total + one[key], 0);
    tell({ done: sum('done'), total: sum('total'), current: progress.current });
  };
}
