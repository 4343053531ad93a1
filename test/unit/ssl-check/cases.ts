import type { SslCode } from '#shared/catalogue/ssl-check/rules';
import { extensionIds } from '../../../worker/certificates/grammar/certificate-extensions.ts';
import { readRevocationList } from '../../../worker/certificates/revocation-list.ts';
import type {
  FullEndpoint,
  HelloAccepted,
  Http3Observation,
  QuestionEnd,
  SslEvidence,
} from '../../../worker/checks/ssl-check/evidence.ts';
import { clientProfiles, hybridGroup } from '../../../worker/checks/ssl-check/grammar/client-profiles.ts';
import {
  accepts,
  asked,
  askedOnly,
  at,
  certificateOf,
  connected,
  evidenceOf,
  failed,
  intermediate,
  leaf,
  leafWith,
  modern,
  otherIntermediate,
  publicPolicy,
  question,
  refused,
  root,
  shows,
  stopped,
} from './evidence-of.ts';
import { issueCertificate, makeKey, sealWith } from './issue-certificate.ts';
import {
  der,
  integer,
  objectIdentifier,
  type Seal,
  sequence,
  text,
  time,
  writeOcspResponse,
} from './write-der.ts';
import {
  issuingPoint,
  type ListWishes,
  pointName,
  writeEntry,
  writeExtension,
  writeRevocationList,
} from './write-revocation-list.ts';
import { logs, type Signer, timestampListOf, timestamps, timestampsAt } from './write-timestamps.ts';

type Expected = {
  /** Some that must be among those not tested. */
  readonly notTested?: readonly SslCode[];
  /** Some that must be among those that hold. */
  readonly passed?: readonly SslCode[];
  readonly state?: string;
  readonly trusted?: boolean | null;
};

/** The timestamps of a public certificate come beside it, in a TLS extension. */
const publicLeaf = leafWith({ extensions: [publicPolicy] });
const isLogged = (...signers: readonly Signer[]): Partial<SslEvidence> => ({
  ...shows([publicLeaf, intermediate]),
  questions: asked(
    question('TLSv1.2', 'sound', [
      accepts(0xc02b, { timestampList: timestampListOf(publicLeaf.der, at - 1000, ...signers) }),
      accepts(0xc02c),
    ]),
  ),
});

/** The page offers HTTP/3. */
const http3 = (seen: Http3Observation | null) =>
  ({
    hsts: {
      kind: 'fields',
      url: 'https://a.test/',
      values: ['max-age=31536000'],
      altSvc: ['h3=":443"; ma=86400'],
    },
    http3: seen,
  }) as const satisfies Partial<FullEndpoint>;

type Grade = `${string} ${number}` | null;

/** The first IPv6 address of the name, looked at in full, at which something is otherwise. */
const other = (change: Partial<FullEndpoint>) => {
  const address = '2001:db8::1';
  const { names: _, addresses: __, endpoints: ___, anchors: ____, ...look } = evidenceOf();
  const handshake = connected({ address });
  return { address, handshake, full: { ...look, handshakes: modern(handshake), ...change } };
};

/** What differs from a server without a fault; letter and score, and the codes that are broken (every other one is forbidden). */
export const row = (
  name: string,
  change: Partial<SslEvidence>,
  [grade, ...broken]: readonly [Grade, ...SslCode[]],
  expected: Expected = {},
) => ({ name, change, broken, grade, expected });

/** What clients with large and with short hellos got. */
export const sizes = (large: QuestionEnd | HelloAccepted, short: QuestionEnd | HelloAccepted) =>
  clientProfiles
    .filter(({ matters }) => matters)
    .map(({ hello, keysFor }) => ({
      hello,
      version: null,
      answer: keysFor.includes(hybridGroup) ? large : short,
    }));

/** An answer that clients refuse. */
const notOfferedAnswer = (suite: number) =>
  accepts(suite, { group: 0x11ec, notOffered: { what: 'group', chosen: 0x11ec } });

const names = evidenceOf().names;
const silentRun = { handshakes: [], withoutName: null, chains: [], groups: null } as const;
const unseenHsts = { kind: 'unknown', reason: 'no handshake was completed' } as const;
export const only = (end: Parameters<typeof question>[3]): Partial<SslEvidence> => ({
  ...silentRun,
  hsts: unseenHsts,
  questions: [question('TLSv1.2', 'sound', [], end)],
});
const failure = (
  code:
    | 'name-not-found'
    | 'name-unresolved'
    | 'target-address-not-allowed'
    | 'target-not-allowed'
    | 'connection-refused'
    | 'connection-timeout'
    | 'network-unreachable',
) => only({ kind: 'failure', code, reason: 'so it is' });
const everyVersion = (alert: number): Partial<SslEvidence> => ({
  ...silentRun,
  hsts: unseenHsts,
  handshakes: modern(failed('ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE')),
  questions: asked().map(({ version, set }) => question(version, set, [], refused(alert))),
});

export const connectionRows = [
  row('a name without addresses', failure('name-not-found'), [null, 'name-not-found'], {
    state: 'unreachable',
  }),
  row('a name that cannot be looked up', failure('name-unresolved'), [null, 'name-unresolved'], {
    state: 'unreachable',
  }),
  row('a private address', failure('target-address-not-allowed'), [null, 'target-address-not-allowed'], {
    state: 'unreachable',
  }),
  row('a port that is not checked', failure('target-not-allowed'), [null, 'target-not-allowed'], {
    state: 'unreachable',
  }),
  row('a closed port', failure('connection-refused'), [null, 'connection-refused'], { state: 'unreachable' }),
  row('packets that are dropped', failure('connection-timeout'), [null, 'connection-timeout'], {
    state: 'unreachable',
  }),
  row('no route', failure('network-unreachable'), [null], {
    state: 'unreachable',
    notTested: ['connection-refused', 'connection-timeout'],
  }),
  row('a reset at the greeting', only({ kind: 'refused', by: 'reset' }), [null, 'connection-reset'], {
    state: 'unreachable',
  }),
  row('a hang-up at the greeting', only({ kind: 'refused', by: 'closed' }), [null, 'connection-closed'], {
    state: 'unreachable',
  }),
  row('silence', only({ kind: 'silent' }), [null, 'tls-silent'], { state: 'unreachable' }),
  row('plain HTTP', only({ kind: 'not-tls', isHttp: true }), ['F 20', 'port-speaks-http'], {
    state: 'complete',
  }),
  row('SSH', only({ kind: 'not-tls', isHttp: false }), ['F 20', 'port-not-tls'], { state: 'complete' }),
  row('a server that wants nothing of what is offered', everyVersion(40), [null, 'parameters-not-common'], {
    state: 'unreachable',
    notTested: ['certificate-expired', 'tls12-missing', 'suite-null-offered'],
  }),
  row('a server that does not know the name', everyVersion(112), [null, 'tls-alert'], {
    state: 'unreachable',
  }),
  row(
    'alerts to old versions, and a handshake that our deadline ended',
    { ...everyVersion(70), handshakes: modern(failed('', 'tls-timeout')) },
    [null],
    { notTested: ['parameters-not-common', 'tls-alert', 'tls-silent', 'certificate-expired'] },
  ),
  row(
    'alerts to old versions, and no answer in time to the one of today',
    {
      ...everyVersion(70),
      questions: asked().map(({ version, set }) =>
        question(version, set, [], version === 'TLSv1.3' ? { kind: 'silent' } : refused(70)),
      ),
    },
    [null],
    { notTested: ['parameters-not-common', 'tls-alert'] },
  ),
  row(
    'alerts to old versions, and no connection left for the one of today',
    {
      ...everyVersion(112),
      questions: asked().map(({ version, set }) =>
        question(
          version,
          set,
          [],
          version === 'TLSv1.3' ? { kind: 'stopped', reason: 'so it is' } : refused(112),
        ),
      ),
    },
    [null],
    { notTested: ['parameters-not-common', 'tls-alert'] },
  ),
];

