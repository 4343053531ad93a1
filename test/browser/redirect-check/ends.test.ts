import { expect, test } from 'vitest';
import { allKinds } from '../../lab/redirect-check/ends/all-kinds.ts';
import { agree, showEnd } from '../../lab/redirect-check/ends/compare.ts';
import { walkKinds } from '../../lab/redirect-check/ends/walkers.ts';

/** A walk takes a second: LONG=1 takes all kinds, else every fifth. */
const step = process.env['LONG'] === undefined ? 5 : 1;
const kinds = allKinds.filter((_, at) => at % step === 0);

// `node test/lab/redirect-check/against-chromium.ts` prints all ends, curl's too.
test('redirect-check ends where Chromium ends, or says why not', async () => {
  const apart: string[] = [];
  await walkKinds(kinds, ({ kind, chromium, ours }) => {
    if (!agree(chromium, ours) && kind.meant === undefined)
      apart.push(`${kind.what}: Chromium ${showEnd(chromium, kind)}, we ${showEnd(ours, kind)}`);
  });
  expect(apart).toEqual([]);
}, 600_000);
