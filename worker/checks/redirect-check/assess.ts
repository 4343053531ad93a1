import type { redirectReportShape } from '#shared/catalogue/redirect-check/report';
import { type RedirectCode, rules } from '#shared/catalogue/redirect-check/rules';
import type { FieldsOf } from '#shared/catalogue/spec';
import { kindOfFailure } from '#shared/model/failure';
import type { Assessment } from '#shared/model/report';
import { score } from '#shared/model/score';
import {
  type BlindSpot,
  type Evidence,
  isBroken,
  type Verdicts,
  withBlindSpots,
} from '#shared/model/verdict';
import { type KnownServers, readKnownServers } from '../../fixes/known-server.ts';
import { webServers } from '../../fixes/servers.ts';
import { textOf, upgrade, type WantOfRule } from '../../fixes/want.ts';
import { withFixes } from '../../fixes/with-fixes.ts';
import { indexFields } from '../../web/fields.ts';
import { judgeFamilies } from '../../web/judge-families.ts';
import type { RedirectEvidence } from './evidence.ts';
import { isUnfinished, readEndUnseen, redirectsOf } from './facts/chain.ts';
import { judgeArrival } from './judge/arrival.ts';
import { judgeClient } from './judge/client.ts';
import { lengthRuleOf, pointsOfLength } from './judge/length.ts';
import { isAppScheme, judgeLocations } from './judge/locations.ts';
import { judgePath } from './judge/path.ts';
import { reportChain, reportEnd } from './report.ts';

/** Judges a walked redirect chain. Pure: the same evidence always gives the same verdicts. */
export function assessRedirects(
  evidence: RedirectEvidence,
): Assessment<RedirectCode, FieldsOf<typeof redirectReportShape>> {
  const verdicts: Verdicts<RedirectCode> = {
    ...judgePath(evidence),
    ...judgeLocations(evidence),
    ...judgeArrival(evidence),
    ...judgeFamilies(evidence.families),
    'client-dependent': judgeClient(evidence),
  };
  const known = withBlindSpots(verdicts, blindSpotsOf(evidence));
  const unseen = readEndUnseen(evidence);
  const block = unseen?.kind === 'blocked' ? unseen.block : null;
  const state = unseen ? 'partial' : stateOf(evidence);
  return {
    state,
    verdicts: withFixes(known, { rules, wants, servers: webServers, known: knownServers(evidence) }),
    fields: { ...reportChain(evidence), answeredBy: block, ended: reportEnd(evidence) },
    // What a visitor meets behind an end that is not the page, or that we did not come to, may be anything.
    ...scoreRedirects(verdicts, evidence, state === 'complete'),
  };
}

/** What was not seen of the way, and what would speak of it. */
function blindSpotsOf({ hops, stop, families }: RedirectEvidence): readonly BlindSpot<RedirectCode>[] {
  const last = hops.at(-1)?.seen;
  const family = families?.sights.find(
    (sight) => sight.kind === 'failed' && kindOfFailure(sight.code) === 'uncertain',
  );
  return [
    { why: stop.kind === 'arrived' ? whyUnread(last) : undefined, codes: ['redirect-javascript-suspected'] },
    { why: whyLost(last), codes: ['target-address-not-allowed', 'target-not-allowed'] },
    { why: family?.kind === 'failed' ? family.reason : undefined, codes: ['ipv6-slow'] },
  ];
}

type HopSeen = RedirectEvidence['hops'][number]['seen'] | undefined;

function whyUnread(seen: HopSeen): string | undefined {
  const isUnread = seen?.kind === 'response' && seen.page === null && seen.bodyCut !== null;
  return isUnread ? 'the page was not read' : undefined;
}

function whyLost(seen: HopSeen): string | undefined {
  return seen?.kind === 'failure' && kindOfFailure(seen.code) === 'uncertain' ? seen.reason : undefined;
}

/** Of the first host, which redirects or should. */
function knownServers({ hops: [first] }: RedirectEvidence): KnownServers {
  return readKnownServers(indexFields(first?.seen.kind === 'response' ? (first.seen.headers ?? []) : []));
}

/** A redirect to https at the same host; of others only their owner knows the rule. */
function upgradeAtHome(evidence: Evidence) {
  const [from, to] = [evidence['from'], evidence['to']].map((url) => URL.parse(textOf(url)));
  const isAtHome = from?.hostname === to?.hostname && from?.protocol === 'http:' && to?.protocol === 'https:';
  return isAtHome ? upgrade('from')(evidence) : undefined;
}

const wants: { readonly [C in RedirectCode]?: WantOfRule } = {
  'http-not-upgraded': upgrade('url'),
  'https-upgrade-late': upgrade('from'),
  'redirect-temporary': upgradeAtHome,
  'redirect-path-not-kept': upgradeAtHome,
};

function stateOf({ stop }: RedirectEvidence): Assessment['state'] {
  if (stop.kind === 'failure') return 'unreachable';
  // What an app does with the address is not seen.
  const isHandedOn = stop.kind === 'foreign-scheme' && isAppScheme(stop.scheme);
  return isUnfinished(stop) || isHandedOn ? 'partial' : 'complete';
}

/**
 * The points that are left, and what the length of the chain takes of them: more with each redirect.
 * @param isWhole false where the page was not seen; then there is no score
 */
function scoreRedirects(
  verdicts: Verdicts<RedirectCode>,
  { hops }: RedirectEvidence,
  isWhole: boolean,
): Pick<Assessment<RedirectCode>, 'score' | 'scoreEffects'> {
  const redirects = redirectsOf(hops).length;
  const rule = lengthRuleOf(redirects);
  if (!isWhole) return { score: null };
  const added = score(rules, verdicts);
  if (rule === undefined || !isBroken(verdicts[rule])) return { score: added };
  const points = pointsOfLength(redirects);
  return { score: Math.min(100, added + rules[rule].points - points), scoreEffects: { [rule]: -points } };
}
