import { openRunningWindows } from '../../limits/rates/windows.ts';
import type { Points } from './messages.ts';
import { openOutbox } from './outbox.ts';

/** The sum over all children. */
export type Sums = {
  add(points: readonly Points[]): void;
  /** What each key has spent in all: for a child that has heard of none. */
  all(): readonly Points[];
};

/**
 * Opens the sums.
 * @param tellAll is given what keys have spent in all, at most each 25 ms
 */
export function openSums(tellAll: (spent: readonly Points[]) => void): Sums {
  const windows = openRunningWindows();
  const changed = openOutbox((points, onWritten) => {
    tellAll(
      points.flatMap(([key]): Points[] => {
        const window = windows.find(key);
        return window ? [[key, window.spent, window.endsAt]] : [];
      }),
    );
    onWritten();
  });
  return {
    all: () => windows.entries().map(([key, { spent, endsAt }]): Points => [key, spent, endsAt]),
    add(points) {
      for (const [key, more, endsAt] of points) {
        // Two children that open a window at once get the same one, that of the first.
        const known = windows.find(key);
        const window = known ?? { spent: 0, endsAt };
        window.spent = Math.max(0, window.spent + more);
        if (!known) windows.set(key, window);
        changed.add(key, more, window.endsAt);
      }
    },
  };
}
