import { X509Certificate } from 'node:crypto';
import { expect, test, vi } from 'vitest';
import { z } from 'zod';
import { otherCertificateSchema, sslReportShape } from '#shared/catalogue/ssl-check/report';
import { rules } from '#shared/catalogue/ssl-check/rules';
import { type CertificateCode, certificateRules } from '#shared/catalogue/ssl-check/rules/certificate';
import { listVerdicts } from '#shared/model/finding';
import { codesOf } from '#shared/model/verdict';
import { buildChain } from '../../../worker/certificates/chain.ts';
import { extensionIds } from '../../../worker/certificates/grammar/certificate-extensions.ts';
import { readRevocationList } from '../../../worker/certificates/revocation-list.ts';
import { assessSsl } from '../../../worker/checks/ssl-check/assess.ts';
import type { Connected, HelloAccepted, SslEvidence } from '../../../worker/checks/ssl-check/evidence.ts';
import {
  accepts,
  asked,
  at,
  certificateOf,
  connected,
  evidenceOf,
  intermediate,
  leaf,
  leafWith,
  modern,
  otherIntermediate,
  publicPolicy,
  question,
  root,
  stopped,
} from './evidence-of.ts';
import { type Issued, issueCertificate, makeKey, sealWith, type Wishes } from './issue-certificate.ts';
import { der, integer, objectIdentifier, sequence, time, writeOcspResponse } from './write-der.ts';
import { writeEntry, writeRevocationList } from './write-revocation-list.ts';
import { logs, timestamps } from './write-timestamps.ts';

const key = makeKey('rsa2048');
const rsaWith = (wishes: Partial<Wishes> = {}) => leafWith({ key, ...wishes });
const rsa = rsaWith();
const base64Of = (chain: readonly Issued[]) => chain.map(({ base64 }) => base64);
const noList = { kind: 'unknown', url: null, reason: 'the certificate names no CRL' } as const;

type More = {
  readonly ocspResponse?: string;
  readonly list?: SslEvidence['revocationList'];
};

/** Beside the usual certificate with an ECDSA key these are sent to clients that know RSA only. */
const beside = (chain: readonly Issued[], { ocspResponse, list }: More = {}) => {
  const shown: Partial<Connected> = { protocol: 'TLSv1.2', certificates: base64Of(chain) };
  const answer: Partial<HelloAccepted> = { chain: 1, ocspResponse: ocspResponse ?? null };
  return {
    chains: [base64Of([leaf, intermediate]), base64Of(chain)],
    questions: asked(question('TLSv1.2', 'sound', [accepts(0xc02b), accepts(0xc02f, answer)])),
    otherKind: {
      kind: 'RSA',
      answer: {
        kind: 'shown',
        handshake: connected({ ...shown, ocspResponse: ocspResponse ?? null }),
        revocationList: list ?? noList,
      },
    },
  } satisfies Partial<SslEvidence>;
};
const own = (wishes: Partial<Wishes>) => beside([rsaWith(wishes), intermediate]);

const serial = [0x11, 0x22];
const stapled = rsaWith({ serial });
const staple = (status: Uint8Array, about = serial, nextUpdate = '2026-11-27T00:00:00') =>
  Buffer.from(
    writeOcspResponse(
      [{ serial: about, status, thisUpdate: '2026-11-20T00:00:00', nextUpdate }],
      sealWith(intermediate.key),
    ),
  ).toString('base64');
const withStaple = (ocspResponse: string) => beside([stapled, intermediate], { ocspResponse });
const mustStaple = [{ id: extensionIds.tlsFeature, value: sequence(integer(5)) }];
const good = der(0x80);
const revokedAt = der(0xa1, time('2026-11-01T00:00:00'));
const listed = (...entries: Uint8Array[]): SslEvidence['revocationList'] => {
  const bytes = writeRevocationList({ issuer: intermediate, entries });
  const content = readRevocationList(bytes, certificateOf(stapled), certificateOf(intermediate));
  if (typeof content === 'string') throw new Error(content);
  return { kind: 'list', url: 'http://crl.test/1', ...content };
};
const privateRoot = issueCertificate({
  subject: 'Private Root',
  issuer: null,
  isAuthority: true,
  notBefore: '2020-01-01T00:00:00',
  notAfter: '2040-01-01T00:00:00',
});
const notForServers = {
  id: extensionIds.extendedKeyUsage,
  value: sequence(objectIdentifier('1.3.6.1.5.5.7.3.2')),
};
const rsaIntermediate = issueCertificate({
  subject: 'RSA Intermediate',
  issuer: root,
  key,
  isAuthority: true,
  notBefore: '2020-01-01T00:00:00',
  notAfter: '2040-01-01T00:00:00',
});
const expiredIntermediate = issueCertificate({
  subject: 'Intermediate',
  issuer: root,
  key: intermediate.key,
  isAuthority: true,
  notBefore: '2020-01-01T00:00:00',
  notAfter: '2026-11-01T00:00:00',
});

