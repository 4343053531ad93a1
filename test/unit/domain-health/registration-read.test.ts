import { expect, test } from 'vitest';
import { readRegistration } from '#shared/health/registration/read';
import type { Report } from '#shared/model/report';
import { registered } from './registration-cases.ts';

const stored = (registration: unknown) => ({ registration }) as unknown as Report;

test('an account with a cache of its own is not told when others asked', () => {
  expect(readRegistration('a.test', stored(registered), false)).toEqual(registered);
  expect(readRegistration('a.test', stored(registered), true)).toEqual({ ...registered, askedAt: null });
});

test('what is not there, or of another shape, is unknown', () => {
  for (const report of [undefined, stored(undefined), stored({ state: 'well' })])
    expect(readRegistration('www.a.test', report, false)).toMatchObject({
      state: 'unknown',
      name: 'a.test',
      reason: 'its registry was not asked in time',
    });
});

test('a public suffix has no registration', () => {
  expect(readRegistration('co.uk', stored(registered), false)).toMatchObject({
    state: 'unknown',
    name: null,
  });
});
