import { plainOptions } from '#shared/catalogue/asked-options';
import { findSpec } from '#shared/catalogue/registry';
import type { Caller } from '#shared/limits/caller';
import { anonymousAccount, type Grant, type HistoryQuestion } from '#shared/model/grant';
import type { ReportServices } from '../reports/readable.ts';

/** What is asked of a history: as of an account's, of one check and target, without the account. */
export type SeenQuestion = Omit<HistoryQuestion, 'account' | 'check' | 'target'> & {
  readonly check: string;
  readonly target: string;
};

/**
 * The reports of one check and target that a caller may see in a history, newest first: its own, with the scope to read them, and in open mode
 * those that callers without a token were given.
 * @param domain whose history it is: what is public stands in the history of exactly its own name
 */
export async function listSeen(
  { reports, site }: Pick<ReportServices, 'reports' | 'site'>,
  caller: Caller,
  domain: string,
  question: SeenQuestion,
): Promise<Grant[]> {
  const { grants } = reports.reportStore;
  const isOwner = caller.kind === 'token' && caller.scopes.includes('reports:read');
  const isPublic = site.isOpen && isOfDomain(question, domain) && arePlain(question);
  const [own, open] = await Promise.all([
    isOwner ? grants.list({ ...question, account: caller.account }) : [],
    isPublic ? grants.list({ ...question, account: anonymousAccount, options: 'plain' }) : [],
  ]);
  const all = new Map([...open, ...own].map((grant) => [grant.reportId, grant]));
  return [...all.values()]
    .toSorted((a, b) => b.checkedAt - a.checkedAt || (b.reportId < a.reportId ? -1 : 1))
    .slice(0, question.limit);
}

// The URL of a page may be somebody's secret, and so may the name of a host below the domain.
function isOfDomain({ check, target }: SeenQuestion, domain: string): boolean {
  return target === domain && findSpec(check)?.targetKind === 'domain';
}

function arePlain({ options }: SeenQuestion): boolean {
  return options === undefined || options === 'plain' || options.text === plainOptions;
}
