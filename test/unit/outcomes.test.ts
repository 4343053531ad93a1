import { expect, test } from 'vitest';
import { openOutcomes } from '#shared/telemetry/outcomes';

type Step = 'works' | 'fails' | 'a second passes';
const times = (count: number, step: Step) => Array.from({ length: count }, () => step);

const cases: readonly { readonly name: string; readonly steps: readonly Step[]; readonly fault: string }[] = [
  { name: 'nothing was asked', steps: [], fault: 'none' },
  { name: 'two failures may be chance', steps: times(2, 'fails'), fault: 'none' },
  { name: 'three failures and nothing else', steps: times(3, 'fails'), fault: '3 of 3' },
  { name: 'most failed', steps: [...times(3, 'works'), ...times(4, 'fails')], fault: '4 of 7' },
  { name: 'most worked', steps: [...times(4, 'works'), ...times(3, 'fails')], fault: 'none' },
  { name: 'five in a row end it', steps: [...times(50, 'fails'), ...times(5, 'works')], fault: 'none' },
  { name: 'four in a row do not', steps: [...times(50, 'fails'), ...times(4, 'works')], fault: '50 of 54' },
  {
    name: 'what is older than ten seconds is forgotten',
    steps: [...times(50, 'fails'), ...times(11, 'a second passes')],
    fault: 'none',
  },
  {
    name: 'what is younger is counted together',
    steps: [...times(2, 'fails'), ...times(5, 'a second passes'), ...times(2, 'fails')],
    fault: '4 of 4',
  },
];

test.for(cases)('$name', ({ steps, fault: expected }) => {
  let now = 1000;
  const outcomes = openOutcomes(() => now);
  const acts = {
    works: () => outcomes.worked(),
    fails: () => outcomes.failed(new Error('away')),
    'a second passes': () => {
      now += 1000;
    },
  };
  for (const step of steps) acts[step]();
  const fault = outcomes.fault();
  expect(fault ? `${fault.failed} of ${fault.all}` : 'none').toBe(expected);
});

test('it is known when a call worked last, and when one failed', () => {
  let now = 1000;
  const outcomes = openOutcomes(() => now);
  expect([outcomes.lastWorkedAt(), outcomes.lastFailedAt()]).toEqual([-Infinity, -Infinity]);
  outcomes.worked();
  now = 2000;
  outcomes.failed(new Error('away'));
  expect([outcomes.lastWorkedAt(), outcomes.lastFailedAt()]).toEqual([1000, 2000]);
});
