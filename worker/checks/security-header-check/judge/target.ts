import type { FamilyCode } from '#shared/catalogue/redirect-check/families';
import type { targetRules } from '#shared/catalogue/security-header-check/rules/leakage';
import { brokenBy, type Evidence, notTested, type Verdict, type Verdicts } from '#shared/model/verdict';
import { siteOf } from '#shared/targets/parse-target';
import type { Block } from '../../../web/block-page.ts';
import type { Chain, HeaderEvidence } from '../evidence.ts';
import { type HopFacts, type PageFacts, whyHeadUnread, whyPageUnread } from '../facts/page.ts';
import { brokenWhen, where } from './verdict-tables.ts';
import { judgeVisitor } from './visitor.ts';

/** Says what could not be asked, and whether an error page was judged. */
export function judgeTarget(
  { url, https, http }: HeaderEvidence,
  page: PageFacts | undefined,
  hops: readonly HopFacts[],
): Verdicts<Exclude<keyof typeof targetRules, FamilyCode>> {
  const failures = [https, http].flatMap(findFailure);
  const unique = [...new Map(failures.map((failure) => [failure.url, failure])).values()];
  const coded = (code: string) => unique.filter((failure) => failure.code === code);
  const refusals = new Set(['target-address-not-allowed', 'target-not-allowed']);
  // One closed port of two is no failure, nor is it where the other leads astray; without any answer both are.
  const isSilent = https.hops.length + http.hops.length === 0;
  const unreachable = page
    ? []
    : unique.filter(
        ({ code, isLater }) => !refusals.has(code) && code !== 'not-from-here' && (isSilent || isLater),
      );
  const own = url.startsWith('https:') ? https : http;
  const notFromHere = page ? undefined : unique.find(({ code }) => code === 'not-from-here');
  const isRefused = unique.some(({ code }) => refusals.has(code));
  const unresolved = unique.find(({ code }) => code === 'name-unresolved');
  return {
    // What answers by the other scheme alone is reported by https-missing; what is refused to us, by the next two.
    'target-unreachable': notFromHere
      ? unlessFound(notFromHere, [])
      : judgeAbout(own.hops.length > 0 && (page !== undefined || !isRefused), unreachable),
    // An address that was connected to was found to be public before.
    'target-address-not-allowed':
      !isSilent && unresolved
        ? unlessFound(unresolved, coded('target-address-not-allowed'))
        : judgeAbout(!isSilent, coded('target-address-not-allowed')),
    'target-not-allowed': judgeAbout(!isSilent, coded('target-not-allowed')),
    ...judgePage(url, page),
    // What a block page or an error varies by says nothing of the page.
    'target-differs-by-visitor': page && !page.unseen ? judgeVisitor(hops, page) : 'not-applicable',
    'redirect-client-side': judgeLeads([https, http], page),
  };
}

type PageCode =
  | 'target-blocks-checks'
  | 'target-is-default-page'
  | 'target-other-site'
  | 'target-error-status'
  | 'target-no-document';

function judgePage(url: string, page: PageFacts | undefined): Verdicts<PageCode> {
  if (!page)
    return {
      'target-blocks-checks': 'not-applicable',
      'target-is-default-page': 'not-applicable',
      'target-other-site': 'not-applicable',
      'target-error-status': 'not-applicable',
      'target-no-document': 'not-applicable',
    };
  const { index, hop, block, unseen } = page;
  const seen = { hop: index, url: hop.url, status: hop.status };
  return {
    'target-blocks-checks': brokenWhen(block && showBlock(page, block)),
    'target-is-default-page': judgeDefault(page),
    'target-other-site': judgeSite(url, page),
    'target-error-status': where(!block, brokenWhen(unseen?.kind === 'error-status' && seen)),
    'target-no-document': where(
      !block && unseen?.kind !== 'error-status',
      brokenWhen(unseen?.kind === 'no-document' && { ...seen, type: unseen.type }),
    ),
  };
}

function judgeDefault(page: PageFacts): Verdict {
  const { index, hop, unseen } = page;
  if (unseen?.kind === 'blocked' || unseen?.kind === 'error-status') return 'not-applicable';
  if (unseen?.kind === 'default-page')
    return brokenBy([{ hop: index, url: hop.url, status: hop.status, ...unseen.page }]);
  const unread = whyHeadUnread(page);
  return unread === null ? 'holds' : notTested(unread);
}

/** Broken by what was found; holds only where there was an answer to say it of. */
function judgeAbout(isAnswered: boolean, found: readonly Failure[]): Verdict {
  return where(isAnswered || found.length > 0, brokenBy(found.map(show)));
}

function unlessFound({ url, reason }: Failure, found: readonly Failure[]): Verdict {
  return found.length > 0 ? brokenBy(found.map(show)) : notTested(`${url} could not be asked: ${reason}`);
}

function judgeSite(url: string, { index, hop }: PageFacts): Verdict {
  const [asked, judged] = [url, hop.url].map((each) => siteOf(new URL(each).hostname));
  return brokenWhen(asked !== judged && { hop: index, from: url, url: hop.url, site: judged ?? '' });
}

function showBlock({ index, hop }: PageFacts, { sign, vendor, kind, certainty, reason }: Block): Evidence {
  return { hop: index, url: hop.url, status: hop.status, reason, vendor, kind, certainty, sign };
}

type Failure = {
  readonly url: string;
  readonly code: string;
  readonly reason: string;
  readonly isLater: boolean;
};

function findFailure({ hops, end }: Chain): Failure[] {
  if (end.kind !== 'failed') return [];
  return [{ url: end.url, code: end.code, reason: end.reason, isLater: hops.length > 0 }];
}

function show({ url, code, reason }: Failure): Evidence {
  return { url, code, reason };
}

/** Judges whether pages on the way send the visitor on by themselves. A page that does so was seen doing it; to say that the last page does not, all of it must have been read. */
function judgeLeads(chains: readonly Chain[], page: PageFacts | undefined): Verdict {
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
