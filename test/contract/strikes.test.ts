import { describe, expect, test } from 'vitest';
import { openMemoryStrikes } from '#shared/limits/strikes/memory';
import { strikesContract } from './strikes.contract.ts';

const job = (caller: string, host: string) => ({ caller, host, jobId: `${caller} ${host}` });

describe('memory strikes', () => {
  strikesContract(async () => openMemoryStrikes());

  test('three are too many only within an hour, and a refusal ends after an hour', async () => {
    let now = 0;
    const strikes = openMemoryStrikes(() => now);
    const minute = 60_000;
    for (const at of [0, 40, 61]) {
      now = at * minute;
      await strikes.add(job('a', `${at}.test`));
    }
    expect(await strikes.look(job('a', 'b.test'))).toBeUndefined();
    now = 70 * minute;
    await strikes.add(job('a', '70.test'));
    expect(await strikes.look(job('a', 'b.test'))).toEqual({ who: 'caller', forS: 3600 });
    now = 130 * minute;
    expect(await strikes.look(job('a', 'b.test'))).toBeUndefined();
  });
});