const rows: readonly (readonly [name: string, change: Partial<SslEvidence>, ...CertificateCode[]])[] = [
  ['both are good', beside([rsa, intermediate])],
  ['it has expired', own({ notAfter: '2026-11-20T00:00:00' }), 'certificate-expired'],
  ['it is not valid yet', own({ notBefore: '2026-12-01T00:00:00' }), 'certificate-not-yet-valid'],
  ['it is for another name', own({ names: ['b.test'] }), 'certificate-name-mismatch'],
  ['it names its host in the common name only', own({ names: [] }), 'certificate-subject-alt-name-missing'],
  ['it is signed by itself', beside([rsaWith({ issuer: null })]), 'certificate-self-signed'],
  [
    'its root is unknown, and sent',
    beside([rsaWith({ issuer: privateRoot }), privateRoot]),
    'certificate-root-unknown',
    'chain-root-sent',
  ],
  ['its purpose does not fit', own({ extensions: [notForServers] }), 'certificate-not-trusted'],
  [
    'MD5',
    beside([rsaWith({ issuer: rsaIntermediate, hash: 'md5' }), rsaIntermediate]),
    'certificate-signature-broken',
  ],
  ['its own staple says revoked', withStaple(staple(revokedAt)), 'certificate-revoked'],
  [
    'its own CRL says revoked',
    beside([stapled, intermediate], { list: listed(writeEntry(serial, undefined, 1)) }),
    'certificate-revoked',
  ],
  ['SHA-1', own({ hash: 'sha1', issuer: intermediate }), 'certificate-signature-weak'],
  ['no intermediate', beside([rsa]), 'chain-incomplete'],
  ['another intermediate', beside([rsa, otherIntermediate]), 'chain-intermediate-wrong', 'chain-surplus'],
  ['an intermediate that has expired', beside([rsa, expiredIntermediate]), 'chain-certificate-expired'],
  ['the wrong order', beside([rsa, root, intermediate]), 'chain-misordered', 'chain-root-sent'],
  ['it lasts for too long', own({ notAfter: '2027-12-30T00:00:00' }), 'certificate-lifetime-long'],
  ['two days left', own({ notAfter: '2026-11-23T03:00:00' }), 'certificate-expires-within-days'],
  ['two weeks left', own({ notAfter: '2026-12-04T03:00:00' }), 'certificate-expires-soon'],
  ['must-staple without a staple', own({ extensions: mustStaple }), 'must-staple-not-stapled'],
  ['its staple has run out', withStaple(staple(good, serial, '2026-11-20T12:00:00')), 'ocsp-staple-outdated'],
  ['its staple is about another', withStaple(staple(good, [0x77])), 'ocsp-staple-invalid'],
  ['its staple is good, and the other needs none', withStaple(staple(good))],
  ['no log knows it', own({ extensions: [publicPolicy] }), 'certificate-timestamps-few'],
  [
    'one operator runs all of its logs',
    own({ extensions: [publicPolicy, timestamps(logs.first, logs.second)] }),
    'certificate-timestamps-not-accepted',
  ],
  [
    'one of its logs did not sign the timestamp',
    own({ extensions: [publicPolicy, timestamps(logs.first, logs.other, { wrong: logs.second })] }),
    'certificate-timestamp-signature-wrong',
  ],
];

