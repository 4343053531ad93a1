// What the OpenAPI document says of a parameter, and what the service takes, are the same texts.
import Ajv2020 from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { makeToken } from '#shared/stores/tokens/make-token';
import { makeOpenapi } from '../../api/descriptions/document.ts';
import { runsOf } from '../kit/property-runs.ts';
import { openService } from './kit.ts';

const service = await openService({ withWorker: false, settings: { RATE_LIMIT: 'off' } });
afterAll(() => service.close());
const wish = {
  name: 'patterns',
  scopes: ['tools', 'reports:read', 'watch'],
  limits: {},
  expiresAt: null,
} as const;
const { text: token, token: stored } = makeToken(wish, Date.now());
await service.backend.tokenStore.insert(stored);
// Nothing is run: what is understood is answered with 504.
const headers = { authorization: `Bearer ${token}`, 'cache-control': 'only-if-cached' };

const { paths = {} } = makeOpenapi();
const ajv = new Ajv2020.default({ strict: false });

function documented(path: string, name: string): (text: string) => boolean {
  const parameters = (paths[path]?.get?.parameters ?? []) as { name: string; schema: object }[];
  const schema = parameters.find((parameter) => parameter.name === name)?.schema;
  if (!schema) throw new Error(`${path} has no ${name}`);
  const validate = ajv.compile(schema);
  return (text) => validate(text);
}

async function isTaken(address: string, name: string): Promise<boolean> {
  const { status, body } = await service.get(address, headers);
  const { errors = [] } = body as unknown as { errors?: { name: string }[] };
  return status !== 400 || !errors.some((fault) => fault.name === name);
}

/** Near what a pattern takes: a text of it, one character more, less or other. */
function near(pattern: RegExp, seeds: readonly string[]): fc.Arbitrary<string> {
  const good = fc.oneof(fc.stringMatching(pattern, { maxLength: 60 }), fc.constantFrom(...seeds));
  const broken = fc
    .tuple(
      good,
      fc.nat(),
      fc.oneof(
        fc.string({ unit: 'binary', maxLength: 1 }),
        fc.constantFrom('0', '-', ' ', '@', ':', '.', '\n', '9'),
      ),
    )
    .map(
      ([text, at, one]) =>
        `${text.slice(0, at % (text.length + 1))}${one}${text.slice((at % (text.length + 1)) + (at % 2))}`,
    );
  return fc.oneof(good, broken).filter((text) => text !== '' && text.isWellFormed());
}

