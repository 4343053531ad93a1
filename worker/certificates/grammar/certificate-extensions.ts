import { toHex } from './byte-cursor.ts';
import {
  type DerNode,
  derAt,
  derChildren,
  derIn,
  derTags,
  hasBit,
  parseDer,
  readObjectIdentifier,
  readSerialNumber,
  readSmallInteger,
  readTime,
} from './der.ts';
import { childrenOf, collectExtensions, type Extension, isTrue, readFullName } from './extensions.ts';
import { type Malformed, malformed } from './malformed.ts';
import { readSignatureAlgorithm } from './signature-names.ts';
import { parseSignedTimestamps, type SignedTimestamp } from './signed-timestamps.ts';

/** What node:crypto's X509Certificate does not tell of a certificate. */
export type CertificateExtensions = {
  readonly kind: 'extensions';
  /** Lower-case hex without leading zeros. */
  readonly serialNumber: string;
  /** As readSignatureAlgorithm gives it. */
  readonly signatureAlgorithm: string;
  /** Object identifiers of all extensions, in order. */
  readonly present: readonly string[];
  readonly hasSubjectAltName: boolean;
  readonly isSubjectAltNameCritical: boolean;
  /** DNS entries of subjectAltName, each byte one character. */
  readonly dnsNames: readonly string[];
  readonly timestamps: readonly SignedTimestamp[] | Malformed | null;
  /** RFC 7633: a client may insist on a stapled OCSP answer. */
  readonly mustStaple: boolean;
  /** Addresses of all distribution points. */
  readonly revocationListUrls: readonly string[];
  readonly distributionPoints: readonly DistributionPoint[];
  /** May sign revocation lists; so may one without the extension. */
  readonly signsLists: boolean;
  /** The name of the issuer, DER. */
  readonly issuerName: Uint8Array;
  readonly authorityKeyId: string | null;
  readonly subjectKeyId: string | null;
  readonly policies: readonly string[];
  readonly extendedKeyUsages: readonly string[] | null;
  readonly isAuthority: boolean;
  /** How many CA certificates may follow below this one; null for any number. */
  readonly pathLength: number | null;
  /** null without the extension: then the key may serve every purpose. */
  readonly keyUsages: KeyUsages | null;
  /** Entries of subjectAltName, DER with their context tags. */
  readonly alternativeNames: readonly DerNode[];
  /** The value of nameConstraints, to be read by parseNameConstraints; null without the extension. */
  readonly nameConstraints: Uint8Array | null;
  /** Where the certificate of the issuer can be fetched (RFC 5280 §4.2.2.1). */
  readonly issuerUrls: readonly string[];
  /** What a path through this certificate must have of policies; null without any such extension. */
  readonly policyRules: PolicyRules | null;
  /** The value of tlsfeature: what a CA demands of those below it (RFC 7633 §4.2.2). */
  readonly tlsFeatures: Uint8Array | null;
  /** Unix ms; null for a time that breaks its grammar (RFC 5280 §4.1.2.5). */
  readonly notBefore: number | null;
  readonly notAfter: number | null;
  /** The name of the subject, DER; an empty SEQUENCE where it has none. */
  readonly subjectName: Uint8Array;
  /** SubjectPublicKeyInfo, DER: what pins and DANE digest. */
  readonly publicKeyInfo: Uint8Array;
};

/** What a key may be used for (RFC 5280 §4.2.1.3), as far as servers and their CAs need it. */
export type KeyUsages = {
  readonly signs: boolean;
  readonly enciphers: boolean;
  readonly agrees: boolean;
  readonly signsCertificates: boolean;
};

/** What policyConstraints, inhibitAnyPolicy and policyMappings say (RFC 5280 §4.2.1.5, §4.2.1.11, §4.2.1.14); null where they say nothing. */
export type PolicyRules = {
  readonly explicitAfter: number | null;
  readonly noMappingAfter: number | null;
  readonly noAnyAfter: number | null;
  /** Policies of the issuer, each with one of the subject that counts as it. */
  readonly mappings: readonly (readonly [issuer: string, subject: string])[];
};

/** Where a list of revoked certificates lies (RFC 5280 §4.2.1.13). */
export type DistributionPoint = {
  readonly urls: readonly string[];
  /** The list there tells all reasons, and comes from the issuer of the certificate. */
  readonly isWhole: boolean;
};

