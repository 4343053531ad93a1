import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openMemoryPace } from '#shared/limits/pace/memory';
import type { Pace } from '#shared/ports/pace';
import { readConfig } from '#shared/settings/config';
import { parseRdapBootstrap } from '#shared/settings/rdap-bootstrap';
import { registriesListedOn } from '../../../worker/probes/rdap/listed-on.ts';
import { readWait } from '../../../worker/probes/rdap/open.ts';
import { openRegistries, readListedRegistries } from '../../../worker/probes/rdap/registries.ts';
import { openRegistryTurns } from '../../../worker/probes/rdap/registry-turns.ts';
import { writeRdapRegistries } from '../../../worker/refresh/rdap-registries.ts';

const listed = openRegistries(readListedRegistries());

test.for([
  ['google.com', { kind: 'listed', base: 'https://rdap.verisign.com/com/v1/' }],
  ['example.com.br', { kind: 'listed', base: 'https://rdap.registro.br/' }],
  ['example.no', { kind: 'listed', base: 'https://rdap.norid.no/' }],
  ['example.de', { kind: 'none' }],
  ['example.eu', { kind: 'none' }],
  ['example.co', { kind: 'none' }],
  ['example.kg', { kind: 'insecure' }],
] as const)('IANA lists for %s: %j', ([domain, registry]) => {
  expect(listed.registryOf(domain)).toEqual(registry);
});

test('the longest name of a list counts, and https comes first', () => {
  const { registryOf, isOfRegistry, ports } = openRegistries(
    parseRdapBootstrap(
      JSON.stringify({
        services: [
          [['test'], ['http://one.test', 'https://one.test/rdap']],
          [['Sub.Test.'], ['https://two.test:8443/']],
          [['empty'], []],
        ],
      }),
    ),
  );
  expect(registryOf('a.test')).toEqual({ kind: 'listed', base: 'https://one.test/rdap/' });
  expect(registryOf('a.sub.test')).toEqual({ kind: 'listed', base: 'https://two.test:8443/' });
  expect([registryOf('a.empty'), registryOf('a.none')]).toEqual([{ kind: 'none' }, { kind: 'none' }]);
  const addresses = [
    'https://one.test/rdap/x',
    'https://one.test/rdapx',
    'https://one.test/rdap/../x',
    'http://one.test/x',
  ];
  expect(addresses.map((address) => isOfRegistry(new URL(address)))).toEqual([true, false, false, false]);
  expect(ports).toEqual([
    [443, 443],
    [8443, 8443],
  ]);
});

test.for([
  '',
  '{}',
  '[]',
  '{"services":[[["a"],["ftp://a.test/"]]]}',
  '{"services":[[["a"],["https://a@b.test/"]]]}',
])('a bad RDAP_BOOTSTRAP_FILE is refused at start: %s', (text) => {
  const folder = mkdtempSync(join(tmpdir(), 'diag-rdap-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'dns.json');
  expect(() => readConfig({ RDAP_BOOTSTRAP_FILE: path })).toThrow(
    /RDAP_BOOTSTRAP_FILE: cannot be read \(ENOENT\)/,
  );
  writeFileSync(path, text);
  expect(() => readConfig({ RDAP_BOOTSTRAP_FILE: path })).toThrow(/RDAP_BOOTSTRAP_FILE: is not a file like/);
});

test('a download is written sorted, with its day', () => {
  const { list, day } = writeRdapRegistries(
    JSON.stringify({
      publication: '2026-11-20T10:00:00Z',
      services: [
        [['b', 'a'], ['https://b.test/']],
        [['A'], ['https://a.test/']],
      ],
    }),
  );
  expect(JSON.parse(list)).toMatchObject({
    services: [
      [['A'], ['https://a.test/']],
      [['a', 'b'], ['https://b.test/']],
    ],
  });
  expect(day).toContain("registriesListedOn = '2026-11-20'");
  expect(() => writeRdapRegistries('{"services":[]}')).toThrow(/publication/);
  expect(registriesListedOn).toMatch(/^\d{4}-\d\d-\d\d$/);
});

const now = Date.parse('2026-11-21T03:00:00Z');
test.for([
  ['120', 120],
  [' 7 ', 7],
  ['0', 1],
  ['Sat, 21 Nov 2026 03:01:00 GMT', 60],
  ['Sat, 21 Nov 2026 02:00:00 GMT', 1],
  ['soon', undefined],
  ['-1', undefined],
  ['2026', 2026],
  [undefined, undefined],
] as const)('Retry-After: %s is %s seconds', ([field, seconds]) => {
  expect(readWait(field, now)).toBe(seconds);
});

test('runs for anonymous callers may use half of a registry’s pace', async () => {
  const time = 0;
  const pace = openMemoryPace(() => time);
  onTestFinished(() => pace.close());
  // What would wait gives up at once, so that no time passes.
  const impatient: Pace = {
    ...pace,
    take: async (order) => ((await pace.take({ ...order, until: time })) === 0 ? 0 : null),
  };
  const never = new AbortController().signal;
  const count = async (isAnonymous: boolean, host: string) => {
    const turns = openRegistryTurns(impatient, isAnonymous);
    let taken = 0;
    while (taken < 100 && (await turns.take(host, never))) taken += 1;
    return taken;
  };
  const [anonymous, known] = [await count(true, 'a.test'), await count(false, 'b.test')];
  expect([anonymous, known]).toEqual([10, 20]);
  // What anonymous runs left is there for the others.
  expect(await count(false, 'a.test')).toBe(10);
});
