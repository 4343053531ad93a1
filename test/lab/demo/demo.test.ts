import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import type { Report } from '#shared/model/report';

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

const port = await findFreePort();
const demo: ChildProcess = spawn(process.execPath, ['demo/main.ts'], {
  env: { PATH: process.env['PATH'] ?? '', PORT: String(port), ADMIN_PORT: '0' },
});
let said = '';
await new Promise<void>((resolve, reject) => {
  demo.stdout?.on('data', (bytes: Buffer) => {
    said += bytes.toString();
    if (said.includes('More tokens')) resolve();
  });
  demo.once('exit', (code) => reject(new Error(`the demo ended with ${code}`)));
});
const [, folder = ''] = /DATA_DIR=(\S+)/.exec(said) ?? [];
afterAll(() => void demo.kill('SIGKILL'));

async function ask(url: string, headers: Record<string, string> = {}) {
  const response = await fetch(url.replace('127.0.0.1:3000', `127.0.0.1:${port}`), { headers });
  return { status: response.status, body: (await response.json()) as Report };
}

const hasBrowser = said.includes('It has a browser');

const lines = [...said.matchAll(/^ {2}curl '([^']+)'/gm)].map(([, url = '']) => url);

/** What the demo promises of each line that it prints, by the end of its address; `worst` is the code of its first finding. */
const promises: { readonly [end: string]: Partial<Report> & { readonly worst?: string } } = {
  'redirect-check?url=http://good.test/': { grade: 'A+', score: 100 },
  'redirect-check?url=https://downgrade.test/': { worst: 'https-downgrade' },
  'redirect-check?url=http://loop.test/': { worst: 'redirect-loop' },
  'redirect-check?url=http://long.test/': { state: 'complete' },
  'redirect-check?url=http://inside.test/': { state: 'unreachable', worst: 'target-address-not-allowed' },
  'redirect-check?url=http://bomb.test/': { state: 'complete' },
  'redirect-check?url=http://slow.test/': { state: 'unreachable' },
  'security-header-check?url=https://good.test/': { grade: 'A+', score: 100 },
  'ssl-check/expired.test': { worst: 'certificate-expired' },
  'ssl-check/plain.test': { state: 'unreachable', grade: null, worst: 'connection-refused' },
  'dns-check/good.test': { state: 'complete' },
  'dns-check/spoofed.test': { worst: 'spf-all-pass' },
  'smtp-check/sealed.test': { grade: 'A+', score: 100 },
  'smtp-check/postcard.test': { worst: 'starttls-missing' },
  'pagespeed-check?url=https://good.test/': { state: 'complete' },
  'domain-health/good.test': { state: 'complete' },
};

test('it prints every line that is tried here', () => {
  expect(lines.map((url) => url.replace(/.*\/api\/tools\//, '')).toSorted()).toEqual(
    Object.keys(promises).toSorted(),
  );
});

const needsBrowser = (end: string) => /pagespeed|health/.test(end);

for (const [end, promised] of Object.entries(promises))
  test.skipIf(needsBrowser(end) && !hasBrowser)(`${end} is as it says`, async () => {
    const { status, body } = await ask(`http://127.0.0.1:3000/api/tools/${end}`);
    expect({ status, ...body, worst: body.findings[0]?.code }).toMatchObject({ status: 200, ...promised });
  });

// What loopback cannot have: an address that is public, signed zones above it, and IPv6 at more than one address.
const ofLoopback = [
  'address-no-ipv6',
  'address-not-public',
  'bimi-missing',
  'dane-missing',
  'dnssec-unsigned',
  'ns-no-ipv6',
];

test.skipIf(process.platform !== 'linux')(
  'the DNS of good.test is good, but for what loopback cannot have',
  async () => {
    const { body } = await ask('http://127.0.0.1:3000/api/tools/dns-check/good.test');
    expect(body.findings.map(({ code }) => code).filter((code) => !ofLoopback.includes(code))).toEqual([]);
    // Zone transfers and origins are asked for by setting only, and names of addresses that are not public are not looked up.
    expect(body.notTested.map(({ code }) => code).toSorted()).toEqual([
      'dnssec-bogus',
      'ns-same-as',
      'ptr-missing',
      'ptr-not-confirmed',
      'zone-transfer-open',
    ]);
  },
);

test.skipIf(process.platform !== 'linux' || !hasBrowser)('all else of good.test has an A', async () => {
  const { body } = await ask('http://127.0.0.1:3000/api/tools/domain-health/good.test');
  const grades = Object.entries(body['categories'] as Record<string, { grade: string }>).map(
    ([name, { grade }]) => `${name} ${grade}`,
  );
  expect(grades.filter((grade) => !/ A[+-]?$/.test(grade))).toEqual(['dns D']);
});

test('it says whether it has a browser, and its token opens what it was given', async () => {
  expect(said).toMatch(/It has (a|no) browser/);
  const [, token = ''] = /Bearer (dtk_\w+)/.exec(said) ?? [];
  const headers = { authorization: `Bearer ${token}` };
  await ask('http://127.0.0.1:3000/api/tools/redirect-check?url=http://good.test/', headers);
  const { status, body } = await ask('http://127.0.0.1:3000/api/reports?limit=5', headers);
  expect(status).toBe(200);
  expect(body).toMatchObject({ reports: [{ check: 'redirect-check', target: 'http://good.test/' }] });
});

test('the report in the README is the one of spoofed.test, shortened', async () => {
  const [, text = ''] = /```json\n([\s\S]*?)```/.exec(readFileSync('README.md', 'utf8')) ?? [];
  const { body } = await ask('http://127.0.0.1:3000/api/tools/dns-check/spoofed.test');
  expect(body).toMatchObject({
    ...(JSON.parse(text) as Report),
    findings: expect.arrayContaining(
      (JSON.parse(text) as Report).findings.map((finding) => expect.objectContaining(finding) as unknown),
    ) as unknown,
  });
});

test('what it kept goes with it', async () => {
  expect(existsSync(folder)).toBe(true);
  demo.kill('SIGTERM');
  await once(demo, 'exit');
  expect(existsSync(folder)).toBe(false);
});
