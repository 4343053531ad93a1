import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { askOpenssl, describeRecord, recordOf } from '../../lab/smtp-check/openssl.ts';
import { type MailWorld, openMailWorld } from '../../lab/smtp-check/world.ts';
import { issueCertificate } from '../../unit/ssl-check/issue-certificate.ts';
import { keyForExim, unpackServers } from './debian-servers.ts';

const found = unpackServers();
if ('missing' in found) process.stderr.write(`LEFT OUT: real mail servers: ${found.missing}\n`);

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 19);
const validity = { notBefore: inDays(-30), notAfter: inDays(300) };
const root = issueCertificate({ subject: 'Mail Root', issuer: null, isAuthority: true, ...validity });
const middle = issueCertificate({ subject: 'Mail Sub', issuer: root, isAuthority: true, ...validity });
const leaf = issueCertificate({
  subject: 'mx.mail.test',
  issuer: middle,
  names: ['mx.mail.test'],
  ...validity,
});
const stranger = issueCertificate({
  subject: 'other.test',
  issuer: null,
  names: ['other.test'],
  ...validity,
});

const address = {
  postfix: '127.0.0.171',
  plain: '127.0.0.172',
  old: '127.0.0.173',
  exim: '127.0.0.174',
  bare: '127.0.0.175',
  broken: '127.0.0.176',
} as const;
const soa = { mname: 'ns.test', rname: 'x.test', serial: 1, refresh: 1, retry: 1, expire: 1, minimum: 1 };

let world: MailWorld;

/** A domain whose only host is at this address, with these TLSA records. */
function serve(at: string, records: readonly object[] = []): void {
  world.dns.serve({
    '': { SOA: [soa] },
    'mail.test': { MX: [{ preference: 10, exchange: 'mx.mail.test' }] },
    'mx.mail.test': { A: [at] },
    '_25._tcp.mx.mail.test': { TLSA: records },
  });
}

