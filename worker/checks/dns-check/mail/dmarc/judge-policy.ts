import type { MailMode } from '#shared/catalogue/dns-check/mail/report';
import type { DmarcCode } from '#shared/catalogue/dns-check/mail/rules/dmarc';
import { brokenIf, eachOf, type Fix, notTested, type Verdict, type Verdicts } from '#shared/model/verdict';
import { clip } from '../../../../mail/fault.ts';
import { type ChosenPolicy, choosePolicy } from './choose-policy.ts';
import type { Applied, DmarcFacts } from './facts.ts';
import { type Dmarc, type Policy, policies, policiesOf } from './parse-dmarc.ts';
import { type Changes, correctedPolicies, fixRecord } from './rewrite-dmarc.ts';

/** What the domain has to do with mail, and whether that is sure enough to reject what is sent. */
export type Use = { readonly mode: MailMode; readonly isClosed: boolean };

/** Judges what the record asks receivers to do, for this domain and for its subdomains. */
export function judgePolicy(facts: DmarcFacts, applied: Applied, use: Use) {
  const name = `_dmarc.${applied.domain}`;
  const published = policiesOf(applied.dmarc);
  const why = whyNotTaken(applied.dmarc);
  const chosen = choosePolicy(facts);
  const changes = correctedPolicies(applied.dmarc);
  const fix = fixRecord(facts, applied, 'Publish the record with a valid policy.', changes);
  return {
    'dmarc-no-effect': brokenIf(published === null, { name, why: why ?? '' }, fix),
    'dmarc-policy-fallback': brokenIf(published !== null && why !== null, { name, why: why ?? '' }, fix),
    ...(chosen === null || why !== null
      ? eachOf(strengthCodes, 'not-applicable')
      : judgeStrength(facts, applied, chosen, use)),
    'dmarc-subdomain-tag-ignored': judgeIgnoredTags(facts, applied),
  } satisfies Partial<Verdicts<DmarcCode>>;
}

// Why p, sp and np do not count as published (RFC 9989 §4.10.1), as a clause's object; null where they do.
function whyNotTaken(dmarc: Dmarc): string | null {
  if (dmarc.p === undefined) return 'no tag p';
  const wrong = (['p', 'sp', 'np'] as const).filter((tag) => dmarc[tag] === null);
  if (wrong.length === 0) return null;
  return wrong.map((tag) => `${tag}=${clip(valueOf(dmarc, tag), 40)}`).join(' and ');
}

const subdomainCodes = ['dmarc-subdomain-weaker', 'dmarc-nonexistent-weaker'] as const;
const strengthCodes = [
  'dmarc-policy-none',
  'dmarc-testing',
  'dmarc-parked-not-reject',
  ...subdomainCodes,
] as const;

const strength = (policy: Policy) => policies.indexOf(policy);

const whetherExists = notTested('it is not known whether the domain exists, and its policy depends on that');

function judgeStrength(
  facts: DmarcFacts,
  applied: Applied,
  chosen: ChosenPolicy,
  use: Use,
): Verdicts<(typeof strengthCodes)[number]> {
  const { mode, isClosed } = use;
  const { policy, tag } = chosen;
  const fix = (text: string, changes: Changes) => fixRecord(facts, applied, text, changes);
  const isOpen = chosen.chosen === null;
  return {
    ...judgeSubdomains(facts, applied, chosen, fix),
    'dmarc-policy-none': isOpen ? whetherExists : judgeNone(facts, applied, chosen, use),
    'dmarc-testing': brokenIf(
      applied.dmarc.isTesting && chosen.chosen !== 'none',
      { policy: chosen.chosen ?? policy, effective: chosen.effective ?? policy },
      fix('When the tests are over, publish the record without t=y.', { t: null }),
    ),
    'dmarc-parked-not-reject':
      mode !== 'parked' || chosen.chosen === 'none'
        ? 'not-applicable'
        : isOpen
          ? whetherExists
          : brokenIf(
              chosen.chosen === 'quarantine',
              { name: facts.domain, policy: chosen.chosen ?? policy },
              fix('Publish p=reject.', isClosed ? { [tag]: 'reject' } : {}),
            ),
  };
}

function judgeNone(
  facts: DmarcFacts,
  applied: Applied,
  { chosen, tag }: ChosenPolicy,
  { mode, isClosed }: Use,
): Verdict {
  const isShut = mode === 'parked' && isClosed;
  const seen = { name: facts.domain, tag, location: applied.domain };
  // Without reports nobody knows what a stricter policy would stop.
  const fix =
    !isShut && applied.dmarc.rua.length === 0
      ? { text: 'Ask for reports first; when they show that your own mail passes, raise the policy.' }
      : fixRecord(facts, applied, 'When the reports show that your own mail passes, raise the policy.', {
          [tag]: isShut ? 'reject' : 'quarantine',
        });
  return brokenIf(chosen === 'none', seen, fix);
}

// Only the record of an organizational domain speaks of subdomains.
function judgeSubdomains(
  facts: DmarcFacts,
  applied: Applied,
  { policy, subdomainPolicy, nonExistentPolicy }: ChosenPolicy,
  fix: (text: string, changes: Changes) => Fix,
): Verdicts<(typeof subdomainCodes)[number]> {
  if (facts.orgDomain === null)
    return eachOf(subdomainCodes, notTested('the organizational domain could not be found'));
  if (applied.domain !== facts.orgDomain) return eachOf(subdomainCodes, 'not-applicable');
  const isWeaker = (other: Policy): boolean => strength(other) < strength(policy);
  return {
    'dmarc-subdomain-weaker': brokenIf(
      isWeaker(subdomainPolicy),
      { policy, subdomainPolicy },
      fix('Publish the record without sp.', { sp: null }),
    ),
    // Where it is sp that decides for them too, it is reported once.
    'dmarc-nonexistent-weaker': brokenIf(
      isWeaker(nonExistentPolicy) && applied.dmarc.np !== undefined,
      { policy, nonExistentPolicy },
      fix('Publish the record with np=reject.', { np: 'reject' }),
    ),
  };
}

function judgeIgnoredTags({ orgDomain }: DmarcFacts, { domain, dmarc }: Applied): Verdict {
  const tags = (['sp', 'np'] as const).filter((tag) => dmarc[tag] !== undefined);
  if (tags.length === 0) return 'holds';
  if (orgDomain === null) return notTested('the organizational domain could not be found');
  if (domain === orgDomain || dmarc.psd === 'y') return 'holds';
  return brokenIf(true, { tag: tags.join(' and '), name: `_dmarc.${domain}`, orgDomain });
}

function valueOf({ tags }: Dmarc, name: string): string {
  return tags.find((tag) => tag.name === name)?.value ?? '';
}
