import { expect, test } from 'vitest';
import { tryBrowser } from '../../../worker/probes/browser/try-browser.ts';

test('the browser that loads pages is found to work, in a few seconds', { timeout: 60_000 }, async () => {
  const start = performance.now();
  const fault = await tryBrowser(
    { path: process.env['BROWSER_PATH'], folder: 'data' },
    { noSandbox: false, startMs: 20_000, signal: new AbortController().signal },
  );
  expect(fault).toBeUndefined();
  expect(performance.now() - start).toBeLessThan(15_000);
});