const ed25519 = makeKey('ed25519');
const rsa1024 = makeKey('rsa1024');
const sha1 = { hash: 'sha1' } as const;
const sha1Leaf = leafWith(sha1);
export const selfSigned = issueCertificate({ subject: 'a.test', issuer: null, names: ['a.test'] });
const expiredIntermediate = issueCertificate({
  subject: 'Intermediate',
  issuer: root,
  key: intermediate.key,
  isAuthority: true,
  notBefore: '2020-01-01T00:00:00',
  notAfter: '2026-11-01T00:00:00',
});
export const own = { subject: 'a.test', names: ['a.test'] };
const authority = { notBefore: '2020-01-01T00:00:00', notAfter: '2040-01-01T00:00:00', isAuthority: true };
const usages = (bits: number) => ({ id: extensionIds.keyUsage, value: der(0x03, [0, bits]) });
export const clientAuthentication = '1.3.6.1.5.5.7.3.2';
export const purposes = (...ids: string[]) => ({
  id: extensionIds.extendedKeyUsage,
  value: sequence(...ids.map(objectIdentifier)),
});
const expiredRoot = issueCertificate({
  ...authority,
  subject: 'Expired Root',
  issuer: null,
  notAfter: '2026-11-01T00:00:00',
});
export const otherRoot = issueCertificate({ ...authority, subject: 'Other Root', issuer: null });
const nameless = issueCertificate({ ...authority, subject: '', issuer: null });
const selfIssued = issueCertificate({ ...authority, subject: 'Root', issuer: root });
const weakCross = issueCertificate({
  ...authority,
  subject: 'Root',
  key: root.key,
  issuer: otherRoot,
  hash: 'sha1',
});
const notAuthority = issueCertificate({ subject: 'Nobody', issuer: root });
const rsaIntermediate = issueCertificate({
  ...authority,
  subject: 'RSA Intermediate',
  issuer: root,
  key: makeKey('rsa2048'),
});
/** A chain whose CA may issue for names below one alone. */
const constrainedTo = (name: string) => {
  const value = sequence(der(0xa0, sequence(text(0x82, name))));
  const extensions = [{ id: extensionIds.nameConstraints, value, isCritical: true }];
  const issuer = issueCertificate({ ...authority, subject: 'Limited', issuer: root, extensions });
  return [leafWith({ issuer }), issuer];
};
const addressName = {
  id: extensionIds.subjectAltName,
  value: sequence(der(0x87, [192, 0, 2, 1])),
};
const mustStaple = leafWith({ extensions: [{ id: extensionIds.tlsFeature, value: sequence(integer(5)) }] });
const byIssuer = sealWith(intermediate.key);
const staple = (
  status: Uint8Array,
  serial: number[],
  nextUpdate = '2026-11-27T00:00:00',
  seal: Seal = byIssuer,
) =>
  Buffer.from(
    writeOcspResponse([{ serial, status, thisUpdate: '2026-11-20T00:00:00', nextUpdate }], seal),
  ).toString('base64');
const stapled = leafWith({ serial: [0x11, 0x22] });
const good = der(0x80);
export const listUrl = 'http://crl.test/1';
const pointsTo = (...points: Uint8Array[]) => ({
  id: extensionIds.revocationLists,
  value: sequence(...points),
});
const pointing = leafWith({ serial: [0x11, 0x22], extensions: [pointsTo(sequence(pointName(listUrl)))] });
/** The list at the address that the leaf names, as a gather would have read it. */
const lists = (wishes: Partial<ListWishes>, issuer: typeof intermediate | null = intermediate) => {
  const bytes = writeRevocationList({ issuer: intermediate, ...wishes });
  const content = readRevocationList(bytes, certificateOf(pointing), issuer && certificateOf(issuer));
  if (typeof content === 'string') throw new Error(content);
  return {
    ...shows([pointing, intermediate]),
    revocationList: { kind: 'list', url: listUrl, ...content },
  } satisfies Partial<SslEvidence>;
};
export const listsRevoked = (wishes: Partial<ListWishes> = {}, issuer?: typeof intermediate | null) =>
  lists({ entries: [writeEntry([0x11, 0x22], undefined, 1)], ...wishes }, issuer);
const unused = { notTested: ['certificate-revoked'] } as const satisfies Expected;
const responder = issueCertificate({
  subject: 'Responder',
  issuer: intermediate,
  extensions: [{ id: extensionIds.extendedKeyUsage, value: sequence(objectIdentifier('1.3.6.1.5.5.7.3.9')) }],
});
const isStapled = (ocspResponse: string) => shows([stapled, intermediate], { ocspResponse });
const until = (notAfter: string) => shows([leafWith({ notAfter }), intermediate]);
const lasting = (notBefore: string, notAfter: string, now = at) => ({
  ...shows([leafWith({ notBefore, notAfter }), intermediate]),
  at: now,
});
const beforeOakRetired = Date.parse('2026-01-01T00:00:00Z');
const rawOnly = {
  handshakes: modern(failed('ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE')),
  withoutName: null,
  hsts: unseenHsts,
} as const;

