import { X509Certificate } from 'node:crypto';
import type { BimiCode } from '#shared/catalogue/dns-check/mail/rules/bimi';
import { brokenBy, brokenIf, eachOf, notTested, type Verdict, type Verdicts } from '#shared/model/verdict';
import { oncePerObservation } from '../../../../dns/observation.ts';
import { clip, type Faulty } from '../../../../mail/fault.ts';
import type { WebFile } from '../evidence.ts';
import { type FileObservation, readAbsent, readFile, unpack } from './files.ts';
import type { LogoObservation } from './logo.ts';

/** The mark certificate as judgement sees it: `other` is a file without one, and why, as a sentence's end. */
type MarkObservation =
  | Exclude<FileObservation, { kind: 'file' }>
  | { readonly kind: 'other'; readonly url: string; readonly problem: string }
  | { readonly kind: 'chain'; readonly url: string; readonly chain: MarkChain };

/**
 * Reads the file that the tag a names.
 * @param file undefined where it was not fetched, null where the record names none
 */
export function readMark(file: WebFile | null | undefined): MarkObservation {
  return file ? decodeMark(file) : readAbsent(file);
}

// Judged and shown: read once for both.
const decodeMark = oncePerObservation((file: WebFile): MarkObservation => {
  const observation = readFile(file);
  if (observation.kind !== 'file') return observation;
  const { url } = observation;
  const pem = parsePem(observation.text);
  if ('faults' in pem) return { kind: 'other', url, problem: pem.faults[0].problem };
  const chain = readChain(pem.certificates);
  return chain
    ? { kind: 'chain', url, chain }
    : { kind: 'other', url, problem: 'a certificate in it cannot be read' };
});

const pemBegin = '-----BEGIN CERTIFICATE-----';
const pemEnd = '-----END CERTIFICATE-----';

/** A chain has two to four; more are not read. */
const certificateLimit = 8;

/** Reads the certificates of a PEM file (RFC 7468 §5), each with its frame; text between them is passed over. */
export function parsePem(text: string): { readonly certificates: readonly string[] } | Faulty {
  const certificates: string[] = [];
  let at = text.indexOf(pemBegin);
  while (at >= 0 && certificates.length < certificateLimit) {
    const stop = text.indexOf(pemEnd, at);
    if (stop < 0) return { faults: [{ at, term: pemBegin, problem: 'a certificate in it has no end' }] };
    certificates.push(text.slice(at, stop + pemEnd.length));
    at = text.indexOf(pemBegin, stop);
  }
  if (certificates.length > 0) return { certificates };
  return { faults: [{ at: 0, term: '', problem: 'it contains no certificate in PEM form' }] };
}

/** One certificate of a chain. */
type MarkCertificate = {
  /** As OpenSSL writes names, in one line. */
  readonly subject: string;
  readonly issuer: string;
  /** Its subject alternative names as Node writes them ("DNS:a.test, DNS:b.test"); "" for none. */
  readonly names: string;
  readonly isAuthority: boolean;
  /** It says that it is for marks. */
  readonly isForMarks: boolean;
  readonly kind: 'VMC' | 'CMC' | null;
  /** ISO 8601. */
  readonly validFrom: string;
  readonly validUntil: string;
  readonly x509: X509Certificate;
};

/** Certificates of a mark's file as they stand there: the mark's own, then those that issued it. */
type MarkChain = readonly [MarkCertificate, ...MarkCertificate[]];

/** id-kp-BrandIndicatorforMessageIdentification (draft-fetch-validation-vmc-wchuang §4.4). */
const markPurpose = '1.3.6.1.5.5.7.3.31';

/** Reads the certificates of a chain; null where one cannot be read, in whatever part of it. */
export function readChain(pems: readonly string[]): MarkChain | null {
  try {
    const [first, ...others] = pems.map((pem) => readCertificate(new X509Certificate(pem)));
    return first ? [first, ...others] : null;
  } catch {
    // OpenSSL's own words say nothing to the owner of a mark.
    return null;
  }
}

