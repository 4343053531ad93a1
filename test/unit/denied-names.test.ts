import { mkdtempSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { readConfig } from '#shared/settings/config';
import { readDeniedName, readDeniedNames } from '#shared/settings/deny-file';
import { openDenyList } from '#shared/settings/deny-list';
import { targetPolicyOf } from '#shared/settings/policy';
import { hostOfTarget, isAtOrBelow } from '#shared/targets/denied-names';
import { parseDomain, parseHttpUrl } from '#shared/targets/parse-target';

const listed = new Set(['example.com', 'xn--bcher-kva.de', 'mil']);

test.for([
  ['example.com', true],
  ['EXAMPLE.com.', true],
  ['a.b.example.com', true],
  ['_dmarc.example.com', true],
  ['notexample.com', false],
  ['example.com.de', false],
  ['com', false],
  ['www.army.mil', true],
  ['www.xn--bcher-kva.de', true],
  ['', false],
  ['.', false],
  ['192.0.2.1', false],
] as const)('%j is on the list: %s', ([host, isListed]) => {
  expect(isAtOrBelow(host, listed)).toBe(isListed);
});

test.for([
  ['Example.COM.', 'example.com'],
  ['*.example.com', 'example.com'],
  ['bücher.de', 'xn--bcher-kva.de'],
  ['lab.test', 'lab.test'],
  ['mil', 'mil'],
])('a line %j means %s and all below it', ([line, name]) => {
  expect(readDeniedName(line ?? '')).toEqual({ name });
});

test.for(['https://example.com/', '192.0.2.1', '2001:db8::1', 'a..b', '*', 'exa mple.com', 'a@b.example'])(
  'a line %j is no name',
  (line) => {
    expect(readDeniedName(line)).toHaveProperty('fault');
  },
);

test('a list has comments, blank lines and ends of lines of any kind, and says which line is wrong', () => {
  expect(readDeniedNames('# asked on Monday\r\na.example # by mail\n\n *.b.example \n')).toEqual({
    names: new Set(['a.example', 'b.example']),
    faults: [],
  });
  expect(readDeniedNames('a.example\n10.0.0.1\n').faults).toEqual([expect.stringMatching(/^line 2: /)]);
});

test('no text makes the reader throw, and what it reads covers itself', () => {
  const property = fc.property(fc.string(), (text) => {
    const read = readDeniedName(text);
    return 'fault' in read || isAtOrBelow(read.name, new Set([read.name]));
  });
  expect(fc.check(property).failed).toBe(false);
});

test('a target below a name on the list is refused, as domain and as URL', () => {
  const policy = targetPolicyOf(readConfig({ TARGET_DENY_NAMES: 'example.com, *.other.org' }));
  const why = {
    ok: false,
    fault: { kind: 'refused', why: expect.stringMatching(/is on the list/) as unknown },
  };
  expect(parseDomain('www.Example.com.', policy)).toMatchObject(why);
  expect(parseHttpUrl('https://user-content.other.org/x', policy)).toMatchObject(why);
  expect(parseHttpUrl('https://example.com./', policy)).toMatchObject(why);
  expect(parseDomain('example.org', policy)).toMatchObject({ ok: true });
});

test.for([
  ['TARGET_DENY_NAMES', 'a.example,10.0.0.1', /TARGET_DENY_NAMES: "10.0.0.1" is an address/],
  ['TARGET_DENY_NAMES_FILE', '/nowhere/list', /TARGET_DENY_NAMES_FILE: cannot be read \(ENOENT\)/],
] as const)('a bad %s ends the start', ([name, value, words]) => {
  expect(() => readConfig({ [name]: value })).toThrow(words);
});

/** A list over a file, and a clock that the test moves. */
function openList(text: string) {
  const folder = mkdtempSync(join(tmpdir(), 'diag-deny-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'list');
  writeFileSync(path, text);
  let nowMs = 0;
  const list = openDenyList(
    { TARGET_DENY_NAMES: ['always.example'], TARGET_DENY_NAMES_FILE: path },
    () => nowMs,
  );
  return {
    list,
    path,
    write(next: string) {
      writeFileSync(path, next);
      nowMs += 5000;
    },
    remove() {
      unlinkSync(path);
      nowMs += 5000;
    },
  };
}

test('a file that changes is read again, beside what the setting names', () => {
  const { list, write } = openList('a.example\n');
  expect([list.covers('a.example'), list.covers('b.example'), list.covers('always.example')]).toEqual([
    true,
    false,
    true,
  ]);
  const [revision, digest] = [list.revision(), list.digest()];
  write('# only b now\nb.example\n');
  expect([list.covers('a.example'), list.covers('x.b.example'), list.covers('always.example')]).toEqual([
    false,
    true,
    true,
  ]);
  expect(list.revision()).toBeGreaterThan(revision);
  expect(list.digest()).not.toBe(digest);
  expect(list.state()).toBe(true);
});

test.for([
  ['empty', (file: ReturnType<typeof openList>) => file.write('')],
  ['bad', (file: ReturnType<typeof openList>) => file.write('a.example\nhttp://b.example/\n')],
  ['gone', (file: ReturnType<typeof openList>) => file.remove()],
] as const)('a file that is %s leaves the last good list in force, and says so', ([, spoil]) => {
  const file = openList('a.example\n');
  const revision = file.list.revision();
  spoil(file);
  expect(file.list.covers('a.example')).toBe(true);
  expect(file.list.state()).toMatch(/the list that was read before it still holds/);
  expect(file.list.revision()).toBe(revision);
  file.write('c.example\n');
  expect([file.list.covers('a.example'), file.list.covers('c.example'), file.list.state()]).toEqual([
    false,
    true,
    true,
  ]);
});

test('a list of comments is an empty one on purpose', () => {
  const { list, write } = openList('a.example\n');
  write('# nobody asks for it any more\n');
  expect([list.covers('a.example'), list.state()]).toEqual([false, true]);
});

test('the host of a target is a domain itself, or that of a URL', () => {
  expect(['a.example', 'https://b.example:8443/x?y', 'http://[2001:db8::1]/'].map(hostOfTarget)).toEqual([
    'a.example',
    'b.example',
    '[2001:db8::1]',
  ]);
});