export const certificateRows = [
  row(
    'an expired certificate',
    shows([leafWith({ notAfter: '2026-11-20T00:00:00' }), intermediate]),
    ['T 20', 'certificate-expired'],
    { trusted: false, passed: ['certificate-root-unknown', 'chain-incomplete'] },
  ),
  row(
    'one that is not valid yet',
    shows([leafWith({ notBefore: '2026-12-01T00:00:00' }), intermediate]),
    ['T 20', 'certificate-not-yet-valid'],
    { trusted: false },
  ),
  row(
    'another name',
    shows([leafWith({ names: ['b.test'] }), intermediate]),
    ['M 20', 'certificate-name-mismatch'],
    { trusted: false },
  ),
  row('a wildcard does not cover its own parent', shows([leafWith({ names: ['*.a.test'] }), intermediate]), [
    'M 20',
    'certificate-name-mismatch',
  ]),
  row(
    'a wildcard for all names of a public suffix, which Chrome refuses',
    { host: 'a.co.uk', ...shows([leafWith({ names: ['*.co.uk'] }), intermediate]) },
    ['M 20', 'certificate-name-mismatch'],
  ),
  row(
    'such a wildcard beside the name itself',
    { host: 'a.co.uk', ...shows([leafWith({ names: ['*.co.uk', 'a.co.uk'] }), intermediate]) },
    ['A+ 100'],
  ),
  row(
    'a wildcard for all names of a private suffix',
    { host: 'a.github.io', ...shows([leafWith({ names: ['*.github.io'] }), intermediate]) },
    ['A+ 100'],
  ),
  row(
    'a curve that is given by its numbers',
    shows([leafWith({ key: makeKey('p256-by-numbers') }), intermediate]),
    ['A+ 20', 'certificate-key-type-unsupported'],
  ),
  row(
    'a wildcard covers one label',
    { host: 'www.a.test', ...shows([leafWith({ names: ['*.a.test'] }), intermediate]) },
    ['A+ 100'],
    { trusted: true },
  ),
  row(
    'a wildcard for a part of a label, which browsers refuse (RFC 9525 §6.3)',
    { host: 'www.a.test', ...shows([leafWith({ names: ['w*.a.test'] }), intermediate]) },
    ['M 20', 'certificate-name-mismatch'],
    { trusted: false },
  ),
  row(
    'an alternative name that is no DNS name hides the common name',
    shows([leafWith({ names: [], extensions: [addressName] }), intermediate]),
    ['M 20', 'certificate-name-mismatch'],
    { trusted: false },
  ),
  row(
    'the name in the common name only, which Node accepts',
    shows([leafWith({ names: [] }), intermediate]),
    ['M 20', 'certificate-subject-alt-name-missing'],
    { trusted: false },
  ),
  row('a self-signed certificate', shows([selfSigned]), ['T 20', 'certificate-self-signed'], {
    trusted: false,
  }),
  row('a root that nobody knows', { ...shows([leaf, intermediate, root]), anchors: [] }, [
    'T 20',
    'certificate-root-unknown',
    'chain-root-sent',
  ]),
  row(
    'a purpose that does not fit',
    shows([leafWith({ extensions: [purposes(clientAuthentication)] }), intermediate]),
    ['T 20', 'certificate-not-trusted'],
    { trusted: false },
  ),
  row(
    'any purpose, which Firefox does not take for that of servers',
    shows([leafWith({ extensions: [purposes('2.5.29.37.0')] }), intermediate]),
    ['T 20', 'certificate-not-trusted'],
    { trusted: false },
  ),
  row(
    'a DNS name of raw UTF-8, which Chrome does not read',
    shows([leafWith({ names: ['a.test', 'b\xfccher.test'] }), intermediate]),
    ['T 20', 'certificate-not-trusted'],
    { trusted: false },
  ),
  row('a key that may not sign handshakes', shows([leafWith({ extensions: [usages(0x20)] }), intermediate]), [
    'T 20',
    'certificate-not-trusted',
  ]),
  row('a key that may', shows([leafWith({ extensions: [usages(0x80)] }), intermediate]), ['A+ 100']),
  row(
    'a critical extension that nobody knows',
    shows([leafWith({ extensions: [{ ...usages(0x80), id: '1.2.3.4', isCritical: true }] }), intermediate]),
    ['T 20', 'certificate-not-trusted'],
  ),
  row(
    'a self-signed certificate that may not sign certificates',
    shows([issueCertificate({ ...own, issuer: null, extensions: [usages(0x80)] })]),
    ['T 20', 'certificate-self-signed'],
    { trusted: false },
  ),
  row(
    'one under its own name, signed by another key',
    shows([issueCertificate({ ...own, issuer: issueCertificate({ ...own, issuer: null }) })]),
    ['T 20', 'certificate-not-trusted'],
    { trusted: false },
  ),
  row(
    'a root that has expired',
    { ...shows([leafWith({ issuer: expiredRoot })]), anchors: [expiredRoot.base64] },
    ['T 20', 'chain-certificate-expired'],
    { trusted: false },
  ),
  row(
    'an intermediate of a CA that changed its key under one name',
    shows([leafWith({ issuer: selfIssued }), selfIssued]),
    ['A+ 100'],
    { trusted: true },
  ),
  row(
    'a cross-certificate with SHA-1 above a root that is trusted',
    shows([leaf, intermediate, weakCross]),
    ['A+ 100'],
    { trusted: true },
  ),
  row('an issuer that is no CA', shows([leafWith({ issuer: notAuthority }), notAuthority]), [
    'T 20',
    'certificate-not-trusted',
  ]),
  row('names that the CA may issue for', shows(constrainedTo('a.test')), ['A+ 100'], { trusted: true }),
  row('names that the CA may not issue for', shows(constrainedTo('b.test')), [
    'T 20',
    'certificate-not-trusted',
  ]),
  row('a subject without a name', shows([leafWith({ subject: '' }), intermediate]), ['A+ 100'], {
    trusted: true,
  }),
  row('an issuer without a name', shows([leafWith({ issuer: nameless })]), ['B 85', 'chain-incomplete'], {
    trusted: false,
  }),
  row(
    'an issuer that nobody knows and that nobody can fetch, as those of intercepting software',
    shows([issueCertificate({ ...own, issuer: otherRoot })]),
    ['T 20', 'certificate-not-trusted'],
    { trusted: false },
  ),
  row(
    'MD5',
    shows([leafWith({ issuer: rsaIntermediate, hash: 'md5' }), rsaIntermediate]),
    ['F 20', 'certificate-signature-broken'],
    { trusted: false },
  ),
  row(
    'a stapled revocation, which Node ignores',
    isStapled(staple(der(0xa1, time('2026-11-01T00:00:00')), [0x11, 0x22])),
    ['T 20', 'certificate-revoked'],
    { trusted: false },
  ),
  row('a CRL that names it', listsRevoked(), ['T 20', 'certificate-revoked'], { trusted: false }),
  row('a CRL that names others', lists({ entries: [writeEntry([9])] }), ['A+ 100'], {
    passed: ['certificate-revoked'],
  }),
  row(
    'a CRL part for its distribution point',
    lists({ extensions: [issuingPoint(pointName(listUrl))] }),
    ['A+ 100'],
    {
      passed: ['certificate-revoked'],
    },
  ),
  row(
    'a CRL part for another distribution point',
    lists({ extensions: [issuingPoint(pointName('http://crl.test/2'))] }),
    ['A+ 100'],
    unused,
  ),
  row('a CRL part for CAs', lists({ extensions: [issuingPoint(der(0x82, [0xff]))] }), ['A+ 100'], unused),
  row(
    'a CRL of some reasons',
    lists({ extensions: [issuingPoint(der(0x83, [1, 0x40]))] }),
    ['A+ 100'],
    unused,
  ),
  row(
    'a CRL of some reasons that names it',
    listsRevoked({ extensions: [issuingPoint(der(0x83, [1, 0x40]))] }),
    ['T 20', 'certificate-revoked'],
  ),
  row(
    'a delta CRL',
    listsRevoked({ extensions: [writeExtension('2.5.29.27', integer(1), true)] }),
    ['A+ 100'],
    unused,
  ),
  row('an indirect CRL', listsRevoked({ extensions: [issuingPoint(der(0x84, [0xff]))] }), ['A+ 100'], unused),
  row(
    'a CRL with a critical extension that nobody knows',
    listsRevoked({ extensions: [writeExtension('1.2.3', integer(1), true)] }),
    ['A+ 100'],
    unused,
  ),
  row('a CRL of yesterday', listsRevoked({ nextUpdate: '2026-11-20T12:00:00' }), ['A+ 100'], unused),
  row('a CRL of tomorrow', listsRevoked({ thisUpdate: '2026-11-22T00:00:00' }), ['A+ 100'], unused),
  row('a CRL of two minutes hence: clocks differ', listsRevoked({ thisUpdate: '2026-11-21T03:02:00' }), [
    'T 20',
    'certificate-revoked',
  ]),
  row('a CRL without an end', listsRevoked({ nextUpdate: null }), ['A+ 100'], unused),
  row(
    'a CRL that another signed',
    listsRevoked({ seal: sealWith(otherIntermediate.key) }),
    ['A+ 100'],
    unused,
  ),
  row('a CRL in another name', listsRevoked({ name: 'Other' }), ['A+ 100'], unused),
  row('a CRL whose issuer is not sent', listsRevoked({}, null), ['A+ 100'], unused),
  row(
    'a CRL that need not name an expired certificate',
    {
      ...shows([leafWith({ notAfter: '2026-11-20T00:00:00' }), intermediate]),
      revocationList: lists({}).revocationList,
    },
    ['T 20', 'certificate-expired'],
    unused,
  ),
  row(
    'a CRL that could not be had',
    { revocationList: { kind: 'unknown', url: listUrl, reason: 'the CRL is larger than 1 MB' } },
    ['A+ 100'],
    unused,
  ),
  row(
    'a good staple beside a CRL that names it',
    {
      ...listsRevoked(),
      ...shows([pointing, intermediate], { ocspResponse: staple(good, [0x11, 0x22]) }),
    },
    ['T 20', 'certificate-revoked'],
    { trusted: false },
  ),
  row(
    'a staple that a responder of the CA signed',
    isStapled(
      staple(
        der(0xa1, time('2026-11-01T00:00:00')),
        [0x11, 0x22],
        undefined,
        sealWith(responder.key, 'sha256', responder),
      ),
    ),
    ['T 20', 'certificate-revoked'],
  ),
  row(
    'a good staple that the server signed itself',
    isStapled(staple(good, [0x11, 0x22], undefined, sealWith(stapled.key, 'sha256', stapled))),
    ['A+ 97', 'ocsp-staple-invalid'],
    unused,
  ),
  row(
    'a good staple whose signer was not sent',
    shows([stapled], { ocspResponse: staple(good, [0x11, 0x22]) }),
    ['B 85', 'chain-incomplete'],
    unused,
  ),
  row('SHA-1', shows([leafWith(sha1), intermediate]), ['T 20', 'certificate-signature-weak']),
  row(
    'SHA-1 at security level 0, where OpenSSL is content',
    {
      ...shows([sha1Leaf, intermediate]),
      handshakes: [
        {
          offer: 'legacy',
          handshake: connected({ certificates: [sha1Leaf.base64, intermediate.base64] }),
        },
      ],
    },
    ['T 20', 'certificate-signature-weak'],
    { trusted: false, notTested: ['alpn-h2-missing'] },
  ),
  row(
    'a key of 1024 bits',
    shows([leafWith({ key: rsa1024 }), intermediate]),
    ['B 85', 'certificate-key-small'],
    { trusted: true },
  ),
  row('a key that no browser knows', shows([leafWith({ key: ed25519 }), intermediate]), [
    'A+ 20',
    'certificate-key-type-unsupported',
  ]),
  row('no intermediate', shows([leaf]), ['B 85', 'chain-incomplete'], {
    trusted: false,
  }),
  row('another intermediate', shows([leaf, otherIntermediate]), [
    'B 84',
    'chain-intermediate-wrong',
    'chain-surplus',
  ]),
  row('an intermediate that has expired', shows([leaf, expiredIntermediate]), [
    'T 20',
    'chain-certificate-expired',
  ]),
  row(
    'an expired intermediate that clients replace',
    { ...shows([leaf, expiredIntermediate]), anchors: [root.base64, intermediate.base64] },
    ['A+ 100'],
  ),
  row('the wrong order', shows([leaf, root, intermediate]), ['A+ 98', 'chain-misordered', 'chain-root-sent']),
  row('a certificate too many', shows([leaf, intermediate, otherIntermediate]), ['A+ 99', 'chain-surplus']),
  row('the leaf sent twice', shows([leaf, leaf, intermediate]), ['A+ 99', 'chain-surplus']),
  row('an intermediate sent twice', shows([leaf, intermediate, intermediate]), ['A+ 99', 'chain-surplus']),
  row('the root sent along', shows([leaf, intermediate, root]), ['A+ 100', 'chain-root-sent']),
  row('201 days since March 2026', lasting('2026-10-01T00:00:00', '2027-04-20T00:00:00'), [
    'A+ 95',
    'certificate-lifetime-long',
  ]),
  row('200 days to the second', lasting('2026-10-01T00:00:00', '2027-04-18T23:59:59'), ['A+ 100']),
  row('200 days and a second', lasting('2026-10-01T00:00:00', '2027-04-19T00:00:00'), [
    'A+ 95',
    'certificate-lifetime-long',
  ]),
  row('398 days are good if issued before', lasting('2026-03-14T00:00:00', '2027-04-15T23:59:59'), [
    'A+ 100',
  ]),
  row(
    'a root of one’s own may last for long',
    { ...shows([leafWith({ notAfter: '2036-01-01T00:00:00' }), intermediate, root]), anchors: [] },
    ['T 20', 'certificate-root-unknown', 'chain-root-sent'],
  ),
  row('two days left', until('2026-11-23T03:00:00'), ['A+ 95', 'certificate-expires-within-days']),
  row('two weeks left of 64 days', until('2026-12-04T03:00:00'), ['A+ 98', 'certificate-expires-soon']),
  row('39 days left of 90', until('2026-12-30T00:00:00'), ['A+ 100']),
  row('16 days left of 47 are enough', lasting('2026-10-22T03:00:00', '2026-12-08T04:00:00'), ['A+ 100']),
  row('13 days left of 47', lasting('2026-10-18T03:00:00', '2026-12-04T03:00:00'), [
    'A+ 98',
    'certificate-expires-soon',
  ]),
  row('49 days left of 199', lasting('2026-06-25T03:00:00', '2027-01-10T03:00:00'), ['A+ 100']),
  row(
    'a name with an underscore under a wildcard',
    { host: 'my_site.bar.test', ...shows([leafWith({ names: ['*.bar.test'] }), intermediate]) },
    ['A+ 100'],
  ),
  row('4 days left of 6 are enough', lasting('2026-11-19T03:00:00', '2026-11-25T03:00:00'), ['A+ 100']),
  row('must-staple without a staple', shows([mustStaple, intermediate]), [
    'A+ 94',
    'must-staple-not-stapled',
  ]),
  row(
    'must-staple with a staple',
    shows(
      [
        leafWith({
          serial: [0x11, 0x22],
          extensions: [{ id: extensionIds.tlsFeature, value: sequence(integer(5)) }],
        }),
        intermediate,
      ],
      { ocspResponse: staple(good, [0x11, 0x22]) },
    ),
    ['A+ 100'],
  ),
  row(
    'a staple that has run out, and says nothing any more',
    isStapled(staple(good, [0x11, 0x22], '2026-11-20T12:00:00')),
    ['A+ 97', 'ocsp-staple-outdated'],
    { notTested: ['certificate-revoked'] },
  ),
  row(
    'a staple about another certificate',
    isStapled(staple(good, [0x77])),
    ['A+ 97', 'ocsp-staple-invalid'],
    { notTested: ['certificate-revoked'] },
  ),
  row('a staple that is no OCSP answer', isStapled('AAAA'), ['A+ 97', 'ocsp-staple-invalid']),
  row('a good staple', isStapled(staple(good, [0x11, 0x22])), ['A+ 100'], {
    passed: ['certificate-revoked'],
  }),
  row(
    'a public certificate that no log knows',
    shows([leafWith({ extensions: [publicPolicy] }), intermediate]),
    ['A+ 20', 'certificate-timestamps-few'],
    { trusted: false },
  ),
  row(
    'two timestamps of one log',
    shows([leafWith({ extensions: [publicPolicy, timestamps(1, 1)] }), intermediate]),
    ['A+ 20', 'certificate-timestamps-few'],
  ),
  row(
    'two timestamps of two logs with two operators',
    shows([leafWith({ extensions: [publicPolicy, timestamps(logs.first, logs.other)] }), intermediate]),
    ['A+ 100'],
    {
      trusted: true,
      passed: [
        'certificate-timestamps-few',
        'certificate-timestamps-not-accepted',
        'certificate-timestamp-signature-wrong',
      ],
    },
  ),
  row(
    'two timestamps of two logs with one operator',
    shows([leafWith({ extensions: [publicPolicy, timestamps(logs.first, logs.second)] }), intermediate]),
    ['A+ 20', 'certificate-timestamps-not-accepted'],
    { trusted: false },
  ),
  row(
    'a log that retired after the timestamp, beside one in service',
    shows([
      leafWith({
        extensions: [publicPolicy, timestampsAt(beforeOakRetired, logs.retired, logs.other)],
      }),
      intermediate,
    ]),
    ['A+ 100'],
  ),
  row(
    'a log that had retired before the timestamp',
    shows([leafWith({ extensions: [publicPolicy, timestamps(logs.retired, logs.other)] }), intermediate]),
    ['A+ 20', 'certificate-timestamps-not-accepted'],
  ),
  row(
    'a log that is not in the list, which may be newer than it',
    shows([leafWith({ extensions: [publicPolicy, timestamps(1, logs.other)] }), intermediate]),
    ['A+ 100'],
    { notTested: ['certificate-timestamps-not-accepted'] },
  ),
  row(
    'an unknown log beside two that are enough',
    shows([leafWith({ extensions: [publicPolicy, timestamps(1, logs.first, logs.other)] }), intermediate]),
    ['A+ 100'],
  ),
  row(
    'three timestamps, one of which its log did not sign',
    shows([
      leafWith({ extensions: [publicPolicy, timestamps(logs.first, logs.other, { wrong: logs.second })] }),
      intermediate,
    ]),
    ['A+ 99', 'certificate-timestamp-signature-wrong'],
    { trusted: true, passed: ['certificate-timestamps-not-accepted'] },
  ),
  row(
    'two timestamps, one of which its log did not sign',
    shows([
      leafWith({ extensions: [publicPolicy, timestamps(logs.first, { wrong: logs.other })] }),
      intermediate,
    ]),
    ['A+ 19', 'certificate-timestamps-few', 'certificate-timestamp-signature-wrong'],
    { trusted: false },
  ),
  row(
    'three timestamps, and the only one of another operator is not signed by its log',
    shows([
      leafWith({ extensions: [publicPolicy, timestamps(logs.first, logs.second, { wrong: logs.other })] }),
      intermediate,
    ]),
    ['A+ 19', 'certificate-timestamps-not-accepted', 'certificate-timestamp-signature-wrong'],
    { trusted: false },
  ),
  row(
    'timestamps that cannot be checked, because the issuer is not sent',
    shows([leafWith({ extensions: [publicPolicy, timestamps(logs.first, logs.other)] })]),
    ['B 85', 'chain-incomplete'],
    {
      notTested: ['certificate-timestamps-not-accepted', 'certificate-timestamp-signature-wrong'],
      passed: ['certificate-timestamps-few'],
    },
  ),
  row(
    'timestamps of logs that are not in the list, whose keys are not known',
    shows([leafWith({ extensions: [publicPolicy, timestamps(1, 2)] }), intermediate]),
    ['A+ 100'],
    { notTested: ['certificate-timestamps-not-accepted', 'certificate-timestamp-signature-wrong'] },
  ),
  row('timestamps beside the certificate', isLogged(logs.first, logs.other), ['A+ 100'], {
    passed: ['certificate-timestamps-not-accepted', 'certificate-timestamp-signature-wrong'],
  }),
  row(
    'timestamps beside the certificate, one of which its log did not sign',
    isLogged(logs.first, { wrong: logs.other }),
    ['A+ 19', 'certificate-timestamps-few', 'certificate-timestamp-signature-wrong'],
  ),
  row(
    'none embedded and a stapled OCSP answer, which may carry some',
    shows([leafWith({ extensions: [publicPolicy], serial: [0x11, 0x22] }), intermediate], {
      ocspResponse: staple(good, [0x11, 0x22]),
    }),
    ['A+ 100'],
    { notTested: ['certificate-timestamps-few', 'certificate-timestamps-not-accepted'] },
  ),
  row(
    'a client certificate is required in TLS 1.2: the chain is judged as it was sent in clear',
    {
      ...rawOnly,
      questions: askedOnly(
        question('TLSv1.2', 'sound', [accepts(0xc02b, { certificateRequested: true })]),
        question('TLSv1.2', 'dangerous'),
        question('TLSv1.2', 'withoutForwardSecrecy'),
        question('TLSv1.2', 'finiteField'),
      ),
      groups: { accepted: [], end: refused() },
    },
    ['A- 91', 'client-certificate-requested', 'tls13-missing'],
    {
      trusted: true,
      notTested: ['client-hello-size-intolerance', 'alpn-refused'],
    },
  ),
];