function readCertificate(x509: X509Certificate): MarkCertificate {
  // Node types these as always there; without the extension they are not.
  const purposes: readonly string[] | undefined = x509.keyUsage;
  return {
    subject: x509.subject.replaceAll('\n', ', '),
    issuer: x509.issuer.replaceAll('\n', ', '),
    names: x509.subjectAltName ?? '',
    isAuthority: x509.ca,
    isForMarks: purposes?.includes(markPurpose) === true,
    kind: kindOf(x509.subject),
    validFrom: x509.validFromDate.toISOString(),
    validUntil: x509.validToDate.toISOString(),
    x509,
  };
}

// BIMI Group, "Minimum Security Requirements for Issuance of Mark Certificates": the type of the mark in the subject.
const markTypeKey = '1.3.6.1.4.1.53087.1.13=';
const kinds: ReadonlyMap<string, 'VMC' | 'CMC'> = new Map([
  ['Registered Mark', 'VMC'],
  ['Government Mark', 'VMC'],
  ['Prior Use Mark', 'CMC'],
  ['Modified Registered Mark', 'CMC'],
]);

function kindOf(subject: string): 'VMC' | 'CMC' | null {
  const line = subject.split('\n').find((one) => one.startsWith(markTypeKey));
  return kinds.get(line?.slice(markTypeKey.length) ?? '') ?? null;
}

/** True where a name of the certificate is this one to the letter: no wildcard, and never the subject. */
export function isNamed({ x509 }: MarkCertificate, name: string): boolean {
  return x509.checkHost(name, { subject: 'never', wildcards: false }) !== undefined;
}

/** True where the second certificate issued the first, and its signature holds. */
export function isIssuedBy({ x509: one }: MarkCertificate, { x509: issuer }: MarkCertificate): boolean {
  try {
    return one.checkIssued(issuer) && one.verify(issuer.publicKey);
  } catch {
    // A key of a kind that nobody knows signs nothing.
    return false;
  }
}

// The logotype extension (RFC 9399 §4.1), id-pe-logotype, as it stands in DER.
const logotype = Buffer.from('06082b0601050507010c', 'hex');
const dataUri = 'data:image/svg+xml';

/** The logo that a certificate carries as a data URI (RFC 9399 §4.1); null where there is none that can be read. */
export function logoOfMark({ x509: { raw } }: MarkCertificate): string | null {
  const extension = raw.indexOf(logotype);
  const start = extension < 0 ? -1 : raw.indexOf(dataUri, extension);
  const length = start < 0 ? 0 : lengthBefore(raw, start);
  const uri = raw.toString('latin1', start, start + length);
  const comma = uri.indexOf(',');
  if (comma < 0 || !uri.slice(0, comma).endsWith(';base64')) return null;
  const bytes = Buffer.from(uri.slice(comma + 1), 'base64');
  const unpacked = bytes[0] === 0x1f ? unpack(bytes) : bytes;
  return typeof unpacked === 'string' ? null : new TextDecoder().decode(unpacked);
}

// DER: the tag of an IA5String, then its length in one octet, or in so many as the first one says.
function lengthBefore(raw: Buffer, start: number): number {
  const ia5String = 0x16;
  if (raw[start - 2] === ia5String) return raw[start - 1] ?? 0;
  const size = [1, 2, 3].find(
    (octets) => raw[start - octets - 2] === ia5String && raw[start - octets - 1] === 0x80 + octets,
  );
  return size === undefined ? 0 : raw.readUIntBE(start - size, size);
}

const markCodes = [
  'bimi-certificate-unreachable',
  'bimi-certificate-not-mark',
  'bimi-certificate-not-valid-now',
  'bimi-certificate-other-domain',
  'bimi-certificate-chain-broken',
  'bimi-logo-differs',
] as const;
export type MarkCode = Extract<BimiCode, (typeof markCodes)[number]>;

type MarkContext = {
  readonly mark: MarkObservation;
  readonly logo: LogoObservation;
  readonly fetchedAtS: number;
  /** Names under which the certificate may be issued: of these one is enough. */
  readonly domains: readonly string[];
};

/**
 * Judges the mark certificate: what it is for, when, and for whom, and that its chain holds together. Whether the root is that of a
 * recognised mark authority is not judged: each mail program keeps a list of its own.
 */
