import { expect, test } from 'vitest';
import { makeFindCheck } from '../../../worker/checks/registry.ts';
import { readPreloadFile } from '../../../worker/web/preload-list.ts';

const text = `// Copyright of somebody
{
  // "entries" follow "pinsets".
  "pinsets": [ { "name": "test" } ],
  "entries": [
    // A comment with "quotes" in it
    { "name": "Whole.test", "policy": "bulk-1-year", "mode": "force-https", "include_subdomains": true },
    { "name": "alone.test", "policy": "custom", "mode": "force-https" },
    { "name": "pinned.test", "policy": "custom", "include_subdomains": true, "pins": "test" },
    { "name": "http://slashes.test//", "policy": "custom", "mode": "force-https" }
  ]
}`;

test.for([
  ['whole.test', 'listed'],
  ['a.b.whole.test', 'listed'],
  ['alone.test', 'listed'],
  ['www.alone.test', 'not-listed'],
  ['pinned.test', 'not-listed'],
  ['other.test', 'not-listed'],
  ['any.dev', 'listed'],
] as const)('%s is %s', ([host, state]) => {
  expect(readPreloadFile(text)(host)).toBe(state);
});

test.for(['', '[]', '{}', '{"entries": []}', '{"entries": [{"name": "a.test"}]}', '<!doctype html>'])(
  'a file that is no list is refused: %j',
  (other) => {
    expect(() => readPreloadFile(other)).toThrow(/preload list|JSON/);
  },
);

test('the check with a list keeps its promise', async () => {
  const check = await makeFindCheck(text)('security-header-check');
  expect(check?.spec.name).toBe('security-header-check');
  expect(() => makeFindCheck('{}')).toThrow(/preload list/);
});
