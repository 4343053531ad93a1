import { getDomain } from 'tldts';
import { hstsRules } from '#shared/catalogue/security-header-check/rules/transport';
import {
  allOf,
  brokenBy,
  type Evidence,
  isMalformed,
  type Malformed,
  notTested,
  type Verdict,
  type Verdicts,
} from '#shared/model/verdict';
import { valuesOf } from '../../../web/fields.ts';
import type { Hsts } from '../../../web/hsts.ts';
import type { PreloadState } from '../../../web/preload-list.ts';
import type { HeaderEvidence } from '../evidence.ts';
import { type EffectiveHsts, readEffectiveHsts } from '../facts/hsts.ts';
import type { PageFacts, HopFacts } from '../facts/page.ts';
import { whyUnanswered } from './unwalked.ts';
import { brokenWhen, fieldAt, where } from './verdict-tables.ts';

type HstsCode = keyof typeof hstsRules;
type MainCode = Exclude<HstsCode, 'hsts-over-http' | 'hsts-not-on-first-hop' | 'hsts-preloaded'>;

const header = 'strict-transport-security';
/** Half a year of 30-day months; the Observatory's bound too. */
const shortS = 15_552_000;
/** What the preload list asks for: a year. */
const preloadS = 31_536_000;

/** Judges Strict-Transport-Security of the page, and of the hops before it. */
export function judgeHsts(
  evidence: HeaderEvidence,
  hops: readonly HopFacts[],
  page: PageFacts,
): Verdicts<HstsCode> {
  const hsts = readEffectiveHsts(page);
  const preload = preloadOf(evidence, page.url.hostname);
  const isVoid =
    page.url.protocol !== 'https:' ||
    page.hop.tls?.trusted !== true ||
    hsts.why?.includes('address') === true;
  return {
    ...(isVoid ? allMain('not-applicable') : judgeMain(evidence, page, { hsts, preload })),
    'hsts-over-http': judgeOverHttp(evidence, hops),
    'hsts-not-on-first-hop':
      isVoid || !hsts.applied ? 'not-applicable' : brokenBy(findUnprotectedRedirects(evidence, hops, page)),
    'hsts-preloaded': preload === 'listed' ? brokenBy([{ host: page.url.hostname }]) : 'not-applicable',
  };
}

/** What is known of a host's place on the preload list. */
export function preloadOf({ preload }: HeaderEvidence, host: string): PreloadState {
  return preload.find(([name]) => name === host)?.[1] ?? 'unknown';
}

/** The conditions of the preload list that are not met; empty when all that can be seen are. undefined where preloading is not asked for. */
export function whyNotPreloadable(evidence: HeaderEvidence, page: PageFacts): readonly string[] | undefined {
  const hsts = validOf(readEffectiveHsts(page).parsed);
  const host = page.url.hostname;
  // The list takes registrable domains; of www and other names it looks at the domain above.
  if (!hsts?.preload || getDomain(host, { allowPrivateDomains: true }) !== host) return undefined;
  return [
    ...(hsts.maxAgeS < preloadS ? [`max-age is below ${preloadS}`] : []),
    ...(hsts.includeSubDomains ? [] : ['includeSubDomains is missing']),
    ...(redirectsAtHome(evidence, host) ? [] : ['http does not redirect to https on the same host first']),
    ...(page.hop.tls?.trusted === true ? [] : ['the certificate is not trusted']),
  ];
}

// Where http is closed, or another host was asked, nothing speaks against it.
function redirectsAtHome({ http }: HeaderEvidence, host: string): boolean {
  const [first, second] = http.hops.map(({ url }) => new URL(url));
  if (first?.hostname !== host) return true;
  return second?.protocol === 'https:' && second.hostname === host;
}

