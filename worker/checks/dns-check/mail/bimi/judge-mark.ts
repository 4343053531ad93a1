import type { BimiCode } from '../../../../../shared/catalogue/dns-check/mail/rules/bimi.ts';
import {
  brokenBy,
  brokenIf,
  type Evidence,
  notTested,
  type Verdict,
  type Verdicts,
} from '../../../../../shared/model/verdict.ts';
import { clip } from '../text/fault.ts';
import {
  isIssuedBy,
  isNamed,
  logoOfMark,
  type MarkCertificate,
  type MarkChain,
  markPurpose,
} from './read-mark.ts';
import type { LogoSight } from './see-logo.ts';
import type { MarkSight } from './see-mark.ts';

type CertificateCode = Extract<BimiCode, `bimi-certificate-${string}`>;
export type MarkCode = CertificateCode | 'bimi-logo-differs';

export type MarkContext = {
  readonly mark: MarkSight;
  readonly logo: LogoSight;
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
  if (mark.kind === 'none') return same('not-applicable');
  if (mark.kind === 'unseen') return same(notTested(mark.why));
  const { url } = mark;
  if (mark.kind === 'lost')
    return {
      ...same('not-applicable'),
      'bimi-certificate-unreachable': brokenBy([{ url, reason: mark.reason }]),
    };
  const reached = { ...same('not-applicable'), 'bimi-certificate-unreachable': 'holds' } as const;
  if (mark.kind === 'too-long')
    return { ...same(notTested('the file is longer than the 64 kB that are read of it')), ...onlyReached };
  if (mark.kind === 'other')
    return { ...reached, 'bimi-certificate-not-mark': brokenBy([{ url, problem: mark.problem }]) };
  return { ...onlyReached, ...judgeChain({ url, chain: mark.chain, ...context }) };
}

const onlyReached = { 'bimi-certificate-unreachable': 'holds' } as const;

type ChainContext = MarkContext & { readonly url: string; readonly chain: MarkChain };

function judgeChain(context: ChainContext): Omit<Verdicts<MarkCode>, 'bimi-certificate-unreachable'> {
  const { url, chain, fetchedAtS, domains } = context;
  const [mark] = chain;
  const { validFrom: from, validUntil: until } = mark;
  const isValid = Date.parse(from) <= fetchedAtS * 1000 && fetchedAtS * 1000 <= Date.parse(until);
  return {
    'bimi-certificate-not-mark': brokenBy(describePurpose(mark).map((problem) => ({ url, problem }))),
    'bimi-certificate-not-valid-now': brokenIf(!isValid, {
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
    'bimi-certificate-chain-broken': brokenBy(describeChain(chain).map((problem) => ({ url, problem }))),
    'bimi-logo-differs': judgeSameLogo(context),
  };
}

function describePurpose(mark: MarkCertificate): string[] {
  if (mark.isAuthority) return ['the first certificate in it is that of a CA, not of a mark'];
  return mark.isForMarks
    ? []
    : [`the first certificate in it is not for marks (it lacks the purpose ${markPurpose})`];
}

// The full chain must be there, in order; the root may be left out (draft-fetch-validation-vmc-wchuang §3.3).
function describeChain([mark, ...issuers]: MarkChain): string[] {
  const [first] = issuers;
  if (!first) return ['the certificate that issued it is missing'];
  const problems = first.isForMarks ? [] : [`the issuing certificate lacks the purpose ${markPurpose}`];
  const broken = [mark, ...issuers].findIndex((one, at) => {
    const issuer = issuers[at];
    return issuer !== undefined && !isIssuedBy(one, issuer);
  });
  return broken < 0
    ? problems
    : [...problems, `certificate ${broken + 2} in it did not issue the one before`];
}

function judgeSameLogo({ logo, chain: [mark] }: ChainContext): Verdict {
  const embedded = logoOfMark(mark);
  if (embedded === null) return notTested('the certificate carries no logo that can be read');
  if (logo.kind === 'none' || logo.kind === 'lost') return 'not-applicable';
  if (logo.kind === 'unseen') return notTested(logo.why);
  if (logo.kind === 'too-long') return notTested('the logo was not read to its end');
  const seen: Evidence = { url: logo.url };
  return brokenIf(logo.text !== embedded, seen);
}

function same(verdict: Verdict): Verdicts<MarkCode> {
  return {
    'bimi-certificate-unreachable': verdict,
    'bimi-certificate-not-mark': verdict,
    'bimi-certificate-not-valid-now': verdict,
    'bimi-certificate-other-domain': verdict,
    'bimi-certificate-chain-broken': verdict,
    'bimi-logo-differs': verdict,
  };
}
