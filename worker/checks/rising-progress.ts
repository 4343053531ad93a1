import type { Progress } from '#shared/ports/job-queue';

/**
 * Tells progress so that its share never falls. A run learns of questions while it asks, so that 119 of 126 may become 127 of 139: then as many are
 * told as done as keep the share.
 */
export function risingProgress(tell: (progress: Progress) => void): (progress: Progress) => void {
  let best = 0;
  return (progress) => {
    const total = Math.max(1, progress.total);
    const share = Math.min(1, progress.done / total);
    const done = share >= best ? progress.done : Math.min(total, Math.ceil(best * total));
    best = Math.max(best, Math.min(1, done / total));
    tell({ ...progress, done });
  };
}
