import type { Grant, HistoryQuestion } from '#shared/model/grant';
import type { ReportStore } from '#shared/ports/report-store';
import { type DeniedNames, hostOfTarget } from '#shared/targets/denied-names';

/** Rows that are read at once behind those that were asked for, where many of them are kept back. */
const moreAtOnce = 500;

/** The store as callers may see it: reports of names that are not checked any more are not there, from when the list says so. */
export function withoutDenied(store: ReportStore, denied: DeniedNames | undefined): ReportStore {
  if (!denied) return store;
  const mayShow = ({ target }: { readonly target: string }) =>
    denied.isEmpty() || !denied.covers(hostOfTarget(target));
  return {
    ...store,
    async findFresh(...asked) {
      const found = await store.findFresh(...asked);
      if (denied.isEmpty()) return found;
      return new Map([...found].filter(([, stored]) => mayShow(stored)));
    },
    async get(...asked) {
      const stored = await store.get(...asked);
      return stored && mayShow(stored) ? stored : undefined;
    },
    grants: { ...store.grants, list: (question) => listShown(store, question, mayShow) },
  };
}

// As many as were asked for, where there are as many: who pages through a history takes a short page for its end.
async function listShown(
  { grants }: ReportStore,
  question: HistoryQuestion,
  mayShow: (grant: Grant) => boolean,
): Promise<Grant[]> {
  const shown: Grant[] = [];
  let asked = question;
  for (;;) {
    const page = await grants.list(asked);
    shown.push(...page.filter(mayShow));
    const last = page.at(-1);
    if (shown.length >= question.limit || page.length < asked.limit || !last)
      return shown.slice(0, question.limit);
    const { checkedAt, reportId } = last;
    asked = { ...question, limit: Math.max(question.limit, moreAtOnce), before: { checkedAt, reportId } };
  }
}
