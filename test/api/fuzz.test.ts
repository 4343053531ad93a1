import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { catalogue } from '#shared/catalogue/registry';
import { makeToken } from '#shared/stores/tokens/make-token';
import { openService } from './kit.ts';

const numRuns = Number(process.env['FUZZ_RUNS'] ?? 2000);
const deadlineMs = 3000;

const service = await openService({
  sites: {
    'http://a.test': (_request, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end('<p>hello'),
  },
  settings: { RATE_LIMIT: 'off', WAIT_SECONDS: '1', WORKER_QUEUES: 'network,browser' },
});
afterAll(() => service.close());

const { text: bearer, token } = makeToken(
  { name: 'fuzz', scopes: ['tools', 'reports:read'], limits: {}, expiresAt: null },
  Date.now(),
);
await service.backend.tokenStore.insert(token);
const known = await service.get('/api/tools/redirect-check?url=http%3A%2F%2Fa.test%2F');
const reportId = String(known.body['reportId']);
const report = `/api/reports/${reportId}`;

const naughty = fc.constantFrom(
  '__proto__',
  'constructor',
  'toString',
  '%',
  '%00',
  '%ZZ',
  '%FF',
  '%0d%0aX-Evil: 1',
  '../../etc/passwd',
  '..%2f..%2f',
  "' OR 1=1",
  '<script>',
  '${7*7}',
  '{"$ne":null}',
  '[]',
  '\\',
  '‮',
  '💩',
  'a'.repeat(3000),
  '０',
  'null',
  'undefined',
  'NaN',
  '-1',
  '1e9',
  '0x10',
); // prettier-ignore
const text = fc.oneof(
  naughty,
  fc.string({ maxLength: 40 }),
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc.domain(),
  fc.webUrl(),
  fc.ipV4(),
  fc.ipV6(),
  fc.constant('http://a.test/'),
  fc.nat().map(String),
);
const encoded = fc.oneof(
  text.map(encodeURIComponent),
  text.map((raw) => raw.replace(/[^!-~]|[#?&]/gu, '')),
);
const name = fc.oneof(
  fc.constantFrom(
    'url',
    'wait',
    'fresh',
    'maxAge',
    'limit',
    'before',
    'check',
    'target',
    'format',
    'strategy',
    'runs',
    'dkimSelector',
    'ip',
    'port',
  ),
  encoded,
);
const query = fc
  .array(fc.tuple(name, encoded), { maxLength: 4 })
  .map((pairs) => pairs.map(([key, value]) => `${key}=${value}`).join('&'));
const tools = catalogue.map(
  ({ name: check, targetKind }) => `/api/tools/${check}${targetKind === 'domain' ? '/' : ''}`,
);
const path = fc.oneof(
  fc.constantFrom(
    ...tools,
    '/api/jobs/',
    '/api/jobs/0123456789abcdef0123456789abcdef',
    '/api/reports',
    report,
    `${report}/export`,
    `${report}/screenshot`,
    `${report}/diff/${reportId}`,
    '/api/me',
    '/api/findings',
    '/openapi.json',
    '/problems/',
    '/docs',
    '/',
  ),
  fc
    .tuple(
      fc.constantFrom(
        ...tools,
        '/api/jobs/',
        '/api/reports/',
        `${report}/`,
        `${report}/diff/`,
        '/problems/',
        '/docs/',
        '/api/',
      ),
      encoded,
    )
    .map((parts) => parts.join('')),
);
const printable = fc.string({
  unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
  maxLength: 30,
});
const header = fc.constantFrom(
  'accept',
  'prefer',
  'cache-control',
  'if-none-match',
  'authorization',
  'accept-encoding',
  'x-request-id',
  'origin',
  'x-forwarded-for',
  'range',
  'content-length',
);
const headers = fc
  .tuple(fc.boolean(), givenHeaders())
  .map(([hasToken, given]) => (hasToken ? { ...given, authorization: `Bearer ${bearer}` } : given));

function givenHeaders() {
  return fc.dictionary(
    header.filter((field) => field !== 'content-length'),
    fc.oneof(
      printable,
      fc.constantFrom(
        '*/*',
        'wait=0',
        'respond-async',
        'no-cache',
        'max-age=0',
        'only-if-cached',
        'gzip',
        'zstd;q=0',
        '*',
        'Bearer x',
      ),
    ),
    { maxKeys: 3 },
  );
}

test(`${numRuns} generated requests: never a 5xx, never HTML where JSON is due, always in time, every body as the document says`, async () => {
  const statuses = new Map<number, number>();
  await fc.assert(
    fc.asyncProperty(path, query, headers, async (where, what, fields) => {
      const start = performance.now();
      // The kit throws for an answer that is not what the OpenAPI document says.
      const answer = await service.get(`${where}${what === '' ? '' : `?${what}`}`, fields);
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      expect([500, 501, 502, 503]).not.toContain(answer.status);
      const type = String(answer.headers['content-type'] ?? 'none');
      expect(type.startsWith('text/html') && where.startsWith('/api') && !where.endsWith('/export')).toBe(
        false,
      );
      expect(performance.now() - start).toBeLessThan(deadlineMs);
    }),
    { numRuns, endOnFailure: true },
  );
  console.log(
    `statuses: ${[...statuses]
      .sort(([a], [b]) => a - b)
      .map(([status, count]) => `${status} × ${count}`)
      .join(', ')}`,
  );
}, 600_000);
