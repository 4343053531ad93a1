import type { BimiCode } from '#shared/catalogue/dns-check/mail/rules/bimi';
import { brokenBy, brokenIf, eachOf, notTested, type Verdict, type Verdicts } from '#shared/model/verdict';
import { clip } from '../../../../mail/fault.ts';
import type { LogoObservation } from './read-logo.ts';
import type { MarkObservation } from './read-mark-file.ts';
import {
  isIssuedBy,
  isNamed,
  logoOfMark,
  type MarkCertificate,
  type MarkChain,
  markPurpose,
} from './read-mark.ts';

const markCodes = [
  'bimi-certificate-unreachable',
  'bimi-certificate-not-mark',
  'bimi-certificate-not-valid-now',
  'bimi-certificate-other-domain',
  'bimi-certificate-chain-broken',
  'bimi-logo-differs',
] as const;
export type MarkCode = Extract<BimiCode, (typeof markCodes)[number]>;

export type MarkContext = {
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
