import { expect, test } from 'vitest';
import { goodZone } from './domains.ts';
import { codesIn, openHealthLab, standing } from './kit.ts';
import { goodSite } from './sites.ts';

test.for([
  ['no worker takes page loads', { WORKER_QUEUES: 'network' }],
  [
    'the browser is not where the settings say',
    { WORKER_QUEUES: 'network,browser', BROWSER_PATH: '/nowhere/chromium' },
  ],
] as const)('where %s, performance is unavailable at once and the rest is judged', async ([, settings]) => {
  const lab = await openHealthLab({ sites: goodSite('good.test'), zones: goodZone('good.test'), settings });
  const report = await lab.health('good.test');
  await lab.close();
  expect(standing(report)).toEqual({
    dns: 'ok',
    ssl: 'ok',
    headers: 'ok',
    performance: 'unavailable',
    mail: 'ok',
  });
  // As it is known before the page load is asked for, or by its report.
  const reason: unknown = expect.stringMatching(/no (?:working )?browser/);
  expect(report.categories.performance).toMatchObject({ score: null, grade: null, reason });
  expect([report.state, report.coverage]).toEqual(['partial', 0.85]);
  expect(codesIn(report)).toContain('coverage-incomplete');
  // Far from the minute that a page load may take.
  expect(report.durationMs).toBeLessThan(20_000);
  expect(Date.parse(report.freshUntil) - Date.parse(report.checkedAt)).toBe(60_000);
});
