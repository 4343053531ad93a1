/** Bands of a metric, best first; the limits stand in each metric's `thresholds`. */
export const ratings = ['good', 'needs-improvement', 'poor'] as const;
export type Rating = (typeof ratings)[number];
