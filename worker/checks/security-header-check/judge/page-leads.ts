import { brokenBy, notTested, type Verdict } from '#shared/model/verdict';
import type { Chain } from '../evidence.ts';
import { type PageFacts, whyPageUnread } from '../facts/page.ts';

/** Judges whether pages on the way send the visitor on by themselves. A page that does so was seen doing it; to say that the last page does not, all of it must have been read. */
export function judgeLeads(chains: readonly Chain[], page: PageFacts | undefined): Verdict {
  const leads = new Map(chains.flatMap(findLeads).map((lead) => [lead.from, lead]));
  if (leads.size > 0) return brokenBy([...leads.values()]);
  if (!page) return 'not-applicable';
  if (page.unseen) return notTested(`the page itself was not seen: ${page.unseen.why}`);
  const why = whyPageUnread(page);
  return why === null ? 'holds' : notTested(why);
}

function findLeads({ hops, end }: Chain) {
  return hops.flatMap(({ url, leftBy }, index) => {
    const to = hops[index + 1]?.url ?? ('url' in end ? end.url : '');
    return leftBy === undefined ? [] : [{ from: url, to, via: leftBy }];
  });
}
