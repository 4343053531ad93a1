import { type Certificate, readCertificate } from '../../../worker/certificates/certificate.ts';
import { extensionIds } from '../../../worker/certificates/grammar/certificate-extensions.ts';
import type {
  Connected,
  HandshakeObservation,
  HelloAccepted,
  Question,
  QuestionEnd,
  SslEvidence,
} from '../../../worker/checks/ssl-check/evidence.ts';
import { suites } from '../../../worker/checks/ssl-check/grammar/suites.ts';
import { type Issued, issueCertificate, issuerAt, makeKey, type Wishes } from './issue-certificate.ts';
import { objectIdentifier, sequence } from './write-der.ts';
import { knownLogs } from './write-timestamps.ts';

/** The clock of all these rows. */
export const at = Date.parse('2026-11-21T03:00:00Z');

const key = makeKey();
const ca = { notBefore: '2020-01-01T00:00:00', notAfter: '2040-01-01T00:00:00', isAuthority: true };
export const root = issueCertificate({ subject: 'Root', issuer: null, ...ca });
export const intermediate = issueCertificate({ subject: 'Intermediate', issuer: root, ...ca });
export const otherIntermediate = issueCertificate({ subject: 'Other', issuer: root, ...ca });

/** A certificate for a.test under the intermediate, 90 days long and 39 from its end, with what is wished for. */
export const leafWith = (wishes: Partial<Wishes> = {}): Issued =>
  issueCertificate({
    subject: 'a.test',
    issuer: intermediate,
    names: ['a.test'],
    key,
    ...wishes,
    extensions: [issuerAt, ...(wishes.extensions ?? [])],
  });
export const leaf = leafWith();

/** The mark of a public CA: then signed timestamps are wanted. */
export const publicPolicy = {
  id: extensionIds.policies,
  value: sequence(sequence(objectIdentifier('2.23.140.1.2.1'))),
};

/** A certificate as it is read. */
export function certificateOf({ base64 }: Issued): Certificate {
  const facts = readCertificate(base64);
  if (facts === undefined) throw new Error('this is no certificate');
  return facts;
}

/** A completed handshake in TLS 1.3. */
export const connected = (change: Partial<Connected> = {}): Connected => ({
  kind: 'connected',
  address: '192.0.2.1',
  protocol: 'TLSv1.3',
  cipher: { name: 'TLS_AES_256_GCM_SHA384', standardName: 'TLS_AES_256_GCM_SHA384', version: 'TLSv1.3' },
  ephemeralKey: { type: 'ECDH', name: 'X25519MLKEM768', size: 1184 },
  alpn: 'h2',
  trustError: null,
  certificates: [leaf.base64, intermediate.base64],
  ocspResponse: null,
  maxEarlyDataBytes: 0,
  lateAlert: null,
  ms: 20,
  ...change,
});

/** A handshake that failed with one of OpenSSL's codes. */
export const failed = (
  opensslCode: string,
  code: 'tls-failed' | 'tls-timeout' | 'connection-refused' = 'tls-failed',
) => ({
  kind: 'failure' as const,
  code,
  opensslCode,
  reason: `it failed (${opensslCode})`,
  address: '192.0.2.1',
});

export const modern = (handshake: HandshakeObservation['handshake']): SslEvidence['handshakes'] => [
  { offer: 'modern', handshake },
];

/** Every client is shown these certificates. */
export const shows = (certificates: readonly Issued[], more: Partial<Connected> = {}) => ({
  handshakes: modern(connected({ certificates: certificates.map(({ base64 }) => base64), ...more })),
  withoutName: connected({ certificates: certificates.map(({ base64 }) => base64) }),
  chains: [certificates.map(({ base64 }) => base64)],
});

export const accepts = (suite: number, change: Partial<HelloAccepted> = {}): HelloAccepted => ({
  kind: 'accepted',
  suite,
  group: suites.get(suite)?.keyExchange === 'RSA' ? null : 0x001d,
  dhBits: null,
  signatureScheme: 0x0403,
  compression: 0,
  secureRenegotiation: true,
  extendedMasterSecret: true,
  alpn: 'h2',
  chain: 0,
  ocspResponse: null,
  timestampList: null,
  certificateRequested: false,
  oversizeBytes: null,
  ...change,
});

export const refused = (alert = 40): QuestionEnd => ({ kind: 'refused', by: 'alert', alert });
export const stopped: QuestionEnd = { kind: 'stopped', reason: 'there was no time left' };

export const question = (
  version: Question['version'],
  set: Question['set'],
  accepted: readonly HelloAccepted[] = [],
  end: QuestionEnd = refused(),
): Question => ({ version, set, accepted, end });

const strong = [0xc02b, 0xc02c];

/** The questions of a good server, in which some are answered otherwise. */
export const asked = (...others: readonly Question[]): readonly Question[] => {
  const usual = [
    question(
      'TLSv1.2',
      'sound',
      strong.map((suite) => accepts(suite)),
    ),
    question('TLSv1.2', 'dangerous'),
    question('TLSv1.2', 'withoutForwardSecrecy'),
    question('TLSv1.2', 'finiteField'),
    question('TLSv1.1', 'old', [], refused(70)),
    question('TLSv1', 'old', [], refused(70)),
    question('SSLv3', 'old'),
    question('SSLv2', 'ssl2', [], { kind: 'refused', by: 'closed' }),
    question(
      'TLSv1.3',
      'tls13',
      [0x1302, 0x1301].map((suite) => accepts(suite, { chain: null, group: 0x11ec })),
    ),
  ];
  const isSame = (one: Question) => (other: Question) =>
    one.version === other.version && one.set === other.set;
  return [...usual.filter((one) => !others.some(isSame(one))), ...others];
};

/** No version but these is spoken; `others` say how. */
export const askedOnly = (...others: readonly Question[]): readonly Question[] =>
  asked(
    ...asked()
      .filter(({ version }) => !others.some((other) => other.version === version))
      .map(({ version, set }) => question(version, set)),
    ...others,
  );

/** Evidence of a server without a fault, in which something is otherwise. */
export function evidenceOf(change: Partial<SslEvidence> = {}): SslEvidence {
  return {
    host: 'a.test',
    port: 443,
    at,
    handshakes: modern(connected()),
    withoutName: connected(),
    otherKind: null,
    questions: asked(),
    stillAnswers: null,
    resumption: { version: 'TLSv1.3', outcome: 'resumed' },
    renegotiation: 'refused',
    groups: { accepted: [0x11ec, 0x001d, 0x0017], end: refused() },
    certificateForm: { kind: 'form', compression: 'brotli', bytes: 2100, wholeBytes: 3200 },
    chains: [[leaf.base64, intermediate.base64]],
    anchors: [root.base64],
    logs: knownLogs,
    preference: 'server',
    alpnRefused: false,
    notOffered: [],
    hsts: { kind: 'fields', url: 'https://a.test/', values: ['max-age=31536000; includeSubDomains'] },
    revocationList: { kind: 'unknown', url: null, reason: 'the certificate names no CRL' },
    names: {
      caa: { kind: 'answer', isSecure: false, found: [{ tag: 'issue', value: 'ca.test' }] },
      tlsa: { kind: 'answer', isSecure: false, found: [] },
      httpsAlpn: { kind: 'answer', isSecure: false, found: [] },
    },
    addresses: ['192.0.2.1'],
    endpoints: [],
    connections: 20,
    ...change,
  };
}
