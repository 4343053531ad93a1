import type { RequestListener } from 'node:http';
import { afterAll, describe, expect, test } from 'vitest';
import { makeAuthority } from '../kit/certificates.ts';
import type { MailServer, Script } from './mail-server.ts';
import { openMailWorld } from './world.ts';

const path = '/.well-known/mta-sts.txt';
const policyOf = (mode: string, mx: string) => `version: STSv1\nmode: ${mode}\nmx: ${mx}\nmax_age: 604800\n`;

/** A server that has nothing but the policy file. */
const serve =
  (body: string): RequestListener =>
  ({ url }, response) => {
    if (url === path) response.writeHead(200, { 'content-type': 'text/plain' }).end(body);
    else response.writeHead(404).end();
  };

const host = 'mx.mail.test';
const policies: { readonly [domain: string]: RequestListener } = {
  'enforce.test': serve(policyOf('enforce', host)),
  'wildcard.test': serve(policyOf('enforce', '*.mail.test')),
  'deep.test': serve(policyOf('enforce', '*.test')),
  'testing.test': serve(policyOf('testing', host)),
  'none.test': serve(policyOf('none', host)),
  'other.test': serve(policyOf('enforce', 'mx.other.test')),
  'twice.test': serve(policyOf('enforce', host)),
  'gone.test': (_request, response) => void response.writeHead(404).end(),
  'moved.test': (_request, response) =>
    void response.writeHead(301, { location: `https://mta-sts.enforce.test${path}` }).end(),
  'stale.test': serve(policyOf('enforce', host)),
  'odd.test': serve('version: STSv1\nmode: always\n'),
  'long.test': serve(`${policyOf('enforce', host)}${'#'.repeat(100_000)}`),
  'reset.test': (request) => void request.socket.destroy(),
};
const record = 'v=STSv1; id=1';
const zoneOf = (domain: string, at = '127.0.0.1') => ({
  [domain]: { MX: [{ preference: 10, exchange: host }] },
  [`mta-sts.${domain}`]: { A: [at] },
  [`_mta-sts.${domain}`]: { TXT: domain === 'twice.test' ? [record, 'v=STSv1; id=2'] : [record] },
});

const world = await openMailWorld(
  {
    [host]: { A: ['127.0.0.45'] },
    ...Object.assign({}, ...Object.keys(policies).map((domain) => zoneOf(domain))),
    ...zoneOf('closed.test', '127.0.0.99'),
    'recordless.test': { MX: [{ preference: 10, exchange: host }] },
  },
  {
    sites: Object.fromEntries(
      Object.entries(policies).map(([domain, site]) => [`https://mta-sts.${domain}`, site]),
    ),
    certificates: { 'mta-sts.stale.test': { notAfter: new Date(Date.now() - 3_600_000) } },
  },
);
const { authority } = world;
const good = await authority.issue([host]);
const ofOther = await authority.issue(['mx.other.test']);
const expired = await authority.issue([host], { notAfter: new Date(Date.now() - 3_600_000) });
const untrusted = await (await makeAuthority('Unknown Root')).issue([host]);
const server: MailServer = await world.serve(45, { tls: good });
afterAll(async () => world.close());

const faults: readonly {
  readonly name: string;
  readonly script: Script;
  /** What is wrong whatever the policy says. */
  readonly always: readonly string[];
  readonly reason: RegExp;
}[] = [
  {
    name: 'a certificate of another name',
    script: { tls: ofOther },
    always: [],
    reason: /is for mx\.other\.test, not for mx\.mail\.test/,
  },
  {
    name: 'a certificate that has expired',
    script: { tls: expired },
    always: [],
    reason: /\(mx\.mail\.test\) has expired/,
  },
  {
    name: 'a certificate of an unknown root',
    script: { tls: untrusted },
    always: [],
    reason: /was issued by a CA whose certificate/,
  },
  {
    name: 'no STARTTLS',
    script: { extensions: ['SIZE 1'] },
    always: ['starttls-missing'],
    reason: /does not offer STARTTLS/,
  },
  {
    name: 'STARTTLS that fails',
    script: { tls: {} },
    always: ['starttls-broken'],
    reason: /handshake/,
  },
  {
    name: 'STARTTLS that is refused for good',
    script: { startTls: '554 not here\r\n' },
    always: ['starttls-broken'],
    reason: /554 not here/,
  },
];

