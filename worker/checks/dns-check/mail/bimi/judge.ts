import type { MailMode } from '#shared/catalogue/dns-check/mail/report';
import { type BimiCode, bimiRules } from '#shared/catalogue/dns-check/mail/rules/bimi';
import { allOf, brokenBy, brokenIf, notTested, type Verdict, type Verdicts } from '#shared/model/verdict';
import { showFault } from '../../../../mail/fault.ts';
import type { ChosenPolicy } from '../dmarc/choose-policy.ts';
import type { BimiFiles } from '../evidence.ts';
import type { BimiFacts } from './facts.ts';
import { judgeLogo, type LogoCode } from './judge-logo.ts';
import { judgeMark, type MarkCode } from './judge-mark.ts';
import { readLogo } from './read-logo.ts';
import { readMark } from './read-mark-file.ts';

export type BimiContext = {
  readonly bimi: BimiFacts;
  readonly mode: MailMode;
  /** The DMARC policy for the domain; null where none applies, undefined where nobody knows. */
  readonly policy: ChosenPolicy | null | undefined;
  /** Whether its record stands at the organizational domain: elsewhere its subdomain policy has no meaning. null where nobody knows. */
  readonly isOrganizational: boolean | null;
  /** undefined where nothing was fetched. */
  readonly files: BimiFiles | undefined;
};

/** Judges the brand indicator: the record, and what it leads to. */
export function judgeBimi(context: BimiContext): Verdicts<BimiCode> {
  const { bimi: facts, mode, files } = context;
  const { name, observation, texts, bimi, faults } = facts;
  if (mode === 'parked') return allOf(bimiRules, 'not-applicable');
  if (observation.outcome === 'unknown')
    return allOf(bimiRules, notTested(`${name} could not be read: ${observation.why}`));
  const wantsLogo = bimi !== null && bimi.logo !== null;
  return {
    ...judgeFiles(facts, files),
    'bimi-missing': brokenIf(texts.length === 0, { name }),
    'bimi-multiple': brokenIf(texts.length > 1, { name, count: texts.length }),
    'bimi-syntax': brokenBy(faults.map((fault) => ({ name, ...showFault(fault) }))),
    'bimi-without-dmarc': wantsLogo ? judgeEnforcement(context) : 'not-applicable',
    'bimi-no-certificate': wantsLogo ? brokenIf(bimi.authority === null, { name }) : 'not-applicable',
  };
}

function judgeFiles(
  { bimi, domains }: BimiFacts,
  files: BimiFiles | undefined,
): Verdicts<LogoCode | MarkCode> {
  const logo = readLogo(bimi?.logo ? files?.logo : null);
  const mark = readMark(bimi?.authority ? files?.mark : null);
  return {
    ...judgeLogo(logo),
    ...judgeMark({ mark, logo, domains, fetchedAtS: files?.fetchedAtS ?? 0 }),
  };
}

function judgeEnforcement({ bimi: { name }, policy, isOrganizational }: BimiContext): Verdict {
  if (policy === null) return brokenIf(true, { name, policy: 'none at all' });
  if (policy === undefined || policy.effective === null) return notTested('the DMARC policy is not known');
  const { effective, subdomainPolicy } = policy;
  if (effective === 'none') return brokenIf(true, { name, policy: effective });
  if (policy.policy === 'none')
    return brokenIf(true, { name, policy: `${effective}, but none for the domain above` });
  if (subdomainPolicy !== 'none' || isOrganizational === false) return 'holds';
  if (isOrganizational === null) return notTested('the organizational domain could not be found');
  return brokenIf(true, { name, policy: `${effective}, but none for subdomains` });
}