const judge = (change: Partial<SslEvidence>) => {
  const { verdicts, fields } = assessSsl(evidenceOf(change));
  const { findings, passed, notTested } = listVerdicts(rules, verdicts);
  return { verdicts, fields, findings, passed, notTested };
};
const certificateFindings = (change: Partial<SslEvidence>) =>
  judge(change).findings.filter(({ part }) => part === 'certificate');

test.for(rows)('the RSA certificate beside an ECDSA one: %s', ([, change, ...broken]) => {
  const found = certificateFindings(change);
  expect(found.map(({ code }) => code).sort()).toEqual([...broken].sort());
  for (const { detail, evidence } of found) {
    expect(evidence).toMatchObject([{ key: 'RSA 2048', sha256: expect.stringMatching(/^[0-9a-f]{64}$/) }]);
    expect(detail).toContain('RSA 2048');
    expect(detail).not.toMatch(/[{}]/);
  }
});

test('each rule about certificates has a row in which the second one breaks it', () => {
  const others: readonly CertificateCode[] = ['certificate-key-small', 'certificate-key-type-unsupported'];
  const seen = [...rows.flatMap(([, , ...broken]) => broken), ...others];
  expect(codesOf(certificateRules).filter((code) => !seen.includes(code))).toEqual([]);
});

test.for([
  ['certificate-key-small', makeKey('rsa1024'), 'RSA 1024'],
  ['certificate-key-type-unsupported', makeKey('ed25519'), 'Ed25519'],
] as const)('%s names the key that breaks it', ([code, second, name]) => {
  const found = certificateFindings(beside([leafWith({ key: second }), intermediate]));
  expect(found).toMatchObject([{ code, evidence: [{ key: name }] }]);
});

test('the first one is named where it alone is broken', () => {
  const expired = leafWith({ notAfter: '2026-11-20T00:00:00' });
  const shown = connected({
    certificates: base64Of([expired, intermediate]),
  });
  const { chains, ...rest } = beside([rsa, intermediate]);
  const found = certificateFindings({
    ...rest,
    handshakes: modern(shown),
    chains: [base64Of([expired, intermediate]), ...chains.slice(1)],
  });
  expect(found).toMatchObject([{ code: 'certificate-expired', evidence: [{ key: 'EC 256' }] }]);
});

test('what both break is told of both', () => {
  const [first, second] = [leafWith({ names: ['b.test'] }), rsaWith({ names: ['c.test'] })];
  const { chains, ...rest } = beside([second, intermediate]);
  const found = certificateFindings({
    ...rest,
    handshakes: modern(connected({ certificates: base64Of([first, intermediate]) })),
    chains: [base64Of([first, intermediate]), ...chains.slice(1)],
  });
  expect(found).toMatchObject([{ evidence: [{ names: 'b.test' }, { names: 'c.test' }] }]);
});

test('one certificate alone is named without its key', () => {
  const found = certificateFindings({
    handshakes: modern(connected({ certificates: [leaf.base64] })),
    chains: [[leaf.base64]],
  });
  expect(found).toMatchObject([{ code: 'chain-incomplete', evidence: [{ subject: 'a.test' }] }]);
  expect(found[0]?.evidence[0]).not.toHaveProperty('key');
});

test('the same leaf in two chains is one certificate', () => {
  const { fields } = judge({
    chains: [[leaf.base64, intermediate.base64], [leaf.base64]],
    questions: asked(question('TLSv1.2', 'sound', [accepts(0xc02b), accepts(0xc02c, { chain: 1 })])),
  });
  expect(fields['otherCertificates']).toEqual([]);
});

const unshaken = {
  ...beside([rsaWith({ notAfter: '2026-11-23T03:00:00' }), expiredIntermediate]),
  otherKind: { kind: 'RSA', answer: { kind: 'unknown', reason: 'there was no time left' } },
} as const satisfies Partial<SslEvidence>;

test('a second one that no handshake showed is judged by its chain as it was sent in clear', () => {
  const { findings, notTested } = judge(unshaken);
  expect(findings.map(({ code }) => code)).toEqual([
    'chain-certificate-expired',
    'certificate-expires-within-days',
  ]);
  expect(notTested.map(({ code }) => code)).toEqual(['certificate-revoked']);
});