export function judgeMark(context: MarkContext): Verdicts<MarkCode> {
  const { mark } = context;
  if (mark.kind === 'none') return eachOf(markCodes, 'not-applicable');
  if (mark.kind === 'unseen') return eachOf(markCodes, notTested(mark.why));
  return mark.kind === 'lost'
    ? {
        ...eachOf(markCodes, 'not-applicable'),
        'bimi-certificate-unreachable': brokenBy([{ url: mark.url, reason: mark.reason }]),
      }
    : { ...judgeFile(context, mark), 'bimi-certificate-unreachable': 'holds' };
}

type Lost = Extract<MarkObservation, { kind: 'lost' }>;
type Fetched = Exclude<MarkObservation, Lost | { kind: 'none' | 'unseen' }>;

function judgeFile(context: MarkContext, mark: Fetched): Verdicts<MarkCode> {
  if (mark.kind === 'too-long')
    return eachOf(markCodes, notTested('the file is longer than 64 kB, and no more is read'));
  const { url } = mark;
  return mark.kind === 'other'
    ? {
        ...eachOf(markCodes, 'not-applicable'),
        'bimi-certificate-not-mark': brokenBy([{ url, problem: mark.problem }]),
      }
    : { ...eachOf(markCodes, 'not-applicable'), ...judgeChain({ ...context, url, chain: mark.chain }) };
}

type ChainContext = MarkContext & { readonly url: string; readonly chain: MarkChain };

function judgeChain(context: ChainContext): Omit<Verdicts<MarkCode>, 'bimi-certificate-unreachable'> {
  const { url, chain, fetchedAtS, domains } = context;
  const [mark] = chain;
  const { validFrom: from, validUntil: until } = mark;
  return {
    'bimi-certificate-not-mark': brokenBy(describePurpose(mark).map((problem) => ({ url, problem }))),
    'bimi-certificate-not-valid-now': brokenIf(!isValidAt(mark, fetchedAtS), {
      url,
      subject: clip(mark.subject),
      from,
      until,
    }),
    'bimi-certificate-other-domain': brokenIf(!domains.some((domain) => isNamed(mark, domain)), {
      url,
      names: clip(mark.names) || 'no name at all',
      domain: domains[0] ?? '',
    }),
    'bimi-certificate-chain-broken': brokenBy(
      describeChain(chain, fetchedAtS).map((problem) => ({ url, problem })),
    ),
    'bimi-logo-differs': judgeSameLogo(context),
  };
}

function describePurpose(mark: MarkCertificate): string[] {
  if (mark.isAuthority) return ['the first certificate in it is that of a CA, not of a mark'];
  return mark.isForMarks
    ? []
    : [`the first certificate in it is not for marks (it lacks the purpose ${markPurpose})`];
}

// The full chain must be there, in order and valid; the root may be left out (draft-fetch-validation-vmc-wchuang §3.3, §5.1).
function describeChain([mark, ...issuers]: MarkChain, atS: number): string[] {
  const [first] = issuers;
  if (!first) return ['the certificate that issued it is missing'];
  const broken = [mark, ...issuers].findIndex((one, at) => {
    const issuer = issuers[at];
    return issuer !== undefined && !isIssuedBy(one, issuer);
  });
  return [
    ...(first.isForMarks ? [] : [`the issuing certificate lacks the purpose ${markPurpose}`]),
    ...(broken < 0 ? [] : [`certificate ${broken + 2} in it did not issue the one before`]),
    ...issuers
      .filter((issuer) => !isValidAt(issuer, atS))
      .map(({ subject }) => `the issuing certificate ${clip(subject, 80)} is not valid now`),
  ];
}

function isValidAt({ validFrom, validUntil }: MarkCertificate, atS: number): boolean {
  return Date.parse(validFrom) <= atS * 1000 && atS * 1000 <= Date.parse(validUntil);
}

function judgeSameLogo({ logo, chain: [mark] }: ChainContext): Verdict {
  const embedded = logoOfMark(mark);
  if (embedded === null) return notTested('the certificate contains no logo that can be read');
  if (logo.kind === 'none' || logo.kind === 'lost') return 'not-applicable';
  if (logo.kind === 'unseen') return notTested(logo.why);
  if (logo.kind === 'too-long') return notTested('the logo was not read to its end');
  return brokenIf(logo.text !== embedded, { url: logo.url });
}
