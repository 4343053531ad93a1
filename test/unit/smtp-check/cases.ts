import { generateKeyPairSync } from 'node:crypto';
import type { SmtpCode } from '#shared/catalogue/smtp-check/rules';
import type { SmtpEvidence } from '../../../worker/checks/smtp-check/evidence.ts';
import { issueCertificate } from '../ssl-check/issue-certificate.ts';
import {
  address,
  connected,
  declined,
  domain,
  expired,
  failed,
  host,
  intermediate,
  leaf,
  ofOther,
  one,
  ownMade,
  plain,
  root,
  said,
  seen,
  silent,
  sts,
  talked,
  tlsa,
  unasked,
} from './mail.ts';

type Case = {
  readonly name: string;
  readonly evidence: SmtpEvidence;
  /** Exactly these rules are broken. */
  readonly broken: readonly SmtpCode[];
  readonly score?: number | null;
};

export const good = talked();
const other = { host: 'mx2.a.test' };
const retried = { offer: 'legacy', talk: failed } as const;
const ofOtherName = talked({ handshake: connected([ofOther, intermediate]) });
export const small = { usage: 3, selector: 1, matchingType: 1, certificate: '00'.repeat(32) };
const ipv6 = '2001:db8::1';

const connection: readonly Case[] = [
  { name: 'a host that encrypts and is trusted', evidence: one(good), broken: [], score: 100 },
  {
    name: 'silence while another host is heard',
    evidence: domain([host([address(good)]), host([address(silent())], other)]),
    broken: ['mail-host-unreachable'],
    score: 91,
  },
  {
    name: 'silence of the only host, and nobody knows why',
    evidence: { ...one(silent()), port: 'unknown' },
    broken: [],
    score: null,
  },
  {
    name: 'silence while port 25 is blocked',
    evidence: { ...one(silent()), port: 'blocked' },
    broken: [],
    score: null,
  },
  {
    name: 'silence while a control host answers',
    evidence: { ...one(silent('connection-refused')), port: 'open' },
    broken: ['mail-host-unreachable'],
    score: null,
  },
  {
    name: 'one address of two is dead',
    evidence: domain([host([address(good), address(silent(), null, ipv6)])]),
    broken: ['mail-host-address-unreachable'],
    score: 98,
  },
  {
    name: 'an address that this machine has no way to',
    evidence: domain([
      host([
        address(good),
        address(
          { kind: 'failure', code: 'network-unreachable', reason: 'there is no route to the host' },
          null,
          ipv6,
        ),
      ]),
    ]),
    broken: [],
    score: 100,
  },
  {
    name: 'another protocol on port 25',
    evidence: one(
      talked({
        greeting: { kind: 'malformed', reason: 'a line is no reply of SMTP', text: 'HTTP/1.1 400' },
        ehlo: null,
      }),
    ),
    broken: ['mail-host-not-smtp'],
    score: null,
  },
  {
    name: '421 in place of a greeting',
    evidence: one(declined(421, 'too many connections')),
    broken: ['mail-host-declined'],
    score: null,
  },
  {
    name: '554 in place of a greeting',
    evidence: one(declined(554, 'no')),
    broken: ['mail-host-declined'],
    score: null,
  },
  {
    name: '550 to EHLO',
    evidence: one(
      talked({ ehlo: said(550, 'who are you'), startTls: null, handshake: null, ehloAfter: null }),
    ),
    broken: ['mail-host-declined'],
    score: null,
  },
  {
    name: 'a server that knows no EHLO',
    evidence: one(talked({ ehlo: said(502, 'what'), startTls: null, handshake: null, ehloAfter: null })),
    broken: ['ehlo-unsupported', 'starttls-missing'],
    score: 71,
  },
  {
    name: 'a firewall that hides the greeting',
    evidence: one(talked({ greeting: said(220, '*********') })),
    broken: ['greeting-name-missing'],
    score: 100,
  },
  {
    name: 'two hosts that show one certificate, which names one of them',
    evidence: domain([host([address(good)]), host([address(good, null, ipv6)], { host: 'b.mx.test' })]),
    broken: ['smtp-certificate-unverified', 'mail-hosts-differ'],
    score: 100,
  },
  {
    name: 'two addresses alike',
    evidence: domain([host([address(good), address(good, null, ipv6)])]),
    broken: [],
    score: 100,
  },
  {
    name: 'two hosts of which one encrypts',
    evidence: domain([host([address(good)]), host([address(plain)], other)]),
    broken: ['mail-hosts-differ', 'starttls-missing'],
    score: 80,
  },
];

