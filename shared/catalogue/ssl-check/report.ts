import { z } from 'zod';

const bytes = z.int().min(0);
const date = z.iso.datetime();

/** A certificate as the server sent it. */
export const certificateSchema = z
  .looseObject({
    subject: z.string(),
    issuer: z.string(),
    serialNumber: z.string().meta({ description: 'Lower-case hex.' }),
    notBefore: date,
    notAfter: date,
    lifetimeDays: z.number(),
    names: z.array(z.string()).meta({ description: 'DNS entries of subjectAltName; at most 100 are shown.' }),
    key: z.looseObject({ type: z.string(), bits: z.int().nullable(), curve: z.string().nullable() }),
    signatureAlgorithm: z.string(),
    sha256: z.string().meta({ description: 'Fingerprint of the DER, lower-case hex.' }),
    role: z.enum(['leaf', 'intermediate', 'root', 'surplus']),
    bytes,
    spkiSha256: z.string().optional().meta({
      description: 'SHA-256 of the public key (SubjectPublicKeyInfo), base64, as pins are written.',
    }),
    pem: z.string().optional().meta({ description: 'The certificate itself.' }),
  })
  .meta({ id: 'Certificate' });

export const trustSchema = z
  .looseObject({
    trusted: z.boolean().nullable().meta({ description: 'null when no certificate was seen.' }),
    error: z.string().nullable().meta({
      description:
        'Why not: "issuer-missing", "root-unknown", "expired" and so on, or the code of the finding that refutes it.',
    }),
    reason: z.string().nullable().optional().meta({ description: 'The same as a sentence.' }),
    stores: z
      .looseObject({
        Mozilla: z.boolean(),
        Apple: z.boolean().nullable(),
        Chrome: z.boolean().nullable(),
        Microsoft: z.boolean().nullable(),
      })
      .nullable()
      .optional()
      .meta({
        description:
          'Of the trusted certificate of current clients: whether a path leads to a root that is in each store, by the CCADB; null where that is not known.',
      }),
  })
  .meta({ id: 'Trust' });

export const suiteSchema = z
  .looseObject({
    name: z.string(),
    id: z.string().meta({ description: 'Four hex digits, as IANA lists them: "c02f".' }),
    versions: z.array(z.string()),
    bits: z.int(),
    forwardSecrecy: z.boolean(),
    aead: z.boolean(),
    dhBits: z.int().nullable(),
    dhPrime: z.string().nullable().optional().meta({
      description: 'Name of a prime that many servers share: "ffdhe2048"; null for any other.',
    }),
  })
  .meta({ id: 'CipherSuite' });

export const groupSchema = z
  .looseObject({ name: z.string(), id: z.string(), postQuantum: z.boolean() })
  .meta({ id: 'KeyExchangeGroup' });

export const stapleSchema = z
  .looseObject({
    status: z.enum(['good', 'revoked', 'unknown', 'unusable']),
    thisUpdate: date.nullable(),
    nextUpdate: date.nullable(),
  })
  .meta({
    id: 'OcspStaple',
    description:
      'An answer that the CA did not sign is unusable; without the certificate of the issuer that is not told.',
  });

export const revocationListSchema = z
  .looseObject({
    url: z.string().nullable(),
    status: z.enum(['good', 'revoked', 'not-used']),
    why: z.string().nullable().meta({ description: 'Why nothing was concluded from it.' }),
    revokedAt: date.nullable(),
    reason: z.string().nullable().meta({ description: 'As RFC 5280 §5.3.1 names it: "keyCompromise".' }),
    thisUpdate: date.nullable(),
    nextUpdate: date.nullable(),
    entries: z.int().min(0).nullable(),
    bytes: bytes.nullable(),
  })
  .meta({
    id: 'RevocationList',
    description:
      'The CRL that the certificate points to. Lists of up to 1 MB are fetched, by http, where the chain is trusted.',
  });

const revocationSourcesSchema = z
  .array(z.enum(['OCSP staple', 'CRL']))
  .optional()
  .meta({
    description: 'What that was learnt from; empty when it was not checked, absent in older reports.',
  });

