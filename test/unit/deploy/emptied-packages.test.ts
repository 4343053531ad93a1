import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

type Locked = { readonly name?: string; readonly resolved?: string; readonly integrity?: string };
type Overrides = { readonly [name: string]: string | Overrides };

const read = (path: string) => JSON.parse(readFileSync(path, 'utf8')) as unknown;
const { overrides } = read('package.json') as { overrides: Overrides };
const { packages } = read('package-lock.json') as { packages: Readonly<Record<string, Locked>> };

function findEmptied(some: Overrides): readonly string[] {
  return Object.entries(some).flatMap(([name, one]) =>
    typeof one === 'object' ? findEmptied(one) : one.startsWith('file:') ? [name] : [],
  );
}

const nameAt = (path: string) => path.replace(/^.*node_modules\//, '');
const replaced = Object.entries(packages).filter(
  ([path, { name }]) => path !== '' && name !== undefined && name !== nameAt(path),
);

test('what stands in for another package is the empty one of this repository', () => {
  for (const [path, { name, resolved }] of replaced)
    expect([path, name, resolved]).toEqual([path, 'diagnostic-tools-empty', 'file:deploy/image/empty']);
});

test('package.json names every package that the lock file has emptied, or npm would bring it back', () => {
  const locked = new Set(replaced.map(([path]) => nameAt(path)));
  expect([...locked].toSorted()).toEqual([...new Set(findEmptied(overrides))].toSorted());
});