const tls12Client = connected({
  protocol: 'TLSv1.2',
  cipher: {
    name: 'ECDHE-ECDSA-AES128-GCM-SHA256',
    standardName: 'TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256',
    version: 'TLSv1.2',
  },
  ephemeralKey: { type: 'ECDH', name: 'X25519', size: 253 },
});
const onlyTls12 = { handshakes: modern(tls12Client), groups: { accepted: [], end: refused(70) } } as const;
const noTls13 = question('TLSv1.3', 'tls13', [], refused(70));
const oldSuite = 0xc009;
const old = (version: 'TLSv1' | 'TLSv1.1' | 'SSLv3', suite = oldSuite) => [
  question(version, 'old', [accepts(suite)], stopped),
  question(version, 'oldDangerous'),
];
const legacy = (protocol: string): Partial<SslEvidence> => ({
  handshakes: [
    { offer: 'modern', handshake: failed('ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION') },
    {
      offer: 'legacy',
      handshake: connected({
        protocol,
        cipher: {
          name: 'ECDHE-ECDSA-AES128-SHA',
          standardName: 'TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA',
          version: protocol,
        },
        alpn: null,
      }),
    },
  ],
  groups: { accepted: [], end: refused(70) },
});
const strongWith = (change: Parameters<typeof accepts>[1]) => ({
  questions: asked(question('TLSv1.2', 'sound', [accepts(0xc02b, change)])),
});

