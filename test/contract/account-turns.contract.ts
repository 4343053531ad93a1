import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { AccountTurns } from '#shared/ports/account-turns';

/** What the turns of accounts promise. @param open opens the view of one process */
export function accountTurnsContract(open: () => Promise<readonly AccountTurns[]>): void {
  test('of one account there is one turn at a time, over all processes; others do not wait, and a turn that fails ends', async () => {
    const processes = await open();
    let inside = 0;
    let most = 0;
    const take = async (at: number) =>
      processes[at % processes.length]?.take('one', async () => {
        inside += 1;
        most = Math.max(most, inside);
        await delay(2);
        inside -= 1;
        if (at % 3 === 0) throw new Error('it failed');
        return at;
      });
    const ended = await Promise.allSettled(Array.from({ length: 20 }, (_, at) => take(at)));
    expect(most).toBe(1);
    expect(ended.filter(({ status }) => status === 'rejected')).toHaveLength(7);
    let isOver = false;
    const first = processes[0]?.take('one', () => delay(100)).then(() => (isOver = true));
    await processes.at(-1)?.take('two', async () => expect(isOver).toBe(false));
    await first;
    for (const one of processes) await one.close();
  });
}
