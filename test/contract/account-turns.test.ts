import { describe } from 'vitest';
import { openMemoryAccountTurns } from '#shared/stores/account-turns/memory';
import { accountTurnsContract } from './account-turns.contract.ts';

describe('turns of accounts in memory', () => {
  accountTurnsContract(async () => [openMemoryAccountTurns()]);
});