const cut = { kind: 'refused', by: 'reset' } as const;
const cutOld = asked(question('TLSv1', 'old', [], cut), question('TLSv1.1', 'old', [], cut));
export const protocolRows = [
  row(
    'old versions are refused by a reset, and the server still answers',
    { questions: cutOld, stillAnswers: true },
    ['A+ 100'],
  ),
  row('they are reset, and so is everything after', { questions: cutOld, stillAnswers: false }, ['A 93'], {
    state: 'partial',
    notTested: ['tls10-offered', 'tls11-offered', 'sslv2-offered'],
  }),

  row(
    'a certificate that cannot be read',
    { handshakes: modern(connected({ certificates: ['AAAA'] })), withoutName: null, chains: [] },
    [null],
    { state: 'complete', notTested: ['certificate-expired'] },
  ),
  row(
    'TLS 1.2 unknown, so that nothing is seen in clear',
    {
      questions: asked(
        ...['sound', 'dangerous', 'withoutForwardSecrecy', 'finiteField'].map((set) =>
          question('TLSv1.2', set as 'sound', [], stopped),
        ),
      ),
    },
    ['A 93'],
    {
      state: 'partial',
      notTested: [
        'compression-offered',
        'secure-renegotiation-missing',
        'extended-master-secret-missing',
        'key-exchange-signature-weak',
        'group-deprecated-chosen',
      ],
    },
  ),
  row(
    'TLS 1.3 alone, and no handshake comes to its end',
    {
      ...rawOnly,
      chains: [],
      questions: askedOnly(question('TLSv1.3', 'tls13', [accepts(0x1302, { chain: null })])),
    },
    ['F 20', 'handshake-not-completed'],
    { state: 'complete', notTested: ['client-certificate-requested', 'chain-too-large'] },
  ),
  row(
    'TLS 1.3 alone, and no handshake was tried',
    {
      ...rawOnly,
      handshakes: [],
      chains: [],
      questions: askedOnly(question('TLSv1.3', 'tls13', [accepts(0x1302, { chain: null })])),
    },
    [null],
    { state: 'complete', notTested: ['handshake-not-completed'] },
  ),
  row(
    'another address of the name is out of order',
    { endpoints: [{ address: '192.0.2.2', handshake: failed('', 'tls-timeout') }] },
    ['A+ 94', 'endpoint-unreachable'],
  ),
  row(
    'another address of the name has an expired certificate',
    {
      endpoints: [
        {
          address: '192.0.2.2',
          handshake: connected({
            address: '192.0.2.2',
            certificates: [leafWith({ notAfter: '2026-11-20T00:00:00' }).base64, intermediate.base64],
          }),
        },
      ],
    },
    ['T 17', 'certificate-expired', 'endpoints-differ'],
  ),
  row(
    'there is no IPv6 where this runs',
    {
      endpoints: [
        {
          address: '2001:db8::1',
          handshake: { ...failed(''), code: 'network-unreachable' },
        },
      ],
    },
    ['A+ 100'],
    { notTested: ['endpoint-unreachable'] },
  ),
  row(
    'the IPv6 address still speaks TLS 1.0',
    { endpoints: [other({ questions: asked(question('TLSv1', 'old', [accepts(0xc02b)])) })] },
    ['B 82', 'endpoints-differ', 'tls10-offered'],
  ),
  row('the IPv6 address answers alike', { endpoints: [other({})] }, ['A+ 100']),
  row(
    'an address that had a short look still speaks TLS 1.1',
    {
      endpoints: [
        {
          address: '192.0.2.2',
          handshake: connected({ address: '192.0.2.2' }),
          oldVersions: [question('TLSv1.1', 'old', [accepts(0xc009)])],
        },
      ],
    },
    ['B 85', 'tls11-offered'],
  ),
  row('one address was looked at', { endpoints: null }, ['A+ 100'], {
    notTested: ['endpoint-unreachable', 'endpoints-differ'],
  }),
  row(
    'X448 alone, which no browser has',
    {
      handshakes: modern(connected({ ephemeralKey: { type: 'ECDH', name: 'X448', size: 448 } })),
      questions: askedOnly(question('TLSv1.3', 'tls13', [accepts(0x1302, { chain: null, group: 0x001e })])),
      groups: { accepted: [0x001e], end: refused() },
    },
    ['A+ 20', 'browsers-cannot-connect', 'group-post-quantum-missing'],
  ),
  row(
    'a hybrid group that no browser has',
    {
      ...rawOnly,
      chains: [],
      questions: askedOnly(question('TLSv1.3', 'tls13', [accepts(0x1302, { chain: null, group: 0x11eb })])),
      groups: { accepted: [0x11eb], end: refused() },
    },
    ['F 20', 'browsers-cannot-connect', 'handshake-not-completed'],
  ),
  row(
    'a prime of 3072 bits alone, which Firefox has',
    {
      questions: askedOnly(question('TLSv1.3', 'tls13', [accepts(0x1302, { chain: null, group: 0x0101 })])),
      groups: { accepted: [0x0101], end: refused() },
      handshakes: modern(connected({ ephemeralKey: { type: 'DH', size: 3072 } })),
    },
    ['A+ 75', 'chrome-cannot-connect', 'safari-cannot-connect', 'group-post-quantum-missing'],
  ),
  row(
    'CCM alone, which no browser has',
    {
      ...legacy('TLSv1.2'),
      handshakes: modern(
        connected({
          protocol: 'TLSv1.2',
          cipher: {
            name: 'ECDHE-ECDSA-AES128-CCM',
            standardName: 'TLS_ECDHE_ECDSA_WITH_AES_128_CCM',
            version: 'TLSv1.2',
          },
          ephemeralKey: { type: 'ECDH', name: 'X25519', size: 253 },
        }),
      ),
      questions: asked(
        question('TLSv1.3', 'tls13', [], refused(70)),
        question('TLSv1.2', 'sound', [accepts(0xc0ac)]),
      ),
    },
    ['A- 20', 'browsers-cannot-connect', 'tls13-missing'],
  ),
  row(
    'a ServerHello with a version that does not exist',
    {
      ...silentRun,
      hsts: unseenHsts,
      questions: [
        question('TLSv1.2', 'sound', [], { kind: 'refused', by: 'unknown-version', version: 0x0305 }),
      ],
    },
    ['F 20', 'server-hello-invalid'],
  ),
  row(
    'a first ServerHello with a suite that was not offered',
    {
      ...silentRun,
      hsts: unseenHsts,
      handshakes: modern(failed('ERR_SSL_UNKNOWN_CIPHER_RETURNED')),
      questions: [
        question('TLSv1.2', 'sound', [], { kind: 'refused', by: 'not-offered', suite: 0x1234, group: null }),
      ],
    },
    ['F 20', 'server-hello-invalid'],
  ),
  row(
    'a group of TLS 1.3 in every answer of TLS 1.2',
    {
      notOffered: [{ version: 'TLSv1.2', what: 'group', chosen: 0x11ec }],
      questions: asked(question('TLSv1.2', 'sound', [notOfferedAnswer(0xc02b), notOfferedAnswer(0xc02c)])),
    },
    ['A+ 94', 'tls-answer-not-offered'],
  ),
  row(
    'a group that was not offered in every answer',
    {
      ...silentRun,
      hsts: unseenHsts,
      handshakes: modern(failed('ERR_SSL_WRONG_CURVE')),
      notOffered: [{ version: 'TLSv1.2', what: 'group', chosen: 0x11ec }],
      questions: askedOnly(
        question('TLSv1.2', 'sound', [notOfferedAnswer(0xc02b)]),
        question('TLSv1.3', 'tls13', [], refused(70)),
      ),
    },
    ['F 20', 'server-hello-invalid'],
  ),
  row(
    'a chain that is larger than clients read',
    {
      ...rawOnly,
      handshakes: modern(failed('ERR_SSL_EXCESSIVE_MESSAGE_SIZE')),
      chains: [],
      questions: asked(
        question('TLSv1.2', 'sound', [accepts(0xc02b, { chain: null, oversizeBytes: 130_000 })]),
      ),
    },
    ['F 20', 'chain-too-large'],
  ),
  row(
    'SSL 2.0 alone',
    {
      ...rawOnly,
      chains: [],
      groups: { accepted: [], end: refused() },
      questions: askedOnly(question('SSLv2', 'ssl2', [accepts(0, { chain: null, group: null })], stopped)),
    },
    ['F 20', 'sslv2-offered', 'tls-missing', 'tls12-missing', 'tls13-missing'],
  ),

  row('a server without a fault', {}, ['A+ 100'], {
    state: 'complete',
    trusted: true,
    notTested: ['certificate-revoked'],
  }),
  row(
    'SSL 2.0',
    { questions: asked(question('SSLv2', 'ssl2', [accepts(0, { chain: null, group: null })], stopped)) },
    ['F 20', 'sslv2-offered'],
  ),
  row(
    'SSL 3.0 with RC4',
    {
      questions: asked(
        question('SSLv3', 'old', [accepts(0x0005)], stopped),
        question('SSLv3', 'oldDangerous', [accepts(0x0005)]),
      ),
    },
    ['B 83', 'sslv3-offered', 'suite-rc4-offered', 'suite-without-forward-secrecy-offered'],
  ),
  row('SSL 3.0 with a block cipher', { questions: asked(...old('SSLv3', 0x0035)) }, [
    'C 73',
    'sslv3-cbc-offered',
    'sslv3-offered',
    'suite-without-forward-secrecy-offered',
  ]),
  row(
    'SSL 3.0 alone',
    { ...rawOnly, questions: askedOnly(...old('SSLv3', 0x0035)), groups: { accepted: [], end: refused() } },
    [
      'F 18',
      'tls-missing',
      'tls12-missing',
      'tls13-missing',
      'sslv3-offered',
      'sslv3-cbc-offered',
      'suite-without-forward-secrecy-offered',
      'aead-missing',
    ],
    { notTested: ['forward-secrecy-missing'] },
  ),
  row('TLS 1.0', { questions: asked(...old('TLSv1')) }, ['B 85', 'tls10-offered']),
  row('TLS 1.1', { questions: asked(...old('TLSv1.1')) }, ['B 85', 'tls11-offered']),
  row('TLS 1.0 to 1.3', { questions: asked(...old('TLSv1'), ...old('TLSv1.1')) }, [
    'B 85',
    'tls10-offered',
    'tls11-offered',
  ]),
  row('TLS 1.1 as the best', { ...legacy('TLSv1.1'), questions: askedOnly(...old('TLSv1.1')) }, [
    'C 20',
    'tls11-offered',
    'tls12-missing',
    'tls13-missing',
    'aead-missing',
  ]),
  row('no TLS 1.3', { ...onlyTls12, questions: asked(noTls13) }, ['A- 91', 'tls13-missing']),
  row(
    'TLS 1.3 alone is the best',
    { questions: askedOnly(question('TLSv1.3', 'tls13', [accepts(0x1302, { chain: null })])) },
    ['A+ 100'],
    // A request that may be left unanswered is encrypted there.
    { notTested: ['client-certificate-requested'] },
  ),
  row('compression', strongWith({ compression: 1 }), ['C 75', 'compression-offered']),
  row('no secure renegotiation', strongWith({ secureRenegotiation: false }), [
    'A- 91',
    'secure-renegotiation-missing',
  ]),
  row('no extended master secret', strongWith({ extendedMasterSecret: false }), [
    'A+ 99',
    'extended-master-secret-missing',
  ]),
  row(
    'a long hello is too much',
    {
      handshakes: [
        { offer: 'modern', handshake: failed('', 'tls-timeout') },
        {
          offer: 'small',
          handshake: connected({ ephemeralKey: { type: 'ECDH', name: 'X25519', size: 253 } }),
        },
      ],
      clients: sizes(refused(), accepts(0x1301)).filter(
        ({ hello }) => hello === 'openssl' || hello === 'java',
      ),
    },
    ['A+ 94', 'client-hello-size-intolerance'],
  ),
  row(
    'ALPN that fits nobody',
    {
      handshakes: [
        { offer: 'modern', handshake: failed('ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL') },
        { offer: 'without-alpn', handshake: connected({ alpn: null }) },
      ],
    },
    ['A+ 94', 'alpn-refused'],
    { notTested: ['alpn-h2-missing'] },
  ),
  row('no HTTP/2', { handshakes: modern(connected({ alpn: 'http/1.1' })) }, ['A+ 100', 'alpn-h2-missing']),
  row('early data', { handshakes: modern(connected({ maxEarlyDataBytes: 0x4000 })) }, [
    'A+ 99',
    'early-data-offered',
  ]),
  row('no ticket', { handshakes: modern(connected({ maxEarlyDataBytes: null })) }, ['A+ 100'], {
    notTested: ['early-data-offered'],
  }),
  row('a session that is not resumed', { resumption: { version: 'TLSv1.3', outcome: 'declined' } }, [
    'A+ 100',
    'session-not-resumed',
  ]),
  row('no session', { resumption: { version: 'TLSv1.3', outcome: 'none' } }, ['A+ 100']),
  row(
    'whether it would be resumed is not known',
    { resumption: { version: 'TLSv1.3', outcome: 'unknown' } },
    ['A+ 100'],
    {
      notTested: ['session-not-resumed'],
    },
  ),
  row('a renegotiation that a client began', { renegotiation: 'accepted' }, [
    'A+ 99',
    'renegotiation-by-client',
  ]),
  row('a renegotiation without an answer', { renegotiation: 'unknown' }, ['A+ 100'], {
    notTested: ['renegotiation-by-client'],
  }),
  row('no version that has renegotiation', { renegotiation: null }, ['A+ 100']),
  row('SNI required', { withoutName: failed('ERR_SSL_TLSV1_UNRECOGNIZED_NAME') }, ['A+ 100', 'sni-required']),
  row('another certificate without SNI', { withoutName: connected({ certificates: [selfSigned.base64] }) }, [
    'A+ 100',
    'sni-default-differs',
  ]),
  row('no second handshake', { withoutName: null }, ['A+ 100'], {
    notTested: ['sni-required', 'sni-default-differs'],
  }),
  row('a client certificate is asked for', strongWith({ certificateRequested: true }), [
    'A+ 100',
    'client-certificate-requested',
  ]),
  row(
    'a client certificate is required in TLS 1.3',
    { handshakes: modern(connected({ lateAlert: 'certificate_required' })) },
    ['A+ 100', 'client-certificate-requested'],
  ),
  row('certificates come compressed', {}, ['A+ 100'], { passed: ['certificate-compression-missing'] }),
  row(
    'certificates come as they are',
    { certificateForm: { kind: 'form', compression: null, bytes: 3200, wholeBytes: 3200 } },
    ['A+ 100', 'certificate-compression-missing'],
  ),
  row(
    'certificates come compressed, and cannot be decompressed',
    { certificateForm: { kind: 'malformed', reason: 'an algorithm that was not offered' } },
    ['A+ 100', 'certificate-compression-missing'],
  ),
  row('no answer in TLS 1.3 showed a certificate', { certificateForm: null }, ['A+ 100'], {
    notTested: ['certificate-compression-missing'],
  }),
  row(
    'another address showed no certificate in TLS 1.3, and answers like the first',
    { endpoints: [other({ certificateForm: null })] },
    ['A+ 100'],
    { passed: ['certificate-compression-missing'] },
  ),
  row('HTTP/3 is offered and answers', http3({ kind: 'answered', versions: [0x1a2a3a4a, 1] }), ['A+ 100'], {
    passed: ['http3-unanswered'],
  }),
  ...(
    [
      ['with versions that browsers do not speak', { kind: 'answered', versions: [0xff00001d] }],
      ['on a closed port', { kind: 'refused' }],
      ['by something that is not QUIC', { kind: 'not-quic' }],
      ['by silence, where others do answer over UDP', { kind: 'silent', isUdpSeen: true }],
    ] as const
  ).map(([name, seen]) =>
    row(`HTTP/3 is offered, and answered ${name}`, http3(seen), ['A+ 100', 'http3-unanswered']),
  ),
  ...(
    [
      ['met with silence, as everything over UDP so far', { kind: 'silent', isUdpSeen: false }],
      ['not tried', { kind: 'unknown', reason: 'there was no time left' }],
      ['not tried by an older version', null],
    ] as const
  ).map(([name, seen]) =>
    row(`HTTP/3 is offered, and ${name}`, http3(seen), ['A+ 100'], { notTested: ['http3-unanswered'] }),
  ),
  row(
    'HTTP/3 answers at one address and not at the other',
    {
      ...http3({ kind: 'answered', versions: [1] }),
      endpoints: [other({ ...http3({ kind: 'refused' }) })],
    },
    ['A+ 100', 'http3-unanswered'],
  ),
  row('no HSTS', { hsts: { kind: 'fields', url: 'https://a.test/', values: [] } }, ['A- 91', 'hsts-missing']),
  row('HSTS switched off', { hsts: { kind: 'fields', url: 'https://a.test/', values: ['max-age=0'] } }, [
    'A- 91',
    'hsts-missing',
  ]),
  row('HSTS for a week', { hsts: { kind: 'fields', url: 'https://a.test/', values: ['max-age=604800'] } }, [
    'A- 91',
    'hsts-short',
  ]),
  row('HSTS unknown is no flaw, and no A+', { hsts: { kind: 'unknown', reason: 'it is late' } }, ['A 93'], {
    notTested: ['hsts-missing', 'hsts-short'],
  }),
  row(
    'old versions unknown',
    {
      questions: asked(
        question('TLSv1', 'old', [], { kind: 'silent' }),
        question('TLSv1.1', 'old', [], { kind: 'silent' }),
        question('SSLv3', 'old', [], stopped),
        question('SSLv2', 'ssl2', [], stopped),
      ),
    },
    ['A 93'],
    {
      state: 'partial',
      notTested: [
        'tls10-offered',
        'tls11-offered',
        'sslv3-offered',
        'sslv3-cbc-offered',
        'sslv2-offered',
        'suite-null-offered',
        'suite-anonymous-offered',
        'suite-export-offered',
        'suite-short-key-offered',
        'suite-rc4-offered',
        'suite-rc4-since-tls11',
        'suite-3des-offered',
        'suite-3des-since-tls11',
      ],
    },
  ),
  row(
    'TLS 1.2 and 1.3 unknown',
    {
      ...rawOnly,
      groups: null,
      questions: [
        ...askedOnly(...old('TLSv1')).filter(({ version }) => version !== 'TLSv1.2' && version !== 'TLSv1.3'),
        question('TLSv1.2', 'sound', [], stopped),
        question('TLSv1.3', 'tls13', [], stopped),
      ],
    },
    ['B 85', 'tls10-offered'],
    {
      state: 'partial',
      notTested: [
        'tls12-missing',
        'tls13-missing',
        'aead-missing',
        'group-post-quantum-missing',
        'dh-parameters-small',
        'key-exchange-breakable',
        'suite-cbc-offered',
        'early-data-offered',
      ],
    },
  ),
  row(
    'TLS versions unknown beside SSL 3.0',
    {
      ...rawOnly,
      groups: null,
      questions: [question('TLSv1.2', 'sound', [], stopped), ...old('SSLv3', 0x0035)],
    },
    ['C 73', 'sslv3-offered', 'sslv3-cbc-offered', 'suite-without-forward-secrecy-offered'],
    { state: 'partial', notTested: ['tls-missing'] },
  ),
];

