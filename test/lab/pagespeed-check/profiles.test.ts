import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { profilePrefix, sweepProfiles } from '../../../worker/probes/browser/profiles.ts';

test('profiles that killed workers left are removed, those of running browsers and all else stay', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'diag-'));
  const now = Date.now();
  const make = (name: string, ageMs: number) => {
    const path = join(folder, name);
    mkdirSync(path);
    writeFileSync(join(path, 'Cookies'), 'x');
    utimesSync(path, new Date(now - ageMs), new Date(now - ageMs));
    return path;
  };
  const old = make(`${profilePrefix}aaaaaa`, 3_600_000);
  const running = make(`${profilePrefix}bbbbbb`, 60_000);
  const others = make('somebody-elses', 3_600_000);
  expect(await sweepProfiles(now, [folder, folder, join(folder, 'missing')])).toBe(1);
  expect([old, running, others].map(existsSync)).toEqual([false, true, true]);
  rmSync(folder, { recursive: true });
});
