import type { RouteRule } from '../../../api/listener/route-table.ts';
import type { Seeded } from './seed.ts';

/** A request of the walk. */
export type Input = {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
};

/** As much as a request line and a header section hold. */
const fieldBytes = 15_000;

/** The address of a route, with what is there. */
export function addressOf(
  { pattern }: Pick<RouteRule, 'pattern'>,
  { watchId, batchId, reportId, otherReportId, feedKey }: Seeded,
): string {
  const path = pattern
    .replace(':domain', 'a.test')
    .replace(':check', pattern.startsWith('/u/') ? 'redirect-check' : 'domain-health')
    .replace(':code', 'not_found')
    .replace(':name', 'page.css')
    .replace(':file', 'a.test.svg')
    .replace(':batchId', batchId)
    .replace(':delivery', 'evt_none')
    .replace(':a', reportId)
    .replace(':b', otherReportId)
    .replace(':id', pattern.includes('watches') ? watchId : reportId);
  const query: readonly (readonly [RegExp, string])[] = [
    [/^\/u\/|(?:redirect|header|speed)-check$/, 'url=http%3A%2F%2Fa.test%2F'],
    [/^\/api\/reports$|^\/api\/batches$|^\/api\/watches$|\/targets$|\/deliveries$|^\/watches/, 'limit=100'],
    [/export$/, 'format=html'],
    [/^\/(?:api\/)?compare$/, 'domain=a.test&domain=b.test'],
    [/^\/probe$/, 'target=a.test&module=domain-health'],
    [/feed\.atom|\.ics$/, `key=${feedKey}`],
  ];
  const [, own] = query.find(([form]) => form.test(pattern)) ?? [];
  return own === undefined ? path : `${path}?${own}`;
}

const fill = (piece: string, length: number) =>
  piece.repeat(Math.ceil(length / piece.length)).slice(0, length);

/** What a caller may put into the address and the fields of a request, as long as it may be. */
export function largeFields(path: string): readonly Input[] {
  const [bare = '', query = ''] = path.split('?');
  const join = (more: string) => `${bare}?${query === '' ? '' : `${query}&`}${more}`;
  const numbered = Array.from({ length: 2000 }, (_, at) => `p${at}=1`).join('&');
  const queries = [
    fill('a=1&', fieldBytes),
    fill('dkimSelector=a&', fieldBytes),
    fill('domain=a.test&', fieldBytes),
    fill('%ZZ=%ZZ&', fieldBytes),
    fill('&&', fieldBytes),
    numbered,
    `target=${fill('a.', 7000)}test`,
    `before=${fill('1', 7000)}`,
    `url=${fill('http%3A%2F%2F', fieldBytes)}`,
  ];
  const fields: readonly Readonly<Record<string, string>>[] = [
    { cookie: fill('diag-session=x; ', fieldBytes) },
    { cookie: fill('a="\\"', fieldBytes) },
    { accept: fill('text/html;q=0.1,', fieldBytes) },
    { 'accept-encoding': fill('gzip;q=0.5, ', fieldBytes) },
    { 'if-none-match': fill('"a", ', fieldBytes) },
    { prefer: fill('wait=1, respond-async; ', fieldBytes) },
    { 'cache-control': fill('max-age=1, ', fieldBytes) },
    { 'cache-control': fill('a="\\', fieldBytes) },
    { 'x-forwarded-for': fill('1.2.3.4, ', fieldBytes) },
    { traceparent: fill('00-', fieldBytes) },
    { authorization: `Basic ${fill('Bearer ', fieldBytes)}` },
  ];
  return [
    { name: 'as it is', method: 'GET', path },
    ...queries.map((more, at) => ({ name: `query ${at}`, method: 'GET', path: join(more) })),
    { name: 'a long segment', method: 'GET', path: `${bare}${fill('%61', 9000)}` },
    ...fields.map((headers) => ({
      name: `field ${Object.keys(headers)[0]}`,
      method: 'GET',
      path,
      headers,
    })),
  ];
}

const most = 2_000_000;
const names = Array.from({ length: 10_000 }, (_, at) => `t${at}.test`);
const json = (value: unknown) => JSON.stringify(value);