const encryption: readonly Case[] = [
  { name: 'no STARTTLS', evidence: one(plain), broken: ['starttls-missing'], score: 80 },
  {
    name: 'two handshakes that fail',
    evidence: one(failed, retried),
    broken: ['starttls-broken'],
    score: 80,
  },
  { name: 'one handshake that fails, and no second try', evidence: one(failed), broken: [], score: null },
  {
    name: 'a second try that succeeds',
    evidence: one(failed, { offer: 'legacy', talk: good }),
    broken: [],
    score: 100,
  },
  {
    name: 'a second try that meets a busy host',
    evidence: one(failed, { offer: 'legacy', talk: declined(421, 'busy') }),
    broken: [],
    score: null,
  },
  {
    name: '454 to STARTTLS',
    evidence: one(talked({ startTls: said(454, 'not now'), handshake: null, ehloAfter: null })),
    broken: [],
    score: null,
  },
  {
    name: '554 to STARTTLS',
    evidence: one(talked({ startTls: said(554, 'never'), handshake: null, ehloAfter: null })),
    broken: ['starttls-broken'],
    score: 80,
  },
  {
    name: 'STARTTLS again behind the handshake',
    evidence: one(talked({ ehloAfter: said(250, 'mx.a.test', 'STARTTLS') })),
    broken: ['starttls-offered-again'],
    score: 100,
  },
  {
    name: 'no answer to the second EHLO',
    evidence: one(talked({ ehloAfter: { kind: 'closed' } })),
    broken: [],
    score: 100,
  },
  {
    name: 'bytes before the handshake',
    evidence: one(talked({ droppedBytes: 9 })),
    broken: ['starttls-early-bytes'],
    score: 98,
  },
  {
    name: 'nothing newer than TLS 1.0',
    evidence: one(failed, {
      offer: 'legacy',
      talk: talked({ handshake: connected(undefined, { protocol: 'TLSv1' }) }),
    }),
    broken: ['smtp-tls12-missing'],
    score: 91,
  },
  {
    name: 'TLS 1.1 beside newer versions',
    evidence: one(good, {
      offer: 'old',
      talk: talked({ handshake: connected(undefined, { protocol: 'TLSv1.1' }) }),
    }),
    broken: ['smtp-tls-old-versions'],
    score: 98,
  },
  {
    name: 'a host that does not talk again',
    evidence: one(good, { offer: 'old', talk: unasked }),
    broken: [],
    score: 100,
  },
  {
    name: 'a weak suite',
    evidence: one(failed, {
      offer: 'legacy',
      talk: talked({
        handshake: connected(undefined, { protocol: 'TLSv1.2', suite: 'TLS_RSA_WITH_3DES_EDE_CBC_SHA' }),
      }),
    }),
    broken: ['smtp-suites-weak'],
    score: 91,
  },
  {
    name: 'a certificate that a Debian machine made for itself',
    evidence: one(talked({ handshake: connected([ownMade]) })),
    broken: ['smtp-certificate-unverified'],
    score: 100,
  },
  {
    name: 'a certificate of another name',
    evidence: one(ofOtherName),
    broken: ['smtp-certificate-unverified'],
    score: 100,
  },
  {
    name: 'bytes that are no certificate',
    evidence: one(talked({ handshake: connected([], { certificates: ['AAAA'] }) })),
    broken: ['smtp-certificate-unverified'],
    score: 100,
  },
];

export const dane = (
  records: Parameters<typeof tlsa>[],
  first = good,
  second: Parameters<typeof one>[1] = null,
) => one(first, second, { records: records.map((record) => tlsa(...record)) });

