import { describe, expect, test } from 'vitest';
import { readConfig } from '#shared/settings/config';
import { ownCacheContract } from './own-cache.contract.ts';

describe('one process', () => {
  ownCacheContract(async () => ({ settings: {}, stop: async () => undefined }));
});

test('own in open mode is refused by name, beside every other bad setting', () => {
  expect(() => readConfig({ ACCOUNT_CACHE: 'own', PORT: 'x' })).toThrow(/PORT: [^]*ACCOUNT_CACHE: own needs/);
  expect(() => readConfig({ ACCOUNT_CACHE: 'mine' })).toThrow(/ACCOUNT_CACHE/);
  expect(readConfig({ ACCOUNT_CACHE: 'own', AUTH_MODE: 'token' }).ACCOUNT_CACHE).toBe('own');
});