/** Bodies of JSON that no parser may be held by: what is too much of something, breaks off, or has other types than it should. */
const hostileJson: readonly (readonly [name: string, body: string])[] = [
  ['a text that does not end', `"${fill('\\"', most - 1)}`],
  ['a short text that does not end', `"${fill('\\"', 262_000)}`],
  ['backslashes', fill('\\', most)],
  ['lists in lists', fill('[', 500_000)],
  ['objects in objects', fill('{"a":', most)],
  [
    'a list nested in an option',
    `{"check":"dns-check","targets":["a.test"],"options":{"dkimSelector":${'['.repeat(500_000)}${']'.repeat(500_000)}}}`,
  ],
  [
    'an option that is an object',
    json({
      check: 'dns-check',
      targets: ['a.test'],
      options: { dkimSelector: [{ toString: 1, valueOf: 1 }], ip: { toString: 1 } },
    }),
  ],
  [
    '150,000 fields',
    json(Object.fromEntries(Array.from({ length: 150_000 }, (_, at) => [`f${at}`, 1]))).slice(0, most),
  ],
  ['12,000 fields', json(Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`f${at}`, 1])))],
  [
    'objects where texts belong',
    json({ check: 'dns-check', targets: Array.from({ length: 6000 }, () => ({ a: 1 })), everySeconds: 3600 }),
  ],
  [
    'numbers where texts belong',
    json({ check: 'dns-check', targets: Array.from({ length: 20_000 }, (_, at) => at), everySeconds: 3600 }),
  ],
  [
    'names of all objects',
    `{"__proto__":{"check":1},"options":{"__proto__":[{"constructor":{}}]},"targets":[${fill('"__proto__",', 100_000)}"a"]}`,
  ],
  ['one long text', json({ check: fill('x', most - 100) })],
  ['escapes', `{"check":"${fill('\\u0000', most - 100)}"}`],
  [
    'ten thousand bad targets',
    json({ check: 'dns-check', targets: names.map((name) => `http://${name} x`), everySeconds: 3600 }),
  ],
  [
    'ten thousand long targets',
    json({
      check: 'domain-health',
      targets: names.map((name) => `${fill('a-b.', 180)}${name}`),
      everySeconds: 2_592_000,
    }),
  ],
  ['nothing', ''],
  ['a number', '1e999'],
  ['no UTF-8 marks', '\ufeff\ufeff[]'],
];

/** Bodies of lists. */
const hostileLists: readonly (readonly [name: string, type: string, body: string])[] = [
  ['a million lines', 'application/x-ndjson', fill('a\n', most)],
  ['a million texts', 'application/x-ndjson', fill('""\n', most)],
  ['ten thousand lines that are none', 'application/x-ndjson', fill('{"\n', 30_000)],
  ['a line that does not end', 'application/x-ndjson', `"${fill('\\"', most - 1)}`],
  ['two million empty lines', 'text/plain', fill('\n', most)],
  ['blanks', 'text/plain', fill(' \r\n\t\n', most)],
  ['ten thousand long lines', 'text/plain', names.map((name) => `${fill('a-b.', 180)}${name}`).join('\n')],
  ['one line', 'text/plain', fill('a', most)],
];

/** The requests of a route that changes something: its largest bodies, and those that do not parse. */
export function largeBodies(rule: RouteRule, path: string, seeded: Seeded): readonly Input[] {
  const { method, pattern } = rule;
  const of = (name: string, type: string, body: string, address = path): Input => ({
    name,
    method,
    path: address,
    body,
    headers: { 'content-type': type },
  });
  const form = (name: string, body: string) => of(name, 'application/x-www-form-urlencoded', body);
  const bodies = hostileJson.map(([name, body]) => of(name, 'application/json', body));
  if (pattern === '/api/batches')
    return [
      ...bodies,
      ...hostileLists.map(([name, type, body]) =>
        of(name, type, body, `${path.split('?')[0]}?check=domain-health`),
      ),
      of('ten thousand targets', 'application/json', json({ check: 'domain-health', targets: names })),
    ];
  if (pattern === '/api/watches')
    return [
      ...bodies,
      of(
        'ten thousand targets',
        'application/json',
        json({
          check: 'domain-health',
          targets: names,
          everySeconds: 2_592_000,
          notify: { daysBefore: [1] },
        }),
      ),
    ];
  if (method === 'PATCH')
    return [
      ...bodies,
      of('another interval', 'application/json', json({ everySeconds: 2_000_000 })),
      of('other targets', 'application/merge-patch+json', json({ targets: names.map((name) => `x${name}`) })),
      of('other options', 'application/json', json({ options: { parts: ['dns', 'ssl'] } })),
    ];
  if (pattern === '/mcp')
    return [
      ...bodies.map((input) => ({
        ...input,
        headers: { ...input.headers, accept: 'application/json, text/event-stream' },
      })),
      {
        ...of(
          'a call',
          'application/json',
          json({
            jsonrpc: '2.0',
            id: 1,
            method: 'tools/call',
            params: { name: 'dns-check', arguments: { domain: fill('a', 200_000) } },
          }),
        ),
        headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      },
    ];
  const fields = pattern.startsWith('/watches/') ? `act=test&delivery=${seeded.watchId}` : 'target=a.test';
  return [
    form('a form', fields),
    form('a form of many fields', fill('a=1&', 8192)),
    form('a form of equal fields', fill('target=a.test&', 8192)),
    form('a form that does not decode', fill('target=%ZZ&', 8192)),
    form('a form of one long field', `target=${fill('a.', 8000)}`),
    form('a long form', fill('target=a&', 200_000)),
    ...bodies.slice(0, 4),
  ];
}