function judgeMain(
  evidence: HeaderEvidence,
  page: PageFacts,
  { hsts, preload }: { readonly hsts: EffectiveHsts; readonly preload: PreloadState },
): Verdicts<MainCode> {
  const { line } = hsts;
  // Of a host on the preload list the header is missing too, but not missed; hsts-preloaded says so.
  if (line === undefined)
    return {
      ...allMain('not-applicable'),
      'hsts-missing': where(preload !== 'listed', brokenBy([{ hop: page.index, url: page.hop.url }])),
    };
  const seen = fieldAt(page, header, line);
  const valid = validOf(hsts.parsed);
  const malformed = hsts.parsed && isMalformed(hsts.parsed) ? hsts.parsed : undefined;
  return {
    'hsts-missing': 'holds',
    'hsts-invalid': brokenWhen(
      malformed && { ...seen, reason: malformed.malformed, offset: malformed.at ?? 0 },
    ),
    ...judgeRepetition(hsts, seen),
    ...judgeValid(valid, seen, page, preload),
    'hsts-preload-ineligible': judgePreload(evidence, page, seen),
  };
}

function judgeRepetition({ count, conflicting }: EffectiveHsts, seen: Evidence) {
  return {
    'hsts-duplicate': brokenWhen(count > 1 && !conflicting && { ...seen, count }),
    'hsts-duplicate-conflict': brokenWhen(conflicting && { ...seen, count }),
  };
}

function judgeValid(hsts: Hsts | undefined, seen: Evidence, page: PageFacts, preload: PreloadState) {
  if (!hsts)
    return {
      'hsts-off': 'not-applicable',
      'hsts-short': 'not-applicable',
      'hsts-no-subdomains': 'not-applicable',
    } as const;
  const { maxAgeS, includeSubDomains } = hsts;
  const isShort = maxAgeS < shortS;
  return {
    'hsts-off': brokenWhen(maxAgeS === 0 && seen),
    'hsts-short': where(
      maxAgeS > 0 && !(isShort && preload === 'listed'),
      brokenWhen(isShort && { ...seen, seconds: maxAgeS }),
    ),
    'hsts-no-subdomains': where(
      maxAgeS > 0,
      brokenWhen(!includeSubDomains && { ...seen, host: page.url.hostname }),
    ),
  };
}

function judgePreload(evidence: HeaderEvidence, page: PageFacts, seen: Evidence): Verdict {
  const faults = whyNotPreloadable(evidence, page);
  if (!faults) return 'not-applicable';
  if (faults.length > 0) return brokenBy([{ ...seen, reason: faults.join('; ') }]);
  const unseen = whyUnanswered(evidence.http);
  return unseen === null ? 'holds' : notTested(unseen);
}

function judgeOverHttp({ http }: HeaderEvidence, hops: readonly HopFacts[]): Verdict {
  const found = hops.flatMap(findOverHttp);
  const unseen = whyUnanswered(http);
  if (found.length === 0 && unseen !== null) return notTested(unseen);
  return where(
    hops.some(({ url }) => url.protocol === 'http:'),
    brokenBy(found),
  );
}

function findOverHttp(seen: HopFacts): Evidence[] {
  const [line] = valuesOf(seen.fields, header);
  return seen.url.protocol === 'http:' && line !== undefined ? [fieldAt(seen, header, line)] : [];
}

// Hosts that redirect over https without ever saying HSTS, though the last host does.
function findUnprotectedRedirects(
  evidence: HeaderEvidence,
  hops: readonly HopFacts[],
  page: PageFacts,
): Evidence[] {
  const covered = hops.filter((seen) => readEffectiveHsts(seen).applied);
  const isCovered = (host: string) =>
    preloadOf(evidence, host) === 'listed' ||
    covered.some((seen) => {
      const parsed = validOf(readEffectiveHsts(seen).parsed);
      return (
        seen.url.hostname === host ||
        (parsed?.includeSubDomains === true && host.endsWith(`.${seen.url.hostname}`))
      );
    });
  return hops
    .filter(
      ({ url }) =>
        url.protocol === 'https:' && url.hostname !== page.url.hostname && !isCovered(url.hostname),
    )
    .map(({ index, hop }) => ({ hop: index, url: hop.url }));
}

function validOf(parsed: Hsts | Malformed | undefined): Hsts | undefined {
  return parsed && !isMalformed(parsed) ? parsed : undefined;
}

function allMain(verdict: Verdict): Verdicts<MainCode> {
  return allOf(hstsRules, verdict);
}
