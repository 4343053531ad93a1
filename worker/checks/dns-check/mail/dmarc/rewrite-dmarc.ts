import type { Fix } from '../../../../../shared/model/verdict.ts';
import { publish } from '../../verdicts.ts';
import { type Dmarc, printDmarc } from './parse-dmarc.ts';
import type { Applied, DmarcFacts } from './see-dmarc.ts';

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

/**
 * A fix with the changed record. The record of a public suffix above is not the owner's to change (RFC 9989 §4.10.1): then it is one of the
 * domain's own organization.
 */
export function mendRecord(
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
    'The policy is that of the public suffix above; publish one of your own.',
    `_dmarc.${own}`,
    printDmarc([
      { name: 'v', value: 'DMARC1' },
      { name: 'p', value: p },
      { name: 'rua', value: reportAddressOf(own) },
    ]),
  );
}
