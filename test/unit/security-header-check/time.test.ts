import { expect, test } from 'vitest';
import { cases, shareOf, timesOf } from './time-analysis.ts';

// The budgets are 1 ms and 5 ms on a quiet machine; here only a change of order is caught.
test.for(cases)('%s is not an order of magnitude beyond its budget', ([, run]) => {
  expect(shareOf(timesOf(run, 60), 0.5)).toBeLessThan(25);
});
