import type { MailMode } from '#shared/catalogue/dns-check/mail/report';
import type { Fix } from '#shared/model/verdict';
import { publish } from '../../verdicts.ts';
import type { ChosenPolicy } from './choose-policy.ts';
import type { Applied, DmarcFacts } from './facts.ts';
import { type Dmarc, type Policy, policies, printDmarc } from './parse-dmarc.ts';

/** Tags to set, or, where null, to leave out. */
export type Changes = { readonly [tag: string]: string | null };

/** The record with some tags changed; p stays behind v, where old receivers look for it. */
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

/** Where the reports about a domain may go, as an example. */
export function reportAddressOf(domain: string): string {
  return `mailto:dmarc-reports@${domain}`;
}

type Context = { readonly mode: MailMode } & Pick<DmarcFacts, 'domain' | 'orgDomain'>;

/**
 * All that is to be changed in a record now. Every finding gives this one record, so that no fix undoes another. A policy is raised only
 * where reports already show what it would stop.
 */
export function nextChanges(applied: Applied, chosen: ChosenPolicy | null, context: Context): Changes {
  const { domain, dmarc } = applied;
  const lacksReports = context.mode !== 'parked' && dmarc.rua.length === 0;
  return {
    ...tagsToCorrect(dmarc),
    ...(domain === context.orgDomain && chosen ? tagsOfSubdomains(chosen) : {}),
    ...(lacksReports ? { rua: reportAddressOf(domain) } : {}),
    ...tagsToDrop(applied, chosen, context),
    ...(chosen && isWhole(dmarc) && !lacksReports ? tagsToRaise(chosen, context.mode) : {}),
  };
}

function isWhole({ p, sp, np }: Dmarc): boolean {
  return p !== undefined && [p, sp, np].every((policy) => policy !== null);
}

function tagsToDrop({ domain, dmarc }: Applied, chosen: ChosenPolicy | null, context: Context): Changes {
  return {
    ...(dmarc.isTesting && chosen?.chosen !== 'none' ? { t: null } : {}),
    ...(domain === context.domain && dmarc.psd === 'y' ? { psd: null } : {}),
  };
}

// A policy that cannot be read does not count, and takes the others with it.
function tagsToCorrect(dmarc: Dmarc): Changes {
  return {
    ...(isWhole(dmarc) ? {} : { p: dmarc.p ?? 'none' }),
    ...(dmarc.sp === null ? { sp: null } : {}),
    ...(dmarc.np === null ? { np: null } : {}),
  };
}

function tagsOfSubdomains({ policy, subdomainPolicy, nonExistentPolicy }: ChosenPolicy): Changes {
  const isWeaker = (other: Policy): boolean => policies.indexOf(other) < policies.indexOf(policy);
  return {
    ...(isWeaker(subdomainPolicy) ? { sp: null } : {}),
    ...(isWeaker(nonExistentPolicy) ? { np: 'reject' } : {}),
  };
}

function tagsToRaise({ chosen, tag }: ChosenPolicy, mode: MailMode): Changes {
  if (mode === 'parked') return chosen === 'none' || chosen === 'quarantine' ? { [tag]: 'reject' } : {};
  return chosen === 'none' ? { [tag]: 'quarantine' } : {};
}

/**
 * A fix with the changed record. The record of a public suffix above is not the owner's to change (RFC 9989 §4.10.1): then it is one of the
 * domain's own organization.
 */
export function fixRecord(
  { orgDomain, domain }: Pick<DmarcFacts, 'orgDomain' | 'domain'>,
  { domain: location, dmarc }: Applied,
  text: string,
  changes: Changes,
): Fix {
  if (dmarc.psd !== 'y' || location === domain)
    return publish(text, `_dmarc.${location}`, rewriteDmarc(dmarc, changes));
  const own = orgDomain ?? domain;
  const p = changes['p'] ?? changes['sp'] ?? changes['np'] ?? dmarc.p ?? 'none';
  return publish(
    'The policy comes from the public suffix above. Publish your own.',
    `_dmarc.${own}`,
    printDmarc([
      { name: 'v', value: 'DMARC1' },
      { name: 'p', value: p },
      { name: 'rua', value: reportAddressOf(own) },
    ]),
  );
}