const dns = '/api/tools/dns-check/{domain}';
const list = '/api/reports';
const cases: readonly (readonly [
  path: string,
  name: string,
  others: string,
  pattern: RegExp,
  seeds: readonly string[],
])[] = [
  [dns, 'wait', '', /^[0-9]{1,3}$/, ['0', '05', '55', '56', '60', '100', '+5', '5.0', '-1']],
  [dns, 'maxAge', '', /^[0-9]{1,9}$/, ['0', '31536000', '31536001', '31540000', '99999999', '00000001']],
  [
    dns,
    'ip',
    '',
    /^[0-9a-f]{0,4}(?::[0-9a-f]{0,4}){2,8}$/,
    [
      '192.0.2.1',
      '::',
      '::1',
      '1::',
      '::ffff:192.0.2.1',
      '2001:db8::1',
      '1:2:3:4:5:6:7:8',
      '1:2:3:4:5:6:7::',
      '::2:3:4:5:6:7:8',
      '1:2:3:4:5:6:1.2.3.4',
      '01.2.3.4',
      '256.1.1.1',
      'fe80::1%eth0',
      '[::1]',
    ],
  ],
  [
    dns,
    'sender',
    'ip=192.0.2.1&',
    /^[a-z"\\ ]{0,9}@[a-z. ]{0,9}$/,
    [
      'a@b.test',
      '@b.test',
      '"a@b"@c.test',
      '"a\\"b"@c',
      'a b@c.test',
      'é@é.test',
      `${'😀'.repeat(318)}@b`,
      `${'a'.repeat(319)}@b`,
      'a@b@c',
    ],
  ],
  [dns, 'helo', 'ip=192.0.2.1&', /^[ -~]{1,20}$/, ['a.test', '[192.0.2.1]', 'é', 'a'.repeat(256)]],
  [dns, 'fresh', '', /^[01]$/, ['1', '0', 'true', '11']],
  [
    '/api/tools/ssl-check/{domain}',
    'port',
    '',
    /^[0-9]{1,6}$/,
    ['443', '0', '65535', '65536', '0443', '1e3'],
  ],
  ['/api/tools/pagespeed-check', 'runs', 'url=http%3A%2F%2Fa.test%2F&', /^[0-9]$/, ['1', '3', '4', '01']],
  [list, 'limit', '', /^[0-9]{1,4}$/, ['1', '0', '100', '101', '99', '05']],
  [list, 'before', '', /^[0-9]{1,16}-[0-9a-f]{31,33}$/, [`1-${'0'.repeat(32)}`, `1-${'F'.repeat(32)}`]],
  [
    '/api/watches',
    'before',
    '',
    /^[0-9]{1,16}-[0-9a-z_]{1,66}$/,
    ['1-a', '1-A', '1-', `1-${'0'.repeat(65)}`],
  ],
  [list, 'check', '', /^[a-z]{3,8}-check$/, ['dns-check', 'domain-health', 'dns', 'DNS-check']],
  [
    list,
    'since',
    'format=ndjson&',
    /^20[0-9]{2}-[01][0-9]-[0-3][0-9](?:T[0-2][0-9]:00:00Z)?$/,
    [
      '2026-02-29',
      '2024-02-29',
      '2026-11-21T03:00:00.5Z',
      '2026-11-21T03:00Z',
      '2026-11-21T03:00:00+01:00',
      '1900-02-29',
      '2000-02-29',
      '0000-01-01',
    ],
  ],
  [list, 'until', 'format=csv&', /^20[0-9]{2}-[01][0-9]-[0-3][0-9]$/, ['2026-11-31', '2026-11-30', '30d']],
  [
    '/api/badge/{domain}.svg',
    'label',
    '',
    /^[a-z ]{1,42}$/,
    ['a'.repeat(40), 'a'.repeat(41), '😀'.repeat(40), '😀'.repeat(41), 'a\u0007', 'a\tb'],
  ],
];

test.for(cases)('%s: %s', async ([path, name, others, pattern, seeds]) => {
  const isDocumented = documented(path, name);
  const place = path.replace('{domain}', 'a.test');
  const compare = async (text: string) => {
    const taken = await isTaken(`${place}?${others}${name}=${encodeURIComponent(text)}`, name);
    expect([text, taken]).toEqual([text, isDocumented(text)]);
  };
  for (const seed of seeds) await compare(seed);
  await fc.assert(fc.asyncProperty(near(pattern, seeds), compare), { numRuns: runsOf(500) });
});

const goodNames = [
  'a.test',
  'A.Test.',
  'xn--bcher-kva.example',
  'bücher.example',
  '_dmarc.a.test',
  'a-b.c_d.test',
  `${'a'.repeat(63)}.test`,
];
const badNames = [
  '-a.test',
  'a-.test',
  'a..test',
  '.a.test',
  'a b.test',
  '192.0.2.1',
  'a.test:80',
  'http://a.test',
  `${'a'.repeat(64)}.test`,
  'a.123',
  '[::1]',
  'a.test/',
];
const nameTexts = fc.oneof(
  fc.stringMatching(/^[a-z0-9_.-]{1,20}\.test$/),
  fc.constantFrom(...goodNames, ...badNames),
  fc.string({ maxLength: 12 }).map((text) => `${text}.test`),
);

// A pattern cannot say all that IDNA, Punycode and the length of a whole name refuse.
test('a domain that a tool, the badge or the list takes is one that the document describes', async () => {
  const tool = documented(dns, 'domain');
  const badge = documented('/api/badge/{domain}.svg', 'domain');
  const target = documented(list, 'target');
  await fc.assert(
    fc.asyncProperty(nameTexts, async (text) => {
      const name = encodeURIComponent(text);
      const described = [tool(text), badge(text), target(text)];
      const taken = await Promise.all([
        isTaken(`/api/tools/dns-check/${name}`, 'domain'),
        isTaken(`/api/badge/${name}.svg`, 'domain'),
        isTaken(`/api/reports?target=${name}`, 'target'),
      ]);
      const isAscii = /^[ -~]*$/.test(text) && !text.includes('xn--');
      expect([text, described]).toEqual([
        text,
        isAscii ? taken : taken.map((one, at) => one || described[at]),
      ]);
    }),
    { numRuns: runsOf(600), examples: [...goodNames, ...badNames].map((name) => [name]) },
  );
});

const places = fc.oneof(
  fc.constantFrom(
    '',
    '/',
    '?q=%',
    '#',
    '/%zz',
    ':443',
    ':65535/',
    ':65536/',
    '/a b',
    '/a\\b',
    '/\u200e',
    '/é',
  ),
  fc.string({ unit: 'grapheme', maxLength: 8 }).map((text) => `/${text}`),
);
const addresses = fc
  .tuple(
    fc.constantFrom('http://', 'https://', 'HTTPS://', 'ftp://', '//', ''),
    fc.oneof(nameTexts, fc.constantFrom('1.1.1.1', '[2606:4700::1111]', 'u@a.test', '')),
    places,
  )
  .map((parts) => parts.join(''));

// The other way a browser's repairs stand between: "http:a.test" is taken as well.
test('a URL that the document describes is taken', async () => {
  const redirects = documented('/api/tools/redirect-check', 'url');
  const target = documented(list, 'target');
  await fc.assert(
    fc.asyncProperty(addresses, async (text) => {
      const isIdna = !/^[ -~]*$/.test(text.split(/[/?#:]+/)[1] ?? '') || text.includes('xn--');
      if (!redirects(text) || isIdna) return;
      expect([text, target(text)]).toEqual([text, true]);
      const url = encodeURIComponent(text);
      expect([text, await isTaken(`/api/tools/redirect-check?url=${url}`, 'url')]).toEqual([text, true]);
    }),
    { numRuns: runsOf(600) },
  );
});