const weak = (suite: number, version: 'TLSv1.2' | 'TLSv1' = 'TLSv1.2', change = {}) => ({
  questions:
    version === 'TLSv1.2'
      ? asked(question('TLSv1.2', 'dangerous', [accepts(suite, change)]))
      : asked(
          question('TLSv1', 'old', [accepts(oldSuite)], stopped),
          question('TLSv1', 'oldDangerous', [accepts(suite, change)]),
        ),
});
const ownPrime = '0'.repeat(64);
const oakley2 = '3f35a3f5f6c4376a744acad409bb22f8d897f949d2311d885adaa890981b67a0';
const ffdhe2048 = '9cd3b7f336872f46c09428d1bbc19877a4d440512cda8d1c1cf0cd6e33698966';
const finite = (dhBits: number, dhPrimeSha256: string | null = ownPrime) => ({
  questions: asked(
    question('TLSv1.2', 'finiteField', [accepts(0x009e, { dhBits, dhPrimeSha256, group: null })], stopped),
  ),
});
const rsaOnly = {
  ...onlyTls12,
  questions: asked(
    noTls13,
    question('TLSv1.2', 'sound'),
    question('TLSv1.2', 'withoutForwardSecrecy', [accepts(0x009c)]),
  ),
} as const;
const rsaClient = {
  ...rsaOnly,
  handshakes: modern({
    ...tls12Client,
    cipher: { ...tls12Client.cipher, standardName: 'TLS_RSA_WITH_AES_128_GCM_SHA256' },
  }),
};

