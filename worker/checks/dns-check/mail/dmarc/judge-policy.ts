import type { DmarcCode } from '../../../../../shared/catalogue/dns-check/mail/rules/dmarc.ts';
import { brokenIf, notTested, type Verdict, type Verdicts } from '../../../../../shared/model/verdict.ts';
import { clip } from '../fault.ts';
import type { MailMode } from '../mode.ts';
import { publish } from '../verdicts.ts';
import { type ChosenPolicy, choosePolicy } from './choose-policy.ts';
import { type Dmarc, type Policy, policies, policiesOf, printDmarc } from './parse-dmarc.ts';
import type { DmarcFacts } from './see-dmarc.ts';

type PolicyCode = Extract<
  DmarcCode,
  | 'dmarc-no-effect'
  | 'dmarc-policy-fallback'
  | 'dmarc-policy-none'
  | 'dmarc-testing'
  | 'dmarc-subdomain-weaker'
  | 'dmarc-nonexistent-weaker'
  | 'dmarc-parked-not-reject'
  | 'dmarc-subdomain-tag-ignored'
>;

export type Applied = { readonly domain: string; readonly dmarc: Dmarc };

/** Judges what the record asks receivers to do, for this domain and for its subdomains. */
export function judgePolicy(facts: DmarcFacts, applied: Applied, mode: MailMode): Verdicts<PolicyCode> {
  const name = `_dmarc.${applied.domain}`;
  const published = policiesOf(applied.dmarc);
  const why = whyNotTaken(applied.dmarc);
  const rewrite = (text: string, changes: Changes) =>
    publish(text, name, rewriteDmarc(applied.dmarc, changes));
  const chosen = choosePolicy(facts);
  const mend = rewrite('Give the record a policy that counts.', { p: 'none', ...mendTags(applied.dmarc) });
  return {
    'dmarc-no-effect': brokenIf(published === null, { name, why: why ?? '' }, mend),
    'dmarc-policy-fallback': brokenIf(published !== null && why !== null, { name, why: why ?? '' }, mend),
    ...(chosen === null || why !== null ? nothingChosen : judgeStrength(facts, applied, chosen, mode)),
    'dmarc-subdomain-tag-ignored': judgeIgnoredTags(facts, applied),
  };
}

// Why p, sp and np do not count as published (RFC 9989 §4.10.1), as a clause's object; null where they do.
function whyNotTaken(dmarc: Dmarc): string | null {
  if (dmarc.p === undefined) return 'no tag p';
  const wrong = (['p', 'sp', 'np'] as const).filter((tag) => dmarc[tag] === null);
  if (wrong.length === 0) return null;
  return wrong.map((tag) => `${tag}=${clip(valueOf(dmarc, tag), 40)}`).join(' and ');
}

function mendTags(dmarc: Dmarc): Changes {
  return {
    ...(dmarc.p ? { p: dmarc.p } : {}),
    ...(dmarc.sp === null ? { sp: null } : {}),
    ...(dmarc.np === null ? { np: null } : {}),
  };
}

type StrengthCode = Exclude<
  PolicyCode,
  'dmarc-no-effect' | 'dmarc-policy-fallback' | 'dmarc-subdomain-tag-ignored'
>;

const nothingChosen: Verdicts<StrengthCode> = {
  'dmarc-policy-none': 'not-applicable',
  'dmarc-testing': 'not-applicable',
  'dmarc-subdomain-weaker': 'not-applicable',
  'dmarc-nonexistent-weaker': 'not-applicable',
  'dmarc-parked-not-reject': 'not-applicable',
};

const strength = (policy: Policy) => policies.indexOf(policy);

function judgeStrength(
  facts: DmarcFacts,
  { domain: location, dmarc }: Applied,
  chosen: ChosenPolicy,
  mode: MailMode,
): Verdicts<StrengthCode> {
  const { policy, subdomainPolicy, nonExistentPolicy, tag } = chosen;
  const fix = (text: string, changes: Changes) =>
    publish(text, `_dmarc.${location}`, rewriteDmarc(dmarc, changes));
  const isOrg = location === facts.orgDomain;
  const weaker = (other: Policy): boolean => isOrg && strength(other) < strength(policy);
  const stronger = mode === 'parked' ? 'reject' : 'quarantine';
  const isOpen = chosen.chosen === null;
  const open = notTested('whether the domain exists, on which its policy depends, is not known');
  const isTested = dmarc.isTesting && chosen.chosen !== 'none';
  return {
    'dmarc-policy-none': isOpen
      ? open
      : brokenIf(
          chosen.chosen === 'none',
          { name: facts.domain, tag, location },
          fix('When the reports show that your own mail passes, raise the policy.', { [tag]: stronger }),
        ),
    'dmarc-testing': brokenIf(
      isTested,
      { policy: chosen.chosen ?? policy, effective: chosen.effective ?? policy },
      fix('When the tests are over, publish the record without t=y.', { t: null }),
    ),
    'dmarc-subdomain-weaker': brokenIf(
      weaker(subdomainPolicy),
      { policy, subdomainPolicy },
      fix('Publish the record without sp.', { sp: null }),
    ),
    'dmarc-nonexistent-weaker': brokenIf(
      weaker(nonExistentPolicy),
      { policy, nonExistentPolicy },
      fix('Publish the record with np=reject.', { np: 'reject' }),
    ),
    'dmarc-parked-not-reject':
      mode !== 'parked' || chosen.chosen === 'none'
        ? 'not-applicable'
        : brokenIf(
            chosen.chosen === 'quarantine',
            { name: facts.domain, policy: chosen.chosen ?? policy },
            fix('Publish p=reject.', { [tag]: 'reject' }),
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

type Changes = { readonly [tag: string]: string | null };

/** The record with some tags set, or, where null, left out; p stays behind v, where old receivers look for it. */
export function rewriteDmarc(dmarc: Dmarc, changes: Changes): string {
  const kept = dmarc.tags
    .slice(1)
    .filter(({ name }) => name !== 'p' && !Object.hasOwn(changes, name))
    .map(({ name, value }) => ({ name, value }));
  const set = Object.entries(changes).flatMap(([name, value]) =>
    value === null || name === 'p' ? [] : [{ name, value }],
  );
  const p = changes['p'] ?? dmarc.p ?? 'none';
  return printDmarc([{ name: 'v', value: 'DMARC1' }, { name: 'p', value: p }, ...set, ...kept]);
}

function valueOf({ tags }: Dmarc, name: string): string {
  return tags.find((tag) => tag.name === name)?.value ?? '';
}