/** Object identifiers of the extensions that are read. */
export const extensionIds = {
  subjectKeyId: '2.5.29.14',
  keyUsage: '2.5.29.15',
  nameConstraints: '2.5.29.30',
  policyMappings: '2.5.29.33',
  policyConstraints: '2.5.29.36',
  inhibitAnyPolicy: '2.5.29.54',
  authorityAccess: '1.3.6.1.5.5.7.1.1',
  subjectAltName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  revocationLists: '2.5.29.31',
  policies: '2.5.29.32',
  authorityKeyId: '2.5.29.35',
  extendedKeyUsage: '2.5.29.37',
  tlsFeature: '1.3.6.1.5.5.7.1.24',
  timestamps: '1.3.6.1.4.1.11129.2.4.2',
} as const;

/** The TLS extension whose number in tlsFeature means must-staple. */
const statusRequest = 5;
/** Places among the bits of keyUsage. */
const usageBits = { signs: 0, enciphers: 2, agrees: 4, signsCertificates: 5, signsLists: 6 } as const;
/** The access method whose location is the certificate of the issuer. */
const issuersMethod = '1.3.6.1.5.5.7.48.2';

/** Certificates of public CAs have some ten. Thousands, each with an identifier to be read, would hold the event loop for 80 ms. */
const mostExtensions = 100;

/** Walks a certificate in DER to its extensions (RFC 5280 §4.1). An extension that breaks its own grammar reads as empty. */
export function parseCertificateExtensions(certificate: Uint8Array): CertificateExtensions | Malformed {
  const node = parseDer(certificate);
  if (node.kind === 'malformed') return node;
  if (node.whole.length !== certificate.length)
    return malformed('bytes after the certificate', node.whole.length);
  const fields = derChildren(derAt(node, 0) ?? node);
  const first = fields[0]?.tag === 0xa0 ? 1 : 0; // the version is left out in X.509 v1
  const serialNumber = readSerialNumber(fields[first]);
  const algorithm = readSignatureAlgorithm(derAt(node, 1));
  if (node.tag !== derTags.sequence || serialNumber === null || algorithm === '')
    return malformed('a value that is no certificate', 0);
  const list = derAt(
    fields.find(({ tag }) => tag === 0xa3),
    0,
  );
  if (childrenOf(list).length > mostExtensions) return malformed('more extensions than are read', 0);
  const extensions = collectExtensions(list);
  const value = (id: string) => derIn(extensions.get(id)?.value);
  const points = childrenOf(value(extensionIds.revocationLists)).map(readDistributionPoint);
  return {
    kind: 'extensions',
    serialNumber,
    notBefore: readTime(derAt(fields[first + 3], 0)),
    notAfter: readTime(derAt(fields[first + 3], 1)),
    signatureAlgorithm: algorithm,
    present: [...extensions.keys()],
    ...readNames(extensions.get(extensionIds.subjectAltName)),
    timestamps: readTimestamps(value(extensionIds.timestamps)),
    revocationListUrls: points.flatMap(({ urls }) => urls),
    distributionPoints: points,
    signsLists:
      !extensions.has(extensionIds.keyUsage) || hasBit(value(extensionIds.keyUsage), usageBits.signsLists),
    authorityKeyId: hexOf(childrenOf(value(extensionIds.authorityKeyId)).find(({ tag }) => tag === 0x80)),
    subjectKeyId: hexOf(value(extensionIds.subjectKeyId)),
    policies: childrenOf(value(extensionIds.policies)).map((policy) =>
      readObjectIdentifier(derAt(policy, 0)),
    ),
    extendedKeyUsages: extensions.has(extensionIds.extendedKeyUsage)
      ? childrenOf(value(extensionIds.extendedKeyUsage)).map(readObjectIdentifier)
      : null,
    ...readLimits(extensions),
    issuerUrls: childrenOf(value(extensionIds.authorityAccess)).flatMap(readIssuerUrl),
    policyRules: readPolicyRules(extensions),
    ...readFeatures(extensions.get(extensionIds.tlsFeature)),
    ...readParties(fields.slice(first + 2)),
  };
}

/** The name of a certificate's subject, DER, and nothing else of it; undefined for what is no certificate. */
export function readSubjectName(certificate: Uint8Array): Uint8Array | undefined {
  const fields = childrenOf(derAt(derIn(certificate), 0));
  return fields[fields[0]?.tag === 0xa0 ? 5 : 4]?.whole;
}