/** A leaf that some clients are shown, with what the report says of the first in fields of its own. */
export const otherCertificateSchema = certificateSchema
  .extend({
    judged: z
      .boolean()
      .optional()
      .meta({ description: 'false for one that is only told, such as that of SSL 3.0, which has no SNI.' }),
    versions: z.array(z.string()).optional().meta({ description: 'Versions in which it was seen.' }),
    chain: z.array(certificateSchema).optional().meta({ description: 'As sent, in order, itself first.' }),
    trust: trustSchema.optional(),
    ocspStaple: stapleSchema.nullable().optional(),
    revocation: z.enum(['good', 'revoked', 'not-checked']).optional(),
    revocationSources: revocationSourcesSchema,
    revocationList: revocationListSchema.nullable().optional(),
  })
  .meta({ id: 'OtherCertificate' });

/** Whether the server has a certificate of the kind of key that today's clients are not shown. */
export const otherKeyKindSchema = z
  .looseObject({
    kind: z.enum(['ECDSA', 'RSA']),
    presence: z.enum(['shown', 'none', 'unknown']),
    reason: z.string().nullable().meta({ description: 'Why it is unknown.' }),
  })
  .meta({ id: 'OtherKeyKind' });

export const sslLabsLetters = ['A+', 'A', 'A-', 'B', 'C', 'D', 'E', 'F', 'M', 'T'] as const;
export type SslLabsLetter = (typeof sslLabsLetters)[number];

/** One address of the name. */
export const endpointSchema = z
  .looseObject({
    address: z.string(),
    family: z.enum(['IPv4', 'IPv6']),
    look: z.enum(['full', 'short', 'handshake']).meta({
      description:
        'full: the first address of each family. short: a handshake, and whether TLS 1.0 and 1.1 are accepted. handshake: no more than that, for addresses after the first eight others.',
    }),
    state: z.enum(['complete', 'unreachable', 'not-tested']),
    grade: z.enum(sslLabsLetters).nullable().meta({
      description:
        'After a short look: the best letter that its certificate and versions leave, null for any. The report has the worst.',
    }),
    protocol: z.string().nullable(),
    alpn: z.string().nullable(),
    reason: z.string().nullable().meta({ description: 'Why the handshake failed.' }),
    trusted: z.boolean().nullable().optional().meta({
      description: 'Whether current clients trust the certificate that they are shown there.',
    }),
    trustError: z.string().nullable().optional(),
  })
  .meta({ id: 'TlsEndpoint' });

/** What a client gets from the server. */
export const clientSchema = z
  .looseObject({
    name: z.string(),
    connects: z.boolean().nullable().meta({ description: 'null when it cannot be told.' }),
    protocol: z.string().nullable(),
    suite: z.string().nullable(),
    reason: z.string().nullable().meta({ description: 'Why it does not connect, or why that is not known.' }),
  })
  .meta({ id: 'SimulatedClient' });

