import { createServer } from 'node:http';
import { afterAll, expect, test } from 'vitest';
import { closedAddress, goodZone, plainAddress, webAddress, zoneOf } from './domains.ts';
import { codesIn, openHealthLab, standing } from './kit.ts';
import { goodPage, goodSite, parkingPage, sendTo } from './sites.ts';

// What loopback brings with it: no address of it is public, so dns is never better than D here, mail never better than C, and lost.

const noMail = { MX: [{ preference: 0, exchange: '.' }], TXT: ['v=spf1 -all'] };
const inner = goodZone('zone.test');
const lab = await openHealthLab({
  hasPages: true,
  sites: {
    ...goodSite('good.test'),
    ...goodSite('inner.zone.test'),
    ...goodSite('broken.test', (_request, response) => void response.writeHead(500).end()),
    'http://plain.test': parkingPage,
    'http://www.plain.test': parkingPage,
    'http://parked.test': parkingPage,
    'https://parked.test': parkingPage,
    'http://www.only-www.test': sendTo('https://www.only-www.test'),
    'https://www.only-www.test': goodPage,
  },
  zones: {
    ...goodZone('good.test'),
    ...goodZone('plain.test', { A: [plainAddress] }),
    ...goodZone('mail-only.test', { A: [] }),
    ...goodZone('closed.test', { A: [closedAddress] }),
    ...goodZone('stranger.test'),
    ...goodZone('broken.test'),
    ...zoneOf('parked.test', { A: [webAddress], ...noMail }),
    ...zoneOf('empty.test', {}),
    ...zoneOf('only-www.test', noMail, { 'www.only-www.test': { A: [webAddress] } }),
    ...zoneOf('private.test', { A: ['10.0.0.1'], ...noMail }),
    'zone.test': { ...inner['zone.test'], 'inner.zone.test': { A: [webAddress] } },
  },
});
const plain = createServer(parkingPage);
await new Promise<void>((resolve) => plain.listen(lab.lab.web.httpPort, plainAddress, resolve));
afterAll(async () => {
  plain.closeAllConnections();
  plain.close();
  await lab.close();
});

type Row = {
  readonly name: string;
  readonly domain: string;
  readonly state: string;
  readonly grade: string | null;
  /** States of dns, ssl, headers, performance and mail: o is ok, u unavailable, - not applicable. */
  readonly categories: string;
  readonly codes: readonly string[];
  /** States of the entry points. */
  readonly ways: readonly string[];
  /** The page whose speed counts. */
  readonly page: string;
};

