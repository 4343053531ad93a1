import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { slopePerHour, tableOf } from '../../../bench/soak-samples.ts';
import { hasMongo } from '../../kit/mongo.ts';
import { hasRedis } from '../../kit/redis.ts';

const samples = [100, 90, 10, 20, 30].map((value, index) => ({ minute: index * 6, values: { keys: value } }));

test('growth is the slope of the later half, per hour', () => {
  expect(slopePerHour(samples, 'keys')).toBeCloseTo(100);
  expect(slopePerHour(samples.slice(0, 1), 'keys')).toBe(0);
});

test('the table has the first, the middle and the last value', () => {
  expect(tableOf(samples)).toContain('| keys | 100 | 10 | 30 | 100 |');
});

test.skipIf(!hasRedis || !hasMongo)(
  'a soak of six seconds meets all faults, loses nothing and stores nothing twice',
  async () => {
    // It ends with 1, and this rejects, where a check was lost or stored twice.
    const { stdout } = await promisify(execFile)(process.execPath, ['bench/soak.ts'], {
      env: { ...process.env, SOAK_MINUTES: '0.1' },
    });
    expect(stdout).toMatch(/requests accepted 17, answered 17, lost 0, duplicated 0; reports stored 17/);
    expect(stdout).toContain('"worker killed":2,"Redis frozen":1,"store frozen":1');
    expect(stdout).toMatch(/^\| worker 2 RSS MB \|/m);
  },
  120_000,
);