export const sslReportShape = {
  target: z.looseObject({ domain: z.string() }),
  host: z.string(),
  port: z.int(),
  addresses: z
    .array(z.string())
    .meta({ description: 'The address that the report describes; `endpoints` has all of them.' }),
  certificates: z.array(certificateSchema).meta({ description: 'As sent, in order.' }),
  otherCertificates: z.array(otherCertificateSchema).meta({
    description:
      'Leaves that other clients are shown: servers may hold one with an RSA and one with an ECDSA key.',
  }),
  otherKeyKind: otherKeyKindSchema
    .nullable()
    .optional()
    .meta({ description: 'null when no handshake was completed; absent in older reports.' }),
  trust: trustSchema,
  protocols: z
    .record(z.string(), z.boolean().nullable())
    .meta({ description: 'SSLv2 to TLSv1.3; null when it could not be told.' }),
  suites: z.array(suiteSchema).meta({ description: 'In the order in which the server chose them.' }),
  suitesComplete: z.boolean().meta({
    description:
      'All suites of TLS 1.2 and 1.3 were found; false where the 45 connections of a run were too few to ask for each: a hello tells one suite.',
  }),
  groups: z.array(groupSchema),
  negotiated: z
    .looseObject({ protocol: z.string(), suite: z.string(), group: z.string().nullable() })
    .nullable()
    .meta({ description: 'What a current client gets.' }),
  alpn: z.string().nullable(),
  ocspStaple: stapleSchema.nullable(),
  revocation: z.enum(['good', 'revoked', 'not-checked']),
  revocationSources: revocationSourcesSchema,
  revocationList: revocationListSchema
    .nullable()
    .optional()
    .meta({ description: 'null when no certificate was seen; absent in older reports.' }),
  earlyData: z.looseObject({ accepted: z.boolean().nullable(), maxBytes: bytes.nullable() }),
  http3Advertised: z
    .boolean()
    .nullable()
    .meta({ description: 'The HTTPS record or an Alt-Svc field offers h3.' }),
  certificateCompression: z
    .looseObject({
      algorithm: z.enum(['zlib', 'brotli', 'zstd']).nullable().meta({
        description: 'null where the certificates are sent as they are.',
      }),
      bytes,
      wholeBytes: bytes,
    })
    .nullable()
    .optional()
    .meta({
      id: 'CertificateCompression',
      description:
        'The Certificate message in TLS 1.3 to a client that offers zlib, brotli and zstd (RFC 8879): as it is sent, and what comes out of it. null where none was seen.',
    }),
  http3: z
    .looseObject({
      state: z.enum(['answers', 'no-answer', 'not-offered', 'unknown']),
      source: z.enum(['Alt-Svc', 'HTTPS record']).nullable(),
      port: z.int().nullable(),
      versions: z
        .array(z.string())
        .meta({ description: 'Versions of QUIC that the server lists: "QUIC v1".' }),
      reason: z.string().nullable().meta({ description: 'Why it does not answer, or why that is unknown.' }),
    })
    .optional()
    .meta({
      id: 'Http3',
      description:
        'HTTP/3 is tried where it is offered: one datagram, sent twice at most, asks for the versions of QUIC.',
    }),
  echAdvertised: z.boolean().nullable().optional().meta({
    description: 'The HTTPS record carries keys for Encrypted Client Hello; null when it could not be read.',
  }),
  fallbackRefused: z.boolean().nullable().optional().meta({
    description:
      'A client that comes back with an older version is refused (RFC 7507); null where no version before TLS 1.2 is spoken.',
  }),
  sessions: z
    .looseObject({
      ids: z.boolean().nullable().meta({
        description: 'TLS 1.2: the ServerHello names a session; servers that issue tickets often do not.',
      }),
      tickets: z.boolean().nullable().meta({ description: 'TLS 1.2: the ServerHello promises a ticket.' }),
      tls13Tickets: z
        .boolean()
        .nullable()
        .meta({ description: 'TLS 1.3: a ticket came after the handshake.' }),
      resumed: z.boolean().nullable().meta({
        description: 'The session of a current client was resumed; null where none was issued.',
      }),
    })
    .optional()
    .meta({ description: 'Session resumption; null where it was not seen.' }),
  renegotiationByClient: z.boolean().nullable().optional().meta({
    description: 'TLS 1.2: a handshake that the client begins inside a connection is accepted.',
  }),
  connections: z.int().min(0).meta({
    description:
      'Connections that were opened: at most 45 to an address looked at in full, 6 to the next eight, and 1 to any other.',
  }),
  endpoints: z.array(endpointSchema).optional().meta({ description: 'Every address that was looked at.' }),
  clients: z.array(clientSchema).optional().meta({
    description:
      'As their own ClientHello was answered, or as it follows from what was seen; null where neither tells. The certificate is judged elsewhere.',
  }),
  cipherPreference: z
    .enum(['server', 'client'])
    .nullable()
    .optional()
    .meta({ description: 'By whose order a suite of TLS 1.2 is chosen; null when that was not seen.' }),
  mozillaProfile: z.enum(['modern', 'intermediate', 'old', 'none']).nullable().optional().meta({
    description:
      'The strictest profile of Mozilla’s recommendations (5.8) that the server offers nothing beyond, by versions and suites; null when not all of them are known.',
  }),
  sslLabsEquivalent: z.enum(sslLabsLetters).nullable().meta({
    description:
      'The letter of the SSL Server Rating Guide 2009r; T untrusted, M mismatch. null also while a class of suites that would lower it is unknown.',
  }),
  sslLabs: z
    .looseObject({
      score: z.int().min(0).max(100),
      protocolScore: z.number(),
      keyExchangeScore: z.number(),
      cipherScore: z.number(),
      caps: z.array(z.looseObject({ letter: z.enum(sslLabsLetters), code: z.string() })),
    })
    .nullable(),
};
