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