export const suiteRows = [
  row('no encryption', weak(0x003b), ['F 18', 'suite-null-offered', 'suite-without-forward-secrecy-offered']),
  row(
    'no encryption in TLS 1.3 (RFC 9150)',
    {
      questions: asked(
        question(
          'TLSv1.3',
          'tls13',
          [0x1302, 0xc0b4].map((suite) => accepts(suite, { chain: null })),
        ),
      ),
    },
    ['F 20', 'suite-null-offered'],
  ),
  row(
    'whether TLS 1.3 has such suites is not known',
    {
      questions: asked(question('TLSv1.3', 'tls13', [accepts(0x1302, { chain: null })], stopped)),
    },
    ['A+ 100'],
    { notTested: ['suite-null-offered'] },
  ),
  row('no authentication', weak(0x006d), ['F 20', 'suite-anonymous-offered', 'suite-cbc-offered']),
  row('export strength', weak(0x0008), [
    'F 18',
    'suite-export-offered',
    'suite-without-forward-secrecy-offered',
    'suite-cbc-offered',
  ]),
  row('DES', weak(0x0009), [
    'F 18',
    'suite-short-key-offered',
    'suite-without-forward-secrecy-offered',
    'suite-cbc-offered',
  ]),
  row('RC4 in TLS 1.2', weak(0xc007), ['C 75', 'suite-rc4-since-tls11', 'suite-rc4-offered']),
  row('RC4 in TLS 1.0', weak(0xc007, 'TLSv1'), ['B 85', 'tls10-offered', 'suite-rc4-offered']),
  row('3DES in TLS 1.2', weak(0xc008), [
    'C 73',
    'suite-3des-since-tls11',
    'suite-3des-offered',
    'suite-cbc-offered',
  ]),
  row('3DES in TLS 1.0', weak(0xc008, 'TLSv1'), ['B 83', 'tls10-offered', 'suite-3des-offered']),
  row('a prime of 512 bits', finite(512), [
    'F 20',
    'key-exchange-breakable',
    'dh-parameters-small',
    'suite-finite-field-offered',
  ]),
  row('a prime of 1024 bits', finite(1024), ['B 85', 'dh-parameters-small', 'suite-finite-field-offered']),
  row('a prime of 1024 bits that others share', finite(1024, oakley2), [
    'B 80',
    'dh-parameters-small',
    'dh-prime-shared',
    'suite-finite-field-offered',
  ]),
  row(
    'a prime of 1024 bits in evidence that did not keep it',
    finite(1024, null),
    ['B 85', 'dh-parameters-small', 'suite-finite-field-offered'],
    { notTested: ['dh-prime-shared'] },
  ),
  row('a prime of 2048 bits that others share', finite(2048, ffdhe2048), [
    'A+ 100',
    'suite-finite-field-offered',
  ]),
  row('a prime of 2048 bits', finite(2048), ['A+ 100', 'suite-finite-field-offered']),
  row(
    'whether there are suites with a prime is not known',
    {
      questions: asked(
        question('TLSv1.2', 'sound', [accepts(0xc02b)], stopped),
        question('TLSv1.2', 'finiteField', [], stopped),
      ),
    },
    [null],
    { state: 'partial', notTested: ['suite-finite-field-offered', 'key-exchange-breakable'] },
  ),
  row('SHA-1 in the signature of a key exchange', strongWith({ signatureScheme: 0x0203 }), [
    'A+ 95',
    'key-exchange-signature-weak',
  ]),
  row('MD5 in it', strongWith({ signatureScheme: 0x0101 }), ['A+ 95', 'key-exchange-signature-weak']),
  row('SHA-256 with PSS in it', strongWith({ signatureScheme: 0x0804 }), ['A+ 100'], {
    passed: ['key-exchange-signature-weak'],
  }),
  row(
    'a signature that was not seen',
    {
      questions: asked(question('TLSv1.2', 'sound', [accepts(0xc02b, { signatureScheme: null })])),
    },
    ['A+ 100'],
    { notTested: ['key-exchange-signature-weak'] },
  ),
  row('a curve of 192 bits', strongWith({ group: 0x0013 }), ['A+ 99', 'group-deprecated-chosen']),
  row('P-224', strongWith({ group: 0x0015 }), ['A+ 99', 'group-deprecated-chosen']),
  row('P-256', strongWith({ group: 0x0017 }), ['A+ 100'], { passed: ['group-deprecated-chosen'] }),
  row('Brainpool, which is younger', strongWith({ group: 0x001a }), ['A+ 100']),
  row('no forward secrecy', rsaClient, [
    'B 83',
    'tls13-missing',
    'forward-secrecy-missing',
    'suite-without-forward-secrecy-offered',
  ]),
  row(
    'some suites without forward secrecy',
    { questions: asked(question('TLSv1.2', 'withoutForwardSecrecy', [accepts(0x009c)])) },
    ['A+ 98', 'suite-without-forward-secrecy-offered'],
  ),
  row(
    'whether there are any is not known',
    { questions: asked(question('TLSv1.2', 'withoutForwardSecrecy', [], stopped)) },
    ['A+ 100'],
    { state: 'partial', notTested: ['suite-without-forward-secrecy-offered'] },
  ),
  row(
    'nothing but CBC',
    {
      ...onlyTls12,
      handshakes: modern({
        ...tls12Client,
        cipher: { ...tls12Client.cipher, standardName: 'TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA' },
      }),
      questions: asked(noTls13, question('TLSv1.2', 'sound', [accepts(0xc009)])),
    },
    ['B 75', 'tls13-missing', 'aead-missing', 'suite-cbc-offered', 'chrome-cannot-connect'],
  ),
  row(
    '3DES alone, which our OpenSSL does not have',
    {
      ...onlyTls12,
      handshakes: modern(failed('ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE')),
      questions: asked(
        noTls13,
        question('TLSv1.2', 'sound'),
        question('TLSv1.2', 'dangerous', [accepts(0x000a)]),
      ),
      groups: { accepted: [], end: refused(70) },
    },
    [
      'C 71',
      'tls13-missing',
      'aead-missing',
      'forward-secrecy-missing',
      'suite-3des-since-tls11',
      'suite-3des-offered',
      'suite-without-forward-secrecy-offered',
      'suite-cbc-offered',
      'chrome-cannot-connect',
      'firefox-cannot-connect',
    ],
    { notTested: ['handshake-not-completed'] },
  ),
  row(
    'records of TLS that are damaged',
    {
      ...silentRun,
      hsts: unseenHsts,
      questions: [
        question('TLSv1.2', 'sound', [], {
          kind: 'refused',
          by: 'malformed',
          reason: 'a ServerHello that is cut off',
        }),
      ],
    },
    ['F 20', 'server-hello-invalid'],
  ),
  row(
    'a browser whose own hello is refused',
    {
      clients: [{ hello: 'Firefox 132 and later', version: null, answer: refused(40) }],
    },
    ['A+ 75', 'firefox-cannot-connect'],
  ),
  row(
    'a browser whose hello was not answered in time',
    {
      clients: ['chrome', 'Firefox 132 and later', 'Safari 26, iOS 26'].map((hello) => ({
        hello,
        version: null,
        answer: { kind: 'silent' as const },
      })),
    },
    ['A+ 100'],
    { notTested: ['chrome-cannot-connect', 'firefox-cannot-connect', 'safari-cannot-connect'] },
  ),
  row(
    'a class of suites that was not asked for',
    { questions: asked(question('TLSv1.2', 'dangerous', [], stopped)) },
    [null],
    { state: 'partial', notTested: ['suite-null-offered', 'suite-anonymous-offered', 'suite-rc4-offered'] },
  ),
  row(
    'a class that was refused by itself',
    {
      questions: asked(
        question('TLSv1.2', 'dangerous', [accepts(0x0005)], stopped),
        question('TLSv1.2', 'nullCipher'),
      ),
    },
    [null, 'suite-rc4-offered', 'suite-rc4-since-tls11', 'suite-without-forward-secrecy-offered'],
    { passed: ['suite-null-offered'], notTested: ['suite-anonymous-offered'] },
  ),
  row(
    'no post-quantum group',
    {
      handshakes: modern(connected({ ephemeralKey: { type: 'ECDH', name: 'X25519', size: 253 } })),
      groups: { accepted: [0x001d], end: refused() },
    },
    ['A+ 100', 'group-post-quantum-missing'],
  ),
];

