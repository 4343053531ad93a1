import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { byteReaders } from './byte-readers.ts';
import { containers } from './containers.ts';
import { readersOfOtherThings } from './listed.ts';
import { textReaders } from './text-readers.ts';

/** Exports of worker/, and of what it shares of reading, whose names say that they read. `worker/refresh` reads what a maintainer downloads; those of facts/ and facts.ts read evidence, which readers made. */
function namedReaders(): string[] {
  const files = globSync('{worker,shared/health,shared/catalogue/expiries}/**/*.ts', {
    exclude: ['worker/refresh/**'],
  });
  return files.flatMap((file) => {
    const declared = [
      ...readFileSync(file, 'utf8').matchAll(/^export (?:async )?(?:function|const) (\w+)/gm),
    ];
    return declared
      .map(([, name = '']) => name)
      .filter(
        (name) =>
          /^(?:parse|decode)[A-Z]/.test(name) ||
          (/^read[A-Z]/.test(name) && !/\/facts(?:\/|\.ts$)/.test(file)),
      );
  });
}

const measured = [...textReaders, ...byteReaders].map(({ name }) => name);
const others = Object.values(readersOfOtherThings).flat();

test('every reader is measured as it grows, or said to read nothing of a target', () => {
  const unknown = namedReaders().filter((name) => !measured.includes(name) && !others.includes(name));
  expect(
    unknown,
    'add it to text-readers.ts, byte-readers.ts or pages.test.ts with the bound of its container',
  ).toEqual([]);
});

test('nothing is listed that no longer exists, or twice', () => {
  const files = globSync('{worker,shared/health,shared/catalogue/expiries}/**/*.ts').map((file) =>
    readFileSync(file, 'utf8'),
  );
  const isExported = (name: string) =>
    files.some((text) =>
      new RegExp(String.raw`^export (?:async )?(?:function|const) ${name}\b`, 'm').test(text),
    );
  expect([...measured, ...others].filter((name) => !isExported(name))).toEqual([]);
  expect(others.filter((name) => measured.includes(name))).toEqual([]);
});

test.for(Object.entries(containers))('the bound of a %s exists where it is said to be', ([, { bound }]) => {
  const [, name = '', file = ''] = /^(\w+) of (worker\/\S+\.ts)/.exec(bound) ?? [];
  const isNamed = file !== '' && readFileSync(file, 'utf8').includes(name);
  expect(isNamed || /walks|length field|beginning/.test(bound)).toBe(true);
});
