import { expect, test } from 'vitest';
import { readChoice } from '../../../worker/checks/pagespeed-check/facts/choice.ts';
import { ended, load, seen } from './evidence-kit.ts';

const scored = (score: number | null) => load({ page: { score } });
const died = ended({ kind: 'killed', why: 'deadline' });

test.for([
  { name: 'one run is single', runs: [scored(0.7)], chosen: 'single', score: 0.7, spread: null },
  {
    name: 'of three the middle one',
    runs: [scored(0.5), scored(0.9), scored(0.6)],
    chosen: 'median',
    score: 0.6,
    spread: 40,
  },
  {
    name: 'of two the lower one',
    runs: [scored(0.9), scored(0.5)],
    chosen: 'median',
    score: 0.5,
    spread: 40,
  },
  {
    name: 'equal runs have no spread',
    runs: [scored(0.9), scored(0.9)],
    chosen: 'median',
    score: 0.9,
    spread: 0,
  },
  {
    name: 'a run that failed is not chosen',
    runs: [scored(0.9), died],
    chosen: 'single',
    score: 0.9,
    spread: null,
  },
  { name: 'no run, no choice', runs: [died], chosen: 'none', score: undefined, spread: null },
])('$name', ({ runs, chosen, score, spread }) => {
  const choice = readChoice(seen(...runs));
  expect(choice.chosen).toBe(chosen);
  expect(choice.run?.end.page.score).toBe(score);
  expect(choice.spread).toBe(spread);
});

const timed = (fcp: number, interactiveMs: number, score: number) =>
  load({ metrics: { fcp: { value: fcp } }, page: { interactiveMs, score } });

// Worked out by hand after Lighthouse's computeMedianRun.
test.for([
  {
    name: 'of three the run nearest to both medians, whatever its score',
    runs: [timed(1000, 2000, 0.9), timed(1100, 2900, 0.6), timed(1900, 3000, 0.5)],
    chosen: 1,
  },
  {
    name: 'a run whose end is far out is not chosen for its first paint',
    runs: [timed(1000, 2000, 0.5), timed(1200, 9000, 0.6), timed(1300, 2100, 0.9)],
    chosen: 2,
  },
  {
    name: 'of two, which are equally near, that with the lower Time to Interactive',
    runs: [timed(1000, 3000, 0.4), timed(1200, 2000, 0.9)],
    chosen: 1,
  },
  {
    name: 'a run of an older version, without Time to Interactive: by score',
    runs: [scored(0.5), timed(1000, 2000, 0.9), timed(1100, 2100, 0.6)],
    chosen: 2,
  },
])('$name', ({ runs, chosen }) => {
  expect(readChoice(seen(...runs)).run).toBe(runs[chosen]);
});
