import { expect, test } from 'vitest';
import { failureKinds, isKeptBack, kindOfFailure } from '#shared/model/failure';
import { failureCodes } from '#shared/model/failure';

test('each failure of a probe has a kind', () => {
  expect(Object.keys(failureKinds).toSorted()).toEqual(failureCodes.toSorted());
});

test('a timeout and a resolver that fails prove nothing of the target', () => {
  const uncertain = failureCodes.filter((code) => kindOfFailure(code) === 'uncertain');
  expect(uncertain).toEqual([
    'name-unresolved',
    'connection-timeout',
    'network-unreachable',
    'tls-timeout',
    'response-timeout',
    'headers-too-large',
    'malformed-response',
    'not-from-here',
    'budget-spent',
  ]);
});

test('only what the guard or the policy stops was never asked', () => {
  expect(failureCodes.filter(isKeptBack)).toEqual(['target-address-not-allowed', 'target-not-allowed']);
});

test('nothing is concluded from a code that this version does not know', () => {
  expect(['teapot', 'constructor', ''].map(kindOfFailure)).toEqual(['uncertain', 'uncertain', 'uncertain']);
});