const record = (certificate: string) => ({ usage: 3, selector: 0, matchingType: 0, certificate });
export const tlsa = (isSecure: boolean, certificate: string) => ({
  names: { ...names, tlsa: { kind: 'answer', isSecure, found: [record(certificate)] } as const },
});
export const nameRows = [
  row('no CAA', { names: { ...names, caa: { kind: 'answer', isSecure: false, found: [] } } }, [
    'A+ 100',
    'caa-missing',
  ]),
  row(
    'a DNS that does not answer',
    {
      names: {
        caa: { kind: 'unknown', reason: 'no answer' },
        tlsa: { kind: 'unknown', reason: 'no answer' },
        httpsAlpn: { kind: 'unknown', reason: 'no answer' },
      },
    },
    ['A+ 100'],
    { notTested: ['caa-missing', 'tlsa-mismatch', 'tlsa-insecure'] },
  ),
  row('TLSA of another key', tlsa(true, 'ab'), ['A+ 100', 'tlsa-mismatch']),
  row('TLSA that fits', tlsa(true, leaf.der.toString('hex')), ['A+ 100']),
  row(
    'TLSA of a public root, which servers do not send (PKIX-TA)',
    {
      names: {
        ...names,
        tlsa: { kind: 'answer', isSecure: true, found: [{ ...record('ab'), usage: 0 }] },
      },
    },
    ['A+ 100'],
    { notTested: ['tlsa-mismatch'] },
  ),
  row(
    'TLSA of a trust anchor, which must be sent (DANE-TA)',
    {
      names: {
        ...names,
        tlsa: { kind: 'answer', isSecure: true, found: [{ ...record('ab'), usage: 2 }] },
      },
    },
    ['A+ 100', 'tlsa-mismatch'],
  ),
  row('TLSA without DNSSEC', tlsa(false, leaf.der.toString('hex')), ['A+ 100', 'tlsa-insecure']),
];
