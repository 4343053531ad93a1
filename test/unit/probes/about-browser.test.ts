import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ageInDays, bundledBuiltOn } from '../../../worker/probes/browser/about.ts';

test('the day of the bundled browser is that of the version that is installed', () => {
  const manifest = new URL('../../../package.json', import.meta.url);
  const { dependencies } = JSON.parse(readFileSync(manifest, 'utf8')) as {
    dependencies: Record<string, string>;
  };
  expect(dependencies['@sparticuz/chromium']).toBe(bundledBuiltOn.version);
});

test('the age is counted in whole days; without a day there is none', () => {
  const about = { product: 'Chrome/1', source: 'configured' as const, builtOn: '2026-09-11' };
  expect(ageInDays(about, Date.parse('2026-09-13T23:00:00Z'))).toBe(2);
  expect(ageInDays({ ...about, builtOn: null }, Date.now())).toBeNull();
});