const missing = ['missing', 'missing', 'missing', 'missing'];
const rows: readonly Row[] = [
  {
    name: 'a good domain is complete, and nothing between its parts is wrong',
    domain: 'good.test',
    state: 'complete',
    grade: 'C',
    categories: 'ooooo',
    codes: ['category-poor', 'mail-lost'],
    ways: ['ok', 'ok', 'ok', 'ok'],
    page: 'https://good.test/',
  },
  {
    name: 'a name that does not exist has no score, and one finding',
    domain: 'nobody.test',
    state: 'unreachable',
    grade: null,
    categories: '-----',
    codes: ['domain-not-found'],
    ways: missing,
    page: 'https://nobody.test/',
  },
  {
    // It forbids nobody to send mail in its name: neither SPF nor DMARC.
    name: 'a domain without any address is judged by its DNS and mail alone',
    domain: 'empty.test',
    state: 'complete',
    grade: 'C',
    categories: 'o---o',
    codes: ['category-failed'],
    ways: missing,
    page: 'https://www.empty.test/',
  },
  {
    name: 'a domain for mail alone lacks nothing of the web',
    domain: 'mail-only.test',
    state: 'complete',
    grade: 'C',
    categories: 'o---o',
    codes: ['category-poor', 'mail-lost'],
    ways: missing,
    page: 'https://www.mail-only.test/',
  },
  {
    name: 'an address where every connection is refused is said once',
    domain: 'closed.test',
    state: 'complete',
    grade: 'D',
    categories: 'o---o',
    codes: ['category-poor', 'mail-lost', 'web-server-missing'],
    ways: missing,
    page: 'https://closed.test/',
  },
  {
    name: 'a site without https has ssl 0, and its page is measured by http',
    domain: 'plain.test',
    state: 'partial',
    grade: 'F',
    categories: 'oouoo',
    codes: ['category-poor', 'coverage-incomplete', 'entry-points-differ', 'https-missing', 'mail-lost'],
    ways: ['ok', 'missing', 'ok', 'missing'],
    page: 'http://plain.test/',
  },
  {
    name: 'a parked domain is no mail domain without DMARC',
    domain: 'parked.test',
    // Its page is no site, so its headers have no score.
    state: 'partial',
    grade: 'C',
    categories: 'oouoo',
    codes: ['category-poor', 'coverage-incomplete', 'http-not-upgraded'],
    ways: ['ok', 'ok', 'missing', 'missing'],
    page: 'https://parked.test/',
  },
  {
    name: 'a domain with its site at www alone is judged there',
    domain: 'only-www.test',
    state: 'complete',
    grade: 'B',
    categories: 'ooooo',
    codes: ['category-poor', 'entry-point-broken'],
    ways: ['missing', 'missing', 'ok', 'ok'],
    page: 'https://www.only-www.test/',
  },
  {
    name: 'a host inside a zone has two entry points',
    domain: 'inner.zone.test',
    state: 'complete',
    grade: 'A',
    categories: 'ooooo',
    codes: [],
    ways: ['ok', 'ok'],
    page: 'https://inner.zone.test/',
  },
  {
    name: 'a server that fails everywhere is no page',
    domain: 'broken.test',
    state: 'partial',
    grade: 'D',
    categories: 'oouoo',
    codes: [
      'category-poor',
      'coverage-incomplete',
      'entry-point-error-status',
      'entry-points-all-broken',
      'mail-lost',
    ],
    ways: ['invalid', 'invalid', 'invalid', 'invalid'],
    page: 'https://broken.test/',
  },
  {
    name: 'a certificate of somebody else is an F, whatever the mean says',
    domain: 'stranger.test',
    state: 'partial',
    grade: 'F',
    categories: 'oouuo',
    codes: [
      'category-poor',
      'coverage-incomplete',
      'entry-point-certificate-not-trusted',
      'entry-point-error-status',
      'http-not-upgraded',
      'mail-lost',
      'page-not-seen',
      'ssl-failed',
    ],
    ways: ['invalid', 'invalid', 'invalid', 'invalid'],
    page: 'https://stranger.test/',
  },
  {
    name: 'an address that is not public is not dialled',
    domain: 'private.test',
    state: 'unreachable',
    grade: null,
    categories: 'ouuuo',
    codes: ['category-poor', 'coverage-incomplete', 'entry-points-all-broken', 'target-address-not-allowed'],
    ways: ['invalid', 'invalid', 'missing', 'missing'],
    page: 'https://private.test/',
  },
];

const letters: Readonly<Record<string, string>> = {
  ok: 'o',
  partial: 'p',
  unavailable: 'u',
  'not-applicable': '-',
};

test.for(rows)('$name', async (row) => {
  const { name, domain } = row;
  const report = await lab.health(domain);
  expect({
    name,
    domain,
    state: report.state,
    grade: report.grade,
    categories: Object.values(standing(report))
      .map((state) => letters[state])
      .join(''),
    codes: codesIn(report),
    ways: report.entryPoints.map(({ state }) => state),
    page: lab.pages?.asked.findLast((url) => new URL(url).hostname.endsWith(domain)),
  }).toEqual(row);
  expect(report.categories.performance.report.target).toBe(row.page);
});

test('what could not be looked at is never 0, and what has a score was looked at', async () => {
  for (const { domain } of rows) {
    const { categories } = await lab.health(domain);
    for (const { state, score, grade } of Object.values(categories))
      expect([score === null, grade === null]).toEqual(Array(2).fill(state !== 'ok' && state !== 'partial'));
  }
});
