import type { Script } from '../test/lab/smtp-check/mail-server.ts';
import { askOpenssl, type LabRecord, recordOf } from '../test/lab/smtp-check/openssl.ts';
import { openMailWorld } from '../test/lab/smtp-check/world.ts';
import { type Issued, issueCertificate } from '../test/unit/ssl-check/issue-certificate.ts';
import type { Section } from './section.ts';

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 19);
const month = { notBefore: inDays(-30), notAfter: inDays(300) };
const host = 'mx.mail.test';
const root = issueCertificate({ subject: 'Mail Root', issuer: null, isAuthority: true, ...month });
const middle = issueCertificate({ subject: 'Mail Sub', issuer: root, isAuthority: true, ...month });
const leaf = issueCertificate({ subject: host, issuer: middle, names: [host], ...month });
const ofOther = issueCertificate({
  subject: 'other.test',
  issuer: middle,
  names: ['other.test'],
  ...month,
});
const expired = issueCertificate({
  subject: host,
  issuer: middle,
  names: [host],
  notBefore: inDays(-90),
  notAfter: inDays(-30),
});
const ownMade = issueCertificate({ subject: host, issuer: null, names: [host], ...month });
const stranger = issueCertificate({ subject: 'stranger.test', issuer: null, ...month });

const tlsOf = (one: Issued, ...chain: readonly Issued[]): NonNullable<Script['tls']> => ({
  key: one.keyPem,
  cert: [one, ...chain].map(({ certPem }) => certPem).join(''),
});
const good = { tls: tlsOf(leaf, middle) };

type Row = {
  readonly name: string;
  readonly script: Script;
  readonly records: readonly LabRecord[];
  /** What RFC 7672 says of it, where the two differ. */
  readonly right?: { readonly state: string; readonly why: string };
};

const rows: readonly Row[] = [
  { name: '3 1 1 of the key', script: good, records: [recordOf(3, 1, 1, leaf)] },
  { name: '3 0 2 of the certificate', script: good, records: [recordOf(3, 0, 2, leaf)] },
  { name: '3 1 0, the whole key', script: good, records: [recordOf(3, 1, 0, leaf)] },
  { name: '3 1 1 of another key', script: good, records: [recordOf(3, 1, 1, stranger)] },
  {
    name: 'roll-over: another key, and this one',
    script: good,
    records: [recordOf(3, 1, 1, stranger), recordOf(3, 1, 1, leaf)],
  },
  {
    name: 'SHA-256 fits, SHA-512 does not',
    script: good,
    records: [recordOf(3, 1, 1, leaf), recordOf(3, 1, 2, stranger)],
  },
  {
    name: '3 1 1, expired',
    script: { tls: tlsOf(expired, middle) },
    records: [recordOf(3, 1, 1, expired)],
  },
  {
    name: '3 1 1, for another name',
    script: { tls: tlsOf(ofOther, middle) },
    records: [recordOf(3, 1, 1, ofOther)],
  },
  { name: '3 1 1, self-signed', script: { tls: tlsOf(ownMade) }, records: [recordOf(3, 1, 1, ownMade)] },
  { name: '2 0 1 of the intermediate', script: good, records: [recordOf(2, 0, 1, middle)] },
  { name: '2 1 1 of a root that is not sent', script: good, records: [recordOf(2, 1, 1, root)] },
  { name: '2 0 0, the root in the record', script: good, records: [recordOf(2, 0, 0, root)] },
  {
    name: '2 0 1, for another name',
    script: { tls: tlsOf(ofOther, middle) },
    records: [recordOf(2, 0, 1, middle)],
  },
  {
    name: '2 0 1, expired',
    script: { tls: tlsOf(expired, middle) },
    records: [recordOf(2, 0, 1, middle)],
  },
  {
    name: '2 0 1 of the self-signed certificate itself',
    script: { tls: tlsOf(ownMade) },
    records: [recordOf(2, 0, 1, ownMade)],
  },
  {
    name: '2 0 1, the intermediate is not sent',
    script: { tls: tlsOf(leaf) },
    records: [recordOf(2, 0, 1, middle)],
  },
  {
    name: '1 1 1 of another key',
    script: good,
    records: [recordOf(1, 1, 1, stranger)],
    right: { state: 'unusable', why: 'usages 0 and 1 are not used for mail (§3.1.3)' },
  },
  {
    name: '1 1 1 of another key beside 3 1 1 of this one',
    script: good,
    records: [recordOf(1, 1, 1, stranger), recordOf(3, 1, 1, leaf)],
  },
  { name: 'no STARTTLS', script: { extensions: ['SIZE 1'] }, records: [recordOf(3, 1, 1, leaf)] },
  { name: 'a handshake that fails', script: { tls: {} }, records: [recordOf(3, 1, 1, leaf)] },
  {
    name: '454 to STARTTLS',
    script: { startTls: '454 4.7.0 not now\r\n' },
    records: [recordOf(3, 1, 1, leaf)],
    right: { state: 'unknown', why: 'a matter of the moment; s_client does not read the reply' },
  },
  {
    name: '421 in place of a greeting',
    script: { greeting: '421 4.7.0 too many connections\r\n' },
    records: [recordOf(3, 1, 1, leaf)],
    right: { state: 'unknown', why: 'about the caller; s_client does not read the greeting' },
  },
  {
    name: 'nothing newer than TLS 1.1',
    script: {
      tls: { ...good.tls, minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'ALL:@SECLEVEL=0' },
    },
    records: [recordOf(3, 1, 1, leaf)],
  },
];

/** Holds scripted mail hosts with TLSA records against OpenSSL's own judgement, and tells where the two differ. */
export async function bench(): Promise<Section> {
  const world = await openMailWorld({}, { isSigned: () => true });
  const server = await world.serve(51, {});
  const compared: (string | number)[][] = [];
  for (const { name, script, records, right } of rows) {
    server.serve(script);
    world.dns.serve({
      '': {
        SOA: [{ mname: 'ns.test', rname: 'x.test', serial: 1, refresh: 1, retry: 1, expire: 1, minimum: 1 }],
      },
      'mail.test': { MX: [{ preference: 10, exchange: host }] },
      [host]: { A: ['127.0.0.51'] },
      [`_25._tcp.${host}`]: { TLSA: records },
    });
    const { addresses } = await world.checkAnew('mail.test');
    const ours = (addresses[0]?.['dane'] as { readonly state: string } | undefined)?.state ?? '';
    const theirs = await askOpenssl({ at: '127.0.0.51', port: world.port }, records);
    compared.push([name, ours, theirs, judge(ours, theirs, right)]);
    console.log(compared.at(-1)?.join(' · '));
  }
  await world.close();
  const agree = compared.filter(([, ours, theirs]) => ours === theirs).length;
  return {
    title: 'DANE of mail hosts beside OpenSSL',
    about: `Scripted mail hosts with signed TLSA records: what smtp-check says of each, and whether \`openssl s_client -starttls smtp -dane_tlsa_domain\` verifies it with the same records. ${agree} of ${rows.length} agree.`,
    columns: ['host', 'smtp-check', 'OpenSSL', 'who is right (RFC 7672)'],
    rows: compared,
    limits:
      's_client judges certificates, not the conversation before them: what a host answers to EHLO and STARTTLS is not read.',
  };
}

function judge(ours: string, theirs: string, right: Row['right']): string {
  if (ours === theirs) return right === undefined ? 'both' : 'nobody';
  if (right === undefined) return 'not explained';
  const who = ours === right.state ? 'smtp-check' : theirs === right.state ? 'OpenSSL' : 'nobody';
  return `${who}: ${right.why}`;
}