test('trust is told of each: a broken second one does not take it from the first', () => {
  const { fields } = judge(own({ notAfter: '2026-11-20T00:00:00' }));
  expect(fields).toMatchObject({
    trust: { trusted: true, error: null },
    otherCertificates: [{ judged: true, versions: ['TLSv1.2'], trust: { trusted: false, error: 'expired' } }],
    sslLabsEquivalent: 'T',
  });
});

test('the report shows the second one with its chain, and keeps its shape', () => {
  const { fields } = judge(withStaple(staple(good)));
  expect(fields).toMatchObject({
    ocspStaple: null,
    otherCertificates: [
      {
        role: 'leaf',
        key: { type: 'RSA', bits: 2048 },
        chain: [{ role: 'leaf' }, { role: 'intermediate' }],
        ocspStaple: { status: 'good' },
        revocation: 'good',
      },
    ],
    otherKeyKind: { kind: 'RSA', presence: 'shown', reason: null },
  });
  const { target: _target, ...shape } = sslReportShape;
  expect(z.strictObject(shape).safeParse(fields).error).toBeUndefined();
});

test('what the report says of the first certificate, the shape of a second one has too', () => {
  const { otherCertificates } = judge(withStaple(staple(good))).fields;
  const unlisted = Object.keys(otherCertificates[0] ?? {}).filter(
    (field) => Object.hasOwn(sslReportShape, field) && !Object.hasOwn(otherCertificateSchema.shape, field),
  );
  expect(otherCertificates[0]).toMatchObject({ revocationSources: ['OCSP staple'] });
  expect(unlisted).toEqual([]);
});

test.for([
  ['none: every suite was asked for', {}, 'none'],
  ['none: the server refused', { otherKind: { kind: 'RSA', answer: { kind: 'refused' } } }, 'none'],
  [
    'unknown: a question was cut off',
    { questions: asked(question('TLSv1.2', 'sound', [accepts(0xc02b)], stopped)) },
    'unknown',
  ],
  [
    'unknown: so it was said',
    { otherKind: { kind: 'RSA', answer: { kind: 'unknown', reason: 'late' } } },
    'unknown',
  ],
] as const)('a second kind of key is %s', ([, change, presence]) => {
  expect(judge(change).fields['otherKeyKind']).toMatchObject({ kind: 'RSA', presence });
});

test('what SSL 3.0 shows is told, not judged: it has no SNI', () => {
  const strange = leafWith({ names: ['default.test'] });
  const { findings, fields } = judge({
    chains: [base64Of([leaf, intermediate]), base64Of([strange])],
    questions: asked(
      question('SSLv3', 'old', [accepts(0x0005, { chain: 1 })], stopped),
      question('SSLv3', 'oldDangerous', [accepts(0x0005, { chain: 1 })]),
    ),
  });
  expect(findings.filter(({ part }) => part === 'certificate')).toEqual([]);
  expect(fields['otherCertificates']).toMatchObject([{ names: ['default.test'], judged: false }]);
});

test('of very many the first 32 are judged, and the rest is not passed over', () => {
  const many = Array.from({ length: 35 }, () => rsaWith());
  const { passed, notTested, fields } = judge({
    chains: many.map((one) => base64Of([one, intermediate])),
    questions: asked(
      question(
        'TLSv1.2',
        'sound',
        many.map((_, chain) => accepts(0xc02f, { chain })),
      ),
    ),
  });
  expect(passed).not.toContain('certificate-expired');
  expect(notTested.find(({ code }) => code === 'certificate-expired')?.reason).toContain(
    '4 certificates more',
  );
  const others = fields['otherCertificates'] as readonly { readonly judged: boolean }[];
  expect(others.filter(({ judged }) => judged)).toHaveLength(31);
  expect(others.filter(({ judged }) => !judged)).toHaveLength(4);
});

test('a chain of an answer that was not kept is judged too', () => {
  const expired = leafWith({ notAfter: '2026-11-01T00:00:00' });
  const chains = [base64Of([leaf, intermediate]), base64Of([expired, intermediate])];
  const { findings, notTested } = judge({ chains });
  expect(findings.map(({ code }) => code)).toContain('certificate-expired');
  expect(notTested.map(({ code }) => code)).not.toContain('certificate-expired');
});