/** The fields from the issuer to the public key; empty where one is missing. */
function readParties([issuer, , subject, publicKey]: readonly DerNode[]) {
  const nothing = new Uint8Array(0);
  return {
    issuerName: issuer?.whole ?? nothing,
    subjectName: subject?.whole ?? nothing,
    publicKeyInfo: publicKey?.whole ?? nothing,
  };
}

/** What subjectAltName says (RFC 5280 §4.2.1.6). */
function readNames(extension: Extension | undefined) {
  const alternativeNames = childrenOf(derIn(extension?.value));
  return {
    hasSubjectAltName: extension !== undefined,
    isSubjectAltNameCritical: extension?.isCritical === true,
    dnsNames: alternativeNames.filter(({ tag }) => tag === 0x82).map(latin1Of),
    alternativeNames,
  };
}

/** What the extensions say about a path through the certificate (RFC 5280 §6.1). */
function readLimits(extensions: ReadonlyMap<string, Extension>) {
  const value = (id: string) => derIn(extensions.get(id)?.value);
  const basic = value(extensionIds.basicConstraints);
  return {
    isAuthority: isTrue(derAt(basic, 0)),
    pathLength: readSmallInteger(derAt(basic, 1)),
    keyUsages: extensions.has(extensionIds.keyUsage) ? readUsages(value(extensionIds.keyUsage)) : null,
    nameConstraints: extensions.get(extensionIds.nameConstraints)?.value ?? null,
  };
}

/** What tlsfeature demands (RFC 7633). */
function readFeatures(extension: Extension | undefined) {
  const features = childrenOf(derIn(extension?.value)).map(readSmallInteger);
  return { mustStaple: features.includes(statusRequest), tlsFeatures: extension?.value ?? null };
}

function readPolicyRules(extensions: ReadonlyMap<string, Extension>): PolicyRules | null {
  const { policyConstraints, inhibitAnyPolicy, policyMappings } = extensionIds;
  if (![policyConstraints, inhibitAnyPolicy, policyMappings].some((id) => extensions.has(id))) return null;
  const value = (id: string) => derIn(extensions.get(id)?.value);
  const counts = childrenOf(value(policyConstraints));
  return {
    explicitAfter: readCount(counts.find(({ tag }) => tag === 0x80)),
    noMappingAfter: readCount(counts.find(({ tag }) => tag === 0x81)),
    noAnyAfter: readCount(value(inhibitAnyPolicy)),
    mappings: childrenOf(value(policyMappings)).map((pair) => [
      readObjectIdentifier(derAt(pair, 0)),
      readObjectIdentifier(derAt(pair, 1)),
    ]),
  };
}

/** A count of certificates, whatever tag stands for INTEGER. */
function readCount(node: DerNode | undefined): number | null {
  return node === undefined ? null : readSmallInteger({ ...node, tag: derTags.integer });
}

function readUsages(bits: DerNode | undefined): KeyUsages {
  return {
    signs: hasBit(bits, usageBits.signs),
    enciphers: hasBit(bits, usageBits.enciphers),
    agrees: hasBit(bits, usageBits.agrees),
    signsCertificates: hasBit(bits, usageBits.signsCertificates),
  };
}

function readIssuerUrl(access: DerNode): readonly string[] {
  const [method, location] = derChildren(access);
  return readObjectIdentifier(method) === issuersMethod && location?.tag === 0x86 ? [latin1Of(location)] : [];
}

function latin1Of({ content }: DerNode): string {
  return Buffer.from(content).toString('latin1');
}

function hexOf(node: DerNode | undefined): string | null {
  return node === undefined ? null : toHex(node.content);
}

function readTimestamps(node: DerNode | undefined): CertificateExtensions['timestamps'] {
  if (node === undefined) return null;
  if (node.tag !== derTags.octetString) return malformed('an extension that holds no OCTET STRING', 0);
  const list = parseSignedTimestamps(node.content);
  return list.kind === 'malformed' ? list : list.timestamps;
}

function readDistributionPoint(point: DerNode): DistributionPoint {
  const parts = derChildren(point);
  const name = parts.find(({ tag }) => tag === 0xa0);
  // [1] narrows the reasons, [2] names another issuer.
  return { urls: readFullName(name), isWhole: parts.every(({ tag }) => tag === 0xa0) };
}
