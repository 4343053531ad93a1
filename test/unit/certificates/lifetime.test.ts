import { expect, test } from 'vitest';
import { renewalMarginMs } from '#shared/model/lifetime';
import { urgentMarginMs } from '#shared/model/lifetime';

const dayMs = 86_400_000;
const lasting = (days: number) => ({ notBefore: 0, notAfter: days * dayMs - 1000 });

test.for([
  [397, 30, 3],
  [200, 30, 3],
  [199, 30, 3],
  [90, 30, 3],
  [89, 29.67, 3],
  [47, 15.67, 3],
  [10, 3.33, 3],
  [9, 2.25, 1.13],
  [6, 1.5, 0.75],
  [1, 0.25, 0.13],
] as const)('a certificate of %d days is due with %d days left and urgent with %d', ([life, due, urgent]) => {
  const days = (ms: number) => Math.round((100 * ms) / dayMs) / 100;
  expect(days(renewalMarginMs(lasting(life)))).toBe(due);
  expect(days(urgentMarginMs(lasting(life)))).toBe(urgent);
});

test('what is urgent has been due before', () => {
  for (let life = 1; life < 400; life += 1)
    expect(urgentMarginMs(lasting(life))).toBeLessThan(renewalMarginMs(lasting(life)));
});