test('the chain that SSL 3.0 shows is that of the default host', () => {
  const expired = leafWith({ notAfter: '2026-11-01T00:00:00' });
  const { passed } = judge({
    chains: [base64Of([leaf, intermediate]), base64Of([expired, intermediate])],
    questions: asked(
      question('TLSv1.2', 'sound', [accepts(0xc02b)]),
      question('SSLv3', 'old', [accepts(0xc00a, { chain: 1 })]),
    ),
  });
  expect(passed).toContain('certificate-expired');
});

test('a leaf that cannot be read leaves its intermediates without a meaning', () => {
  const { findings, notTested } = judge({
    chains: [base64Of([leaf, intermediate]), ['AAAA', intermediate.base64]],
    questions: asked(question('TLSv1.2', 'sound', [accepts(0xc02b), accepts(0xc02f, { chain: 1 })])),
  });
  expect(findings).toEqual([]);
  expect(notTested.find(({ code }) => code === 'certificate-name-mismatch')?.reason).toBe(
    'a certificate could not be read',
  );
});

const tlsaOf = (...certificates: readonly Issued[]) => ({
  names: {
    ...evidenceOf().names,
    tlsa: {
      kind: 'answer',
      isSecure: true,
      found: certificates.map((one) => ({
        usage: 3,
        selector: 0,
        matchingType: 0,
        certificate: one.der.toString('hex'),
      })),
    } as const,
  },
});
test.for([
  ['of both hold', [leaf, rsa], 0],
  ['of one leave the other without', [leaf], 1],
] as const)('TLSA records %s', ([, published, broken]) => {
  const { findings } = judge({ ...beside([rsa, intermediate]), ...tlsaOf(...published) });
  expect(findings.filter(({ code }) => code === 'tlsa-mismatch')).toHaveLength(broken);
});

test('a client without SNI that is shown the second one is shown no other', () => {
  const withoutName = connected({ certificates: base64Of([rsa, intermediate]) });
  expect(judge({ ...beside([rsa, intermediate]), withoutName }).passed).toContain('sni-default-differs');
});

const context = { anchors: [root].map(certificateOf), at };

test('hundreds of certificates that fit each other are followed eight steps far', () => {
  // Each is issued by the one before it, under names of their own.
  const tower = Array.from({ length: 40 }).reduce<Issued[]>(
    (all, _, level) => [
      ...all,
      issueCertificate({ subject: `Level ${level}`, issuer: all.at(-1) ?? root, isAuthority: true }),
    ],
    [],
  );
  const top = tower.at(-1) ?? root;
  const { path, trust } = buildChain([leafWith({ issuer: top }), ...tower].map(certificateOf), context);
  expect(path).toHaveLength(8);
  expect(trust).toMatchObject({ kind: 'untrusted' });
});

test('of two hundred that bear two names and one key each, a hundred signatures are checked', () => {
  const tries = vi.spyOn(X509Certificate.prototype, 'verify');
  const names = ['One', 'Other'] as const;
  const [one, other] = names.map((subject) => issueCertificate({ subject, issuer: null, isAuthority: true }));
  const crowd = Array.from({ length: 200 }, (_, index) =>
    issueCertificate({
      subject: names[index % 2] ?? '',
      issuer: (index % 2 === 0 ? other : one) ?? null,
      isAuthority: true,
    }),
  );
  const { trust } = buildChain([leafWith({ issuer: one ?? root }), ...crowd].map(certificateOf), context);
  expect(trust).toMatchObject({ kind: 'untrusted', path: { length: 1 } });
  // A hundred for the path, thirty for what is surplus, and whether the leaf is its own issuer.
  expect(tries.mock.calls.length).toBeLessThanOrEqual(131);
  tries.mockRestore();
});

test('the issuer is found behind a hundred of other names', () => {
  const crowd = Array.from({ length: 100 }, (_, at) =>
    issueCertificate({ subject: `CA ${at}`, issuer: root }),
  );
  const { path } = buildChain([leaf, ...crowd, intermediate, root].map(certificateOf), context);
  expect(path).toEqual(
    [leaf, intermediate, root].map(certificateOf).map(({ sha256 }) => expect.objectContaining({ sha256 })),
  );
});