const proof: readonly Case[] = [
  { name: '3 1 1 of the key', evidence: dane([[3, 1, 1, leaf]]), broken: [] },
  { name: '3 0 2 of the certificate', evidence: dane([[3, 0, 2, leaf]]), broken: [] },
  { name: '3 1 0, the whole key', evidence: dane([[3, 1, 0, leaf]]), broken: [] },
  {
    name: 'a roll-over: one of two records matches',
    evidence: dane([
      [3, 1, 1, ofOther],
      [3, 1, 1, leaf],
    ]),
    broken: [],
  },
  { name: '2 0 1 of the intermediate', evidence: dane([[2, 0, 1, intermediate]]), broken: [] },
  {
    name: '2 1 1 of a root that is not sent',
    evidence: dane([[2, 1, 1, root]]),
    broken: ['dane-certificate-mismatch'],
  },
  { name: '2 0 0, the root itself in the record', evidence: dane([[2, 0, 0, root]]), broken: [] },
  {
    name: 'an authority of the record and another name: usage 2 compares names',
    evidence: dane([[2, 0, 1, intermediate]], ofOtherName),
    broken: ['dane-certificate-mismatch'],
  },
  {
    name: 'usage 2 of the certificate itself, which is no authority',
    evidence: dane([[2, 0, 1, leaf]]),
    broken: ['dane-certificate-mismatch'],
  },
  {
    name: 'usage 2 compares dates',
    evidence: dane([[2, 0, 1, intermediate]], talked({ handshake: connected([expired, intermediate]) })),
    broken: ['dane-certificate-mismatch'],
  },
  {
    name: 'usage 3 compares neither names nor dates',
    evidence: dane([[3, 1, 1, expired]], talked({ handshake: connected([expired, intermediate]) })),
    broken: [],
  },
  {
    name: 'a self-signed certificate with its record',
    evidence: dane([[3, 1, 1, ownMade]], talked({ handshake: connected([ownMade]) })),
    broken: [],
  },
  { name: 'another key', evidence: dane([[3, 1, 1, ofOther]]), broken: ['dane-certificate-mismatch'] },
  {
    name: 'of two digests of one key only the stronger counts',
    evidence: dane([
      [3, 1, 1, leaf],
      [3, 1, 2, ofOther],
    ]),
    broken: ['dane-certificate-mismatch'],
  },
  {
    name: 'usages 0 and 1 are of no use, and no harm',
    evidence: dane([
      [0, 0, 1, ofOther],
      [1, 1, 1, ofOther],
    ]),
    broken: [],
  },
  {
    name: 'usage 1 and no STARTTLS',
    evidence: dane([[1, 1, 1, leaf]], plain),
    broken: ['starttls-missing', 'dane-starttls-missing'],
  },
  {
    name: 'records and no STARTTLS',
    evidence: dane([[3, 1, 1, leaf]], plain),
    broken: ['starttls-missing', 'dane-starttls-missing'],
  },
  {
    name: 'records and a broken handshake',
    evidence: dane([[3, 1, 1, leaf]], failed, retried),
    broken: ['starttls-broken', 'dane-starttls-missing'],
  },
  {
    name: 'records and 454 to STARTTLS',
    evidence: dane(
      [[3, 1, 1, leaf]],
      talked({ startTls: said(454, 'not now'), handshake: null, ehloAfter: null }),
    ),
    broken: [],
  },
  {
    name: 'TLSA in a zone that is not signed',
    evidence: one(good, null, { records: [small], isSigned: false }),
    broken: [],
  },
  {
    name: 'a resolver that does not validate',
    evidence: { ...one(good, null, { records: [small] }), resolverValidates: false },
    broken: [],
  },
  {
    name: 'TLSA that cannot be read',
    evidence: one(good, null, {
      tlsa: [seen('_25._tcp.mx.a.test', 'TLSA', [], { outcome: 'unknown', why: 'no answer', secure: false })],
    }),
    broken: [],
  },
  {
    name: 'an alias counts at its end, where all of it is signed',
    evidence: one(good, null, {
      alias: seen('mx.a.test', 'CNAME', ['real.b.test']),
      tlsa: [
        seen('_25._tcp.real.b.test', 'TLSA', [{ ...tlsa(3, 1, 1, leaf) }]),
        seen('_25._tcp.mx.a.test', 'TLSA', [{ ...small }]),
      ],
    }),
    broken: [],
  },
  {
    name: 'an alias into a zone that is not signed counts at its beginning',
    evidence: one(good, null, {
      lookups: [seen('mx.a.test', 'A', ['192.0.2.1'], { secure: false }), seen('mx.a.test', 'AAAA', [])],
      alias: seen('mx.a.test', 'CNAME', ['real.b.test']),
      tlsa: [
        seen('_25._tcp.real.b.test', 'TLSA', [{ ...small }], { secure: false }),
        seen('_25._tcp.mx.a.test', 'TLSA', [{ ...tlsa(3, 1, 1, leaf) }]),
      ],
    }),
    broken: [],
  },
  {
    name: 'records that are not signed at the end of an alias leave those at its beginning',
    evidence: one(good, null, {
      alias: seen('mx.a.test', 'CNAME', ['real.b.test']),
      tlsa: [
        seen('_25._tcp.real.b.test', 'TLSA', [{ ...small }], { secure: false }),
        seen('_25._tcp.mx.a.test', 'TLSA', [{ ...tlsa(3, 1, 1, ofOther) }]),
      ],
    }),
    broken: ['dane-certificate-mismatch'],
  },
  { name: 'a policy that is kept', evidence: { ...one(good), sts: sts('enforce') }, broken: [] },
  {
    name: 'a policy and another name',
    evidence: { ...one(ofOtherName), sts: sts('enforce') },
    broken: ['mta-sts-host-refused'],
  },
  {
    name: 'a policy and a self-signed certificate',
    evidence: { ...one(talked({ handshake: connected([ownMade]) })), sts: sts('enforce') },
    broken: ['mta-sts-host-refused'],
  },
  {
    name: 'a policy and no STARTTLS',
    evidence: { ...one(plain), sts: sts('enforce') },
    broken: ['starttls-missing', 'mta-sts-host-refused'],
  },
  { name: 'a policy in test that is kept', evidence: { ...one(good), sts: sts('testing') }, broken: [] },
  {
    name: 'a policy in test and another name',
    evidence: { ...one(ofOtherName), sts: sts('testing') },
    broken: ['mta-sts-host-refused-testing'],
  },
  {
    name: 'a policy that says none',
    evidence: { ...one(ofOtherName), sts: sts('none') },
    broken: ['smtp-certificate-unverified'],
  },
  {
    name: 'a policy for other hosts is told by dns-check',
    evidence: { ...one(good), sts: sts('enforce', 'mx.b.test') },
    broken: [],
  },
  {
    name: 'where a policy is for other hosts, the certificate is judged as any other',
    evidence: { ...one(ofOtherName), sts: sts('enforce', 'mx.b.test') },
    broken: ['smtp-certificate-unverified'],
  },
  {
    name: 'a policy that cannot be fetched',
    evidence: {
      ...one(good),
      sts: { ...sts('enforce'), policy: { kind: 'failure', code: 'response-timeout', reason: 'late' } },
    },
    broken: [],
  },
  {
    name: 'DANE holds though no public CA knows the host',
    evidence: { ...dane([[3, 1, 1, ofOther]], ofOtherName) },
    broken: [],
  },
];

