import type { HealthFields } from '../../../shared/catalogue/domain-health/report.ts';
import { type HealthCode, rules } from '../../../shared/catalogue/domain-health/rules.ts';
import type { Assessment } from '../../../shared/model/report.ts';
import { gradeOf } from '../../../shared/model/score.ts';
import {
  codesBroken,
  codesOf,
  isBroken,
  type Verdict,
  type Verdicts,
} from '../../../shared/model/verdict.ts';
import { judgeCategories } from './assess-categories.ts';
import { judgeEntryPoints } from './assess-entry-points.ts';
import { capsOf } from './caps.ts';
import { type Category, readCategories, showCategory } from './categories.ts';
import { type EntryPoint, readEntryPoints, showEntryPoint } from './entry-points.ts';
import type { HealthEvidence } from './evidence.ts';
import { hasFailedTls } from './failed-tls.ts';
import { findingIn, type PartSight, readPart } from './part-sight.ts';
import { type DnsFields, readDnsFields } from './read-fields.ts';
import { combine, limitGrade } from './score.ts';
import { findTrend } from './trend.ts';
import { readWeb, type WebSight } from './web-sight.ts';
import { listWorstFindings } from './worst-findings.ts';

/** An assessment whose grade is not only the letter of its score: `caps` say what lies between. */
export type HealthAssessment = Assessment<HealthCode, HealthFields> &
  Required<Pick<Assessment, 'score' | 'grade'>>;

/**
 * Judges a domain by the reports of its parts. Pure: the same reports always give the same report, and mending anything in one of them never
 * lowers its score or its grade. The score is the weighted mean, never capped, so that it stays comparable; the grade is its letter under
 * the limits of the broken rules.
 */
export function assessHealth(evidence: HealthEvidence): HealthAssessment {
  const sight = readHealth(evidence);
  const { categories, entries } = sight;
  const verdicts = judgeAll(sight);
  const { score, coverage, usedWeight } = combine(categories);
  const broken = codesBroken(verdicts);
  const gradeBeforeCaps = gradeOf(score, isWarned(categories, broken));
  const caps = capsOf(verdicts);
  const trend = findTrend(evidence.previous, { score, coverage, categories, codes: broken });
  return {
    state: stateOf(sight, verdicts),
    verdicts,
    score,
    grade: limitGrade(
      gradeBeforeCaps,
      caps.map(({ limit }) => limit),
    ),
    fields: {
      categories: Object.fromEntries(
        categories.map((category) => [category.name, showCategory(category, evidence.publicPath)]),
      ) as HealthFields['categories'],
      coverage,
      gradeBeforeCaps,
      caps: [...caps],
      entryPoints: entries.map((entry) =>
        showEntryPoint(entry, evidence.publicPath ?? '', failedHostOf(sight)),
      ),
      worstFindings: [...listWorstFindings(categories, usedWeight)],
      ...(trend ? { trend } : {}),
    } satisfies HealthFields,
  };
}

type HealthSight = {
  readonly domain: string;
  readonly webHost: string;
  readonly exists: boolean;
  readonly dns: PartSight;
  readonly dnsFields: DnsFields | null;
  readonly ssl: PartSight;
  readonly parts: readonly PartSight[];
  readonly entries: readonly EntryPoint[];
  readonly web: WebSight;
  readonly categories: readonly Category[];
};

function readHealth(evidence: HealthEvidence): HealthSight {
  const { domain, webHost = domain } = evidence;
  const dns = readPart(evidence.dns);
  const ssl = readPart(evidence.ssl);
  const headers = readPart(evidence.headers);
  const performance = readPart(evidence.performance);
  const dnsFields = dns.report && readDnsFields(dns.report);
  const entries = readEntryPoints(evidence);
  const web = readWeb(domain, entries, { dns: dnsFields, ssl });
  const exists = findingIn(dns, 'domain-not-found') === undefined && dnsFields?.exists !== false;
  const sights = { domain, webHost, exists, dns, dnsFields, ssl, headers, performance, entries, web };
  const parts = [dns, ssl, headers, performance, ...entries.map((entry) => entry.sight)];
  return { ...sights, parts, categories: readCategories({ ...sights, asked: evidence }) };
}

function judgeAll(sight: HealthSight): Verdicts<HealthCode> {
  const { domain, webHost, entries, web, exists, dns } = sight;
  const failedHost = failedHostOf(sight);
  const hasWildcard = findingIn(dns, 'wildcard-present') !== undefined;
  const judged: Record<HealthCode, Verdict> = {
    ...judgeCategories(sight),
    ...judgeEntryPoints({ domain, webHost, entries, web, failedHost, hasWildcard }),
  };
  // In the order of the table; of a domain that is not there, nothing else is said.
  return Object.fromEntries(
    codesOf(rules).map((code) => [
      code,
      exists || code === 'domain-not-found' ? judged[code] : 'not-applicable',
    ]),
  ) as Verdicts<HealthCode>;
}

/** The host whose TLS ssl-failed tells of. */
function failedHostOf({ categories, ...sight }: HealthSight): string | null {
  const failed = categories.find((category) => category.name === 'ssl' && hasFailedTls(category, sight));
  return failed?.source.target ?? null;
}

// A+ is for a domain in which no part has anything to mend.
function isWarned(categories: readonly Category[], broken: readonly HealthCode[]): boolean {
  const isFlawed = categories.some(
    ({ score, findings }) => score !== null && findings.some(({ severity }) => severity !== 'info'),
  );
  return isFlawed || broken.some((code) => rules[code].severity !== 'info');
}

/**
 * unreachable: the domain does not exist, leads to an address that is not public, no name server answers, or every part that came says so. partial: something that applies was not
 * looked at, or not whole; it is asked again sooner. complete: all else, with whatever findings.
 */
function stateOf(
  { exists, dns, web, parts, categories }: HealthSight,
  verdicts: Verdicts<HealthCode>,
): Assessment['state'] {
  const seen = parts.flatMap(({ report }) => report ?? []);
  const isGone = seen.length > 0 && seen.every(({ state }) => state === 'unreachable');
  const isDead = findingIn(dns, 'ns-none-answers') !== undefined;
  const isUnscored = categories.every(({ score, name }) => score === null || name === 'dns');
  const isHidden = web.kind !== 'present' && isBroken(verdicts['target-address-not-allowed']);
  if (!exists || isGone || isHidden || (isDead && isUnscored)) return 'unreachable';
  return isBroken(verdicts['coverage-incomplete']) ? 'partial' : 'complete';
}