describe.skipIf('missing' in found)('servers of Debian', () => {
  beforeAll(async () => {
    if ('missing' in found) return;
    world = await openMailWorld(
      {},
      { isSigned: () => true, limits: { greetingMs: 20_000, replyMs: 20_000, handshakeMs: 20_000 } },
    );
    const identity = { certificates: join(found.folder, 'chain.pem'), key: join(found.folder, 'key.pem') };
    writeFileSync(identity.certificates, leaf.certPem + middle.certPem);
    writeFileSync(identity.key, leaf.keyPem);
    keyForExim(found.folder, identity.key);
    await found.postfix(world.port, [address.postfix, address.plain, address.old], identity);
    await found.exim(world.port, address.exim, identity);
    await found.opensmtpd(world.port, [address.bare, address.broken], identity);
  }, 120_000);
  afterAll(async () => {
    await world.close();
    if (!('missing' in found)) await found.close();
  });

  const servers = [
    {
      name: 'Postfix',
      at: address.postfix,
      broken: ['smtp-certificate-unverified'],
      state: { startTls: 'ok', protocol: 'TLSv1.3', oldVersions: 'refused' },
    },
    {
      name: 'Postfix without TLS',
      at: address.plain,
      broken: ['starttls-missing'],
      state: { startTls: 'missing' },
    },
    {
      name: 'Postfix with TLS 1.0',
      at: address.old,
      broken: ['smtp-certificate-unverified', 'smtp-tls-old-versions'],
      state: { startTls: 'ok', oldVersions: 'accepted' },
    },
    {
      name: 'Exim',
      at: address.exim,
      broken: expect.arrayContaining(['smtp-certificate-unverified']),
      state: { startTls: 'ok', protocol: 'TLSv1.3' },
    },
    {
      name: 'OpenSMTPD without TLS',
      at: address.bare,
      broken: ['starttls-missing'],
      state: { startTls: 'missing' },
    },
    {
      name: 'OpenSMTPD of Debian 12, whose TLS fails',
      at: address.broken,
      broken: ['starttls-broken'],
      state: { startTls: 'broken' },
    },
  ];
  test.for(servers)('$name is told right', async ({ at, broken, state }) => {
    serve(at);
    const seen = await world.checkAnew('mail.test');
    expect(seen.addresses[0]).toMatchObject({ state: 'ok', ...state });
    expect([...seen.broken].sort()).toEqual(broken);
  });

  const matrix = [2, 3].flatMap((usage) =>
    [0, 1].flatMap((selector) =>
      [0, 1, 2].flatMap((matchingType) =>
        [leaf, middle, stranger].map((of) => [recordOf(usage, selector, matchingType, of)]),
      ),
    ),
  );
  const pairs = [
    [recordOf(3, 1, 1, stranger), recordOf(3, 1, 1, leaf)],
    [recordOf(3, 1, 1, leaf), recordOf(3, 1, 2, stranger)],
    [recordOf(3, 1, 1, stranger), recordOf(3, 1, 2, leaf)],
    [recordOf(2, 0, 1, middle), recordOf(3, 1, 1, stranger)],
    [recordOf(2, 0, 0, root)],
    [recordOf(2, 1, 1, root)],
  ];
  test.for(
    [...matrix, ...pairs].map((records) => ({ records, name: records.map(describeRecord).join(' and ') })),
  )('OpenSSL agrees on $name', async ({ records }) => {
    serve(address.postfix, records);
    const [seen, openssl] = await Promise.all([
      world.checkAnew('mail.test'),
      askOpenssl({ at: address.postfix, port: world.port }, records),
    ]);
    expect(seen.addresses[0]).toMatchObject({ dane: { state: openssl } });
  });

  /** What is wrong with a server, by its lines; its own certificate and key stand for those that a report names. */
  const own = (folder: string) => ({
    postfix: `smtpd_tls_chain_files = ${folder}/key.pem, ${folder}/chain.pem`,
    exim: `tls_certificate = ${folder}/chain.pem\ntls_privatekey = ${folder}/exim-key.pem`,
  });
  const placed = (line: string, folder: string) =>
    line
      .replaceAll(/\/etc\/\w+\/tls\/fullchain\.pem/g, `${folder}/chain.pem`)
      .replaceAll('/etc/postfix/tls/key.pem', `${folder}/key.pem`)
      .replaceAll('/etc/exim4/tls/key.pem', `${folder}/exim-key.pem`);
  const may = 'smtpd_tls_security_level = may';
  const everyone = 'tls_advertise_hosts = *';
  const pasted = [
    ['postfix', 'starttls-missing', ['smtpd_tls_security_level = none']],
    [
      'postfix',
      'smtp-tls-old-versions',
      [may, 'smtpd_tls_protocols = >=TLSv1', 'tls_medium_cipherlist = ALL:@SECLEVEL=0'],
    ],
    [
      'postfix',
      'smtp-tls12-missing',
      [may, 'smtpd_tls_protocols = TLSv1', 'tls_medium_cipherlist = ALL:@SECLEVEL=0'],
    ],
    [
      'postfix',
      'smtp-suites-weak',
      [may, 'smtpd_tls_protocols = TLSv1.2', 'tls_medium_cipherlist = aNULL:@SECLEVEL=0'],
    ],
    ['exim', 'starttls-missing', ['tls_advertise_hosts =']],
    ['exim', 'smtp-tls-old-versions', [everyone, 'tls_require_ciphers = NORMAL:+VERS-TLS1.0:+VERS-TLS1.1']],
    [
      'exim',
      'smtp-tls12-missing',
      [everyone, 'tls_require_ciphers = NORMAL:-VERS-ALL:+VERS-TLS1.0:+VERS-TLS1.1'],
    ],
    [
      'exim',
      'smtp-suites-weak',
      [everyone, 'tls_require_ciphers = NORMAL:-VERS-ALL:+VERS-TLS1.2:-CIPHER-ALL:+NULL:+SHA1'],
    ],
  ] as const;
  test.for(pasted.map((row, at) => [...row, at] as const))(
    'the lines for %s end %s',
    async ([server, code, wrong, at]) => {
      if ('missing' in found) return;
      const { folder } = found;
      const settings = (lines: readonly string[]) => {
        const isSet = (line: string) => lines.some((other) => other.split(' = ')[0] === line.split(' = ')[0]);
        const rest = own(folder)
          [server].split('\n')
          .filter((line) => !isSet(line));
        return code === 'starttls-missing' && lines === wrong ? lines : [...rest, ...lines];
      };
      const look = async (address: string, lines: readonly string[]) => {
        await found.with(server, { port: world.port, address }, settings(lines));
        serve(address);
        return world.checkAnew('mail.test');
      };
      const before = await look(`127.0.0.${180 + 2 * at}`, wrong);
      expect(before.broken).toContain(code);
      const fix = before.report.findings.find((finding) => finding.code === code)?.fix;
      const lines = (fix?.snippets?.[server] ?? '').split('\n').map((line) => placed(line, folder));
      const names = new Set(lines.map((line) => line.split(' = ')[0]));
      const kept = wrong.filter((line) => !names.has(line.split(' =')[0]));
      const after = await look(`127.0.0.${181 + 2 * at}`, [...kept, ...lines]);
      expect(after.broken).toEqual(['smtp-certificate-unverified']);
    },
  );
});
