import { categoryNameOf, categoryWords } from '../../catalogue/domain-health/category-words.ts';
import type { CategoryName } from '../../catalogue/domain-health/weights.ts';
import { outOfTime } from '../../model/failure.ts';
import { isOfVantage } from '../../model/vantage.ts';
import type { Evidence, Fix } from '../../model/verdict.ts';
import type { Category } from '../facts/categories.ts';
import { isDnsUnseen } from '../facts/dns-halves.ts';
import type { DnsFields } from '../facts/fields.ts';
import { enumerate, isBlocked } from '../facts/source.ts';

/**
 * Why something was not looked at. late: our own run was, or had no turn · browser: no browser here works · resolver: ours does not
 * validate · blocked: the server answers checks like ours otherwise than visitors · target: what was asked gave no answer · left-out: the
 * caller did not ask for it · ours: the network of this machine cannot do it.
 */
export type GapCause = 'late' | 'browser' | 'resolver' | 'blocked' | 'target' | 'ours' | 'left-out';

/** Something that applies and was not looked at, or not whole: a category, or an entry point by its address. */
export type Gap = {
  readonly what: string;
  readonly category: CategoryName | null;
  readonly reason: string;
  readonly cause: GapCause;
};

/** What helps against each cause: only what was late is ready after a while. */
const cures: { readonly [C in GapCause]: string } = {
  late: 'Ask again in a minute. Results that were late are usually ready by then.',
  browser:
    'This server has no working browser, so asking again does not help. The operator can install one or set BROWSER_PATH. Nothing is known to be wrong with the page.',
  resolver:
    'The resolver of this server does not validate DNSSEC, so asking again does not help. The operator can set DNS_SERVERS to one that does.',
  blocked:
    'The server blocks this check, so the page that visitors get was not seen. Allow the User-Agent of this check in your firewall or bot protection, then ask again.',
  ours: 'The network that this was checked from cannot do it, so nothing of it is the fault of the domain. The operator finds what is missing with `diag doctor`.',
  target: 'Open the report of the category to see what did not answer.',
  'left-out': 'Ask without `parts` to have the whole domain checked.',
};

/** Why a category that is not ok was not looked at whole. */
export function causeOfGap(
  { name, state, findings, isReported, reason }: Category,
  dns: DnsFields | null,
): GapCause {
  if (state === 'left-out') return 'left-out';
  if (name === 'performance' && isWithoutBrowser({ findings, isReported, reason })) return 'browser';
  if (isBlocked(findings)) return 'blocked';
  if (!isReported || findings.some(({ code }) => code === 'browser-failed')) return 'late';
  if (isOfVantage(reason)) return 'ours';
  if (reason.includes(outOfTime)) return 'late';
  return name === 'dns' && dns !== null && isOnlyUnvalidated(dns) ? 'resolver' : 'target';
}

/** A source without a report says why in our own words. */
function isWithoutBrowser({
  findings,
  isReported,
  reason,
}: Pick<Category, 'findings' | 'isReported' | 'reason'>): boolean {
  return (
    findings.some(({ code }) => code === 'browser-unavailable') || (!isReported && /\bbrowser\b/.test(reason))
  );
}

function isOnlyUnvalidated(dns: DnsFields): boolean {
  return dns.dnssec.resolverValidates === false && !isDnsUnseen(dns);
}

/** The gaps as evidence; the first speaks for all that have its reason, and names the others. */
export function showGaps(gaps: readonly Gap[]): readonly Evidence[] {
  const same = gaps.filter(({ reason }) => reason === gaps[0]?.reason);
  const others = gaps.filter((gap) => !same.includes(gap));
  const unseen = tellGaps(same);
  const more =
    others.length === 0
      ? ''
      : ` ${tellGaps(others)} could not be checked completely either; the evidence says why.`;
  return gaps.map(({ what, category, reason, cause }) => ({
    what,
    ...(category === null ? {} : { category }),
    reason,
    cause,
    unseen,
    more,
  }));
}

/** The words for one gap alone: "Mail", or an address. */
export function tellGap(what: string, isCategory: boolean): string {
  return isCategory ? categoryNameOf(what) : what;
}

/** What helps, once for each cause that there is. */
export function fixOfGaps(gaps: readonly Gap[]): Fix {
  const causes = [...new Set(gaps.map(({ cause }) => cause))];
  return { text: causes.map((cause) => cures[cause]).join(' ') };
}

function tellGaps(gaps: readonly Gap[]): string {
  const categories = gaps.flatMap(({ category }) => (category === null ? [] : [categoryWords[category]]));
  const addresses = gaps.filter(({ category }) => category === null).map(({ what }) => what);
  if (categories.length === 0) return enumerate(addresses);
  const ways = addresses.length === 0 ? [] : [`the way from ${addresses.join(' or ')}`];
  return enumerate([...categories, ...ways]);
}