describe('a host that senders with a policy do not deliver to', () => {
  test.for(faults)('$name', async ({ script, always, reason }) => {
    server.serve(script);
    const enforced = await world.checkAnew('enforce.test');
    expect(enforced.broken).toEqual([...always, 'mta-sts-host-refused']);
    expect(enforced.addresses[0]).toMatchObject({
      mtaSts: { mode: 'enforce', state: 'mismatch', reason: expect.stringMatching(reason) },
    });
    expect(enforced.report.findings).toContainEqual(
      expect.objectContaining({ code: 'mta-sts-host-refused', severity: 'critical' }),
    );
    const tried = await world.checkAnew('testing.test');
    expect(tried.broken).toEqual([...always, 'mta-sts-host-refused-testing']);
    expect(tried.report.findings).toContainEqual(
      expect.objectContaining({ code: 'mta-sts-host-refused-testing', severity: 'medium' }),
    );
    // Without a policy the usual sender takes any certificate.
    const opportunistic = always.length > 0 ? always : ['smtp-certificate-unverified'];
    for (const domain of ['none.test', 'recordless.test', 'twice.test']) {
      const { broken, addresses } = await world.checkAnew(domain);
      expect([domain, broken]).toEqual([domain, opportunistic]);
      expect(addresses[0]).toMatchObject({ mtaSts: { mode: 'none', state: 'not-applicable' } });
    }
  });
});

describe('a host that the policy lets pass', () => {
  test.for(['enforce.test', 'wildcard.test', 'testing.test'])('%s', async (domain) => {
    server.serve({ tls: good });
    const { broken, addresses, notTested } = await world.checkAnew(domain);
    expect(broken).toEqual([]);
    expect(addresses[0]).toMatchObject({ mtaSts: { state: 'ok', reason: null } });
    expect([...notTested.keys()]).toEqual(['smtp-suites-weak']);
  });
});

describe('a host that did not want to talk is no breach of a policy', () => {
  test.for<{ readonly name: string; readonly script: Script; readonly broken: readonly string[] }>([
    { name: '454 to STARTTLS', script: { startTls: '454 4.7.0 not now\r\n' }, broken: [] },
    { name: '421', script: { greeting: '421 too many connections\r\n' }, broken: ['mail-host-declined'] },
    { name: '550 to EHLO', script: { ehlo: '550 who are you\r\n' }, broken: ['mail-host-declined'] },
  ])('$name', async ({ script, broken: expected }) => {
    server.serve(script);
    const { broken, addresses, notTested } = await world.checkAnew('enforce.test');
    expect(broken).toEqual(expected);
    expect(addresses[0]).toMatchObject({ mtaSts: { mode: 'enforce', state: 'unknown' } });
    expect(notTested.get('mta-sts-host-refused')).toContain(host);
  });
});

describe('a policy that does not name the host', () => {
  test.for(['other.test', 'deep.test'])(
    '%s: dns-check tells it; the certificate is judged as any other',
    async (domain) => {
      server.serve({ tls: good });
      const fine = await world.checkAnew(domain);
      expect(fine.broken).toEqual([]);
      expect(fine.addresses[0]).toMatchObject({ mtaSts: { mode: 'enforce', state: 'mismatch' } });
      server.serve({ tls: ofOther });
      expect((await world.checkAnew(domain)).broken).toEqual(['smtp-certificate-unverified']);
    },
  );
});

describe('a policy that cannot be had leaves its rules untested', () => {
  test.for([
    { domain: 'gone.test', why: 'the policy could not be fetched as senders want it' },
    { domain: 'moved.test', why: 'the policy could not be fetched as senders want it' },
    { domain: 'stale.test', why: 'the policy could not be fetched as senders want it' },
    { domain: 'long.test', why: 'the policy could not be fetched as senders want it' },
    { domain: 'odd.test', why: 'the policy breaks its grammar' },
    { domain: 'reset.test', why: 'the policy could not be fetched: ' },
    { domain: 'closed.test', why: 'the policy could not be fetched: the connection was refused' },
  ])('$domain', async ({ domain, why }) => {
    server.serve({ tls: ofOther });
    const { broken, addresses, notTested } = await world.checkAnew(domain);
    expect(broken).toEqual(['smtp-certificate-unverified']);
    expect(addresses[0]).toMatchObject({ mtaSts: { mode: 'unknown', state: 'unknown' } });
    for (const code of ['mta-sts-host-refused', 'mta-sts-host-refused-testing'])
      expect(notTested.get(code)).toContain(why);
  });
});