const rest: readonly Case[] = [
  {
    name: 'a null MX',
    evidence: domain([], { mx: seen('a.test', 'MX', [{ preference: 0, exchange: '' }]) }),
    broken: [],
    score: null,
  },
  { name: 'neither MX nor address', evidence: domain([]), broken: [], score: null },
  {
    name: 'MX that cannot be read',
    evidence: domain([], {
      mx: seen('a.test', 'MX', [], { outcome: 'unknown', why: 'the resolver answered SERVFAIL' }),
    }),
    broken: [],
    score: null,
  },
  {
    name: 'a host that may not be talked to',
    evidence: domain([
      host([], { failure: { code: 'target-address-not-allowed', reason: 'its address is not public' } }),
    ]),
    broken: ['target-address-not-allowed'],
    score: null,
  },
  {
    name: 'STARTTLS in the first line of the answer to EHLO',
    evidence: one(
      talked({
        ehlo: { kind: 'reply', code: 250, lines: ['STARTTLS', 'SIZE 1'] },
        startTls: null,
        handshake: null,
        ehloAfter: null,
      }),
    ),
    broken: ['starttls-missing'],
    score: 80,
  },
  {
    name: 'a longer answer to EHLO than we read',
    evidence: one(
      talked({
        ehlo: { kind: 'malformed', reason: 'a reply has more than 512 lines', text: 'x', isOurLimit: true },
        startTls: null,
        handshake: null,
        ehloAfter: null,
      }),
    ),
    broken: [],
    score: null,
  },
  {
    name: 'a host of which nobody tells the addresses',
    evidence: domain([host([], { failure: { code: 'name-unresolved', reason: 'the DNS gave no answer' } })]),
    broken: [],
    score: null,
  },
  { name: 'no time', evidence: one(unasked), broken: [], score: null },
  {
    name: 'a small key',
    evidence: smallKey(),
    broken: ['smtp-key-weak', 'smtp-certificate-unverified'],
    score: 91,
  },
];

export const cases = [...connection, ...encryption, ...proof, ...rest];

function smallKey(): SmtpEvidence {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });
  const weak = issueCertificate({
    subject: 'mx.a.test',
    issuer: null,
    key: privateKey,
    notBefore: '2026-01-01T00:00:00',
    notAfter: '2027-01-01T00:00:00',
  });
  return one(talked({ handshake: connected([weak]) }));
}
