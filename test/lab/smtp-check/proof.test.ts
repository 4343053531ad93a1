import { createHash, X509Certificate } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { KeyAndCertificate } from '../kit/certificates.ts';
import type { MailServer } from './mail-server.ts';
import { type MailWorld, openMailWorld } from './world.ts';

const soa = { mname: 'ns.test', rname: 'x.test', serial: 1, refresh: 1, retry: 1, expire: 1, minimum: 1 };
let world: MailWorld;
let server: MailServer;
let leaf: KeyAndCertificate;
let unsigned: readonly string[] = [];

const digest = (cert: string) =>
  createHash('sha256')
    .update(new X509Certificate(cert).publicKey.export({ type: 'spki', format: 'der' }))
    .digest();

function serveZone(
  records: readonly object[],
  more: Readonly<Record<string, Readonly<Record<string, readonly unknown[]>>>> = {},
) {
  world.dns.serve({
    '': { SOA: [soa] },
    'mail.test': { MX: [{ preference: 10, exchange: 'mx.mail.test' }] },
    'mx.mail.test': { A: ['127.0.0.51'] },
    '_25._tcp.mx.mail.test': { TLSA: records },
    ...more,
  });
}

beforeAll(async () => {
  world = await openMailWorld({}, { isSigned: (name) => !unsigned.some((end) => name.endsWith(end)) });
  leaf = await world.authority.issue(['mx.mail.test']);
  server = await world.serve(51, { tls: leaf });
});
afterAll(() => world.close());

describe('DANE over sockets', () => {
  const record = (usage: number, cert: string) => ({
    usage,
    selector: 1,
    matchingType: 1,
    certificate: digest(cert),
  });

  test('the record of the key that is shown', async () => {
    serveZone([record(3, leaf.cert)]);
    const { addresses, broken, report } = await world.checkAnew('mail.test');
    expect(addresses[0]).toMatchObject({ dane: { state: 'ok' } });
    expect(broken).toEqual([]);
    expect(report).toMatchObject({ hosts: [{ tlsa: [expect.stringMatching(/^3 1 1 /)] }] });
  });

  test('the record of another key is critical', async () => {
    serveZone([record(3, world.authority.cert)]);
    const { addresses, broken, report } = await world.checkAnew('mail.test');
    expect(addresses[0]).toMatchObject({ dane: { state: 'mismatch' } });
    expect(broken).toEqual(['dane-certificate-mismatch']);
    expect(report.grade).toBe('F');
  });

  test('the same in a zone that is not signed means nothing', async () => {
    unsigned = ['mail.test'];
    serveZone([record(3, world.authority.cert)]);
    const { addresses, broken } = await world.checkAnew('mail.test');
    unsigned = [];
    expect(addresses[0]).toMatchObject({ dane: { state: 'insecure' } });
    expect(broken).toEqual([]);
  });

  test('an alias leads to the records at its end, and SNI names that end', async () => {
    serveZone([], {
      'mx.mail.test': { CNAME: ['real.host.test'], A: ['127.0.0.51'] },
      '_25._tcp.real.host.test': { TLSA: [record(3, leaf.cert)] },
    });
    const { evidence } = await world.checkAnew('mail.test');
    expect(evidence.hosts[0]?.tlsa.map(({ name }) => name)).toContain('_25._tcp.mx.mail.test');
  });

  test('records without STARTTLS are critical', async () => {
    serveZone([record(3, leaf.cert)]);
    server.serve({ extensions: [] });
    const { broken } = await world.checkAnew('mail.test');
    server.serve({ tls: leaf });
    expect(broken).toEqual(['starttls-missing', 'dane-starttls-missing']);
  });
});
