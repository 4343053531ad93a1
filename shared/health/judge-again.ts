import { findingNow } from '../catalogue/change.ts';
import { registrationSchema } from '../catalogue/domain-health/registration.ts';
import { rules } from '../catalogue/domain-health/rules.ts';
import { domainHealth } from '../catalogue/domain-health/spec.ts';
import type { Fate } from '../model/diff.ts';
import { makeReport, type Report } from '../model/report.ts';
import { assessHealth } from './assess.ts';
import { evidenceOf, type HealthQuestion } from './evidence-of.ts';
import type { HealthEvidence, Source } from './evidence.ts';
import { readPrevious } from './facts/previous.ts';

/** A domain-health of which one check was made again. */
export type Again = {
  readonly health: Report;
  readonly question: HealthQuestion;
  /** Its parts as they are stored, the newer one last. */
  readonly parts: readonly Report[];
  /** Those that were made again: what found the same. */
  readonly newer: readonly Report[];
  /** The finding for which it was made again. */
  readonly code: string;
  /** Of the report that is made. */
  readonly reportId: string;
  /** Prefix of links. */
  readonly publicPath: string;
};

const lost = 'its report is not stored any more';

/**
 * Judges a domain again, with one of its parts newer. Asks nothing. The report is as old as the one that it follows, but for a millisecond, so that
 * it answers nobody who wants a newer one, and still comes after it.
 */
export function judgeAgain({ health, question, parts, newer, code, reportId, publicPath }: Again): Report {
  const registration = registrationSchema.safeParse(health['registration']).data;
  const evidence = {
    ...withReasons(evidenceOf(question, parts, lost), health),
    publicPath,
    ...(registration ? { registration } : {}),
    previous: readPrevious(health),
  };
  const checkedAtMs = Date.parse(health.checkedAt) + 1;
  const assessed = assessHealth(evidence, { checkedAtMs });
  const secondsTo = (iso: string) => Math.max(0, (Date.parse(iso) - checkedAtMs) / 1000);
  const facts = {
    check: domainHealth.name,
    target: health.target,
    rules,
    rulesVersion: domainHealth.rulesVersion,
    reportId,
    checkedAtMs,
    durationMs: health.durationMs,
    freshForS: secondsTo(health.freshUntil),
    keepForS: secondsTo(health.expiresAt),
    ...(health.vantage ? { vantage: health.vantage } : {}),
  };
  const recheck = recheckOf(newer, code);
  return makeReport(facts, { ...assessed, fields: { ...assessed.fields, ...recheck } });
}

type Told = { readonly reason?: unknown };
type ToldCategories = { readonly [name: string]: (Told & { readonly mailHosts?: Told }) | undefined };

/** What had no report has none now, for the reason that was told then. */
function withReasons(evidence: HealthEvidence, health: Report): HealthEvidence {
  const told = (health['categories'] ?? {}) as ToldCategories;
  const entries = (health['entryPoints'] ?? []) as readonly (Told & { readonly url?: unknown })[];
  const again = (source: Source, before: Told | undefined): Source =>
    'unavailable' in source && typeof before?.reason === 'string' ? { unavailable: before.reason } : source;
  const { smtp, ...others } = evidence;
  const hosts = told['mail']?.mailHosts;
  return {
    ...others,
    dns: again(evidence.dns, told['dns']),
    ssl: again(evidence.ssl, told['ssl']),
    headers: again(evidence.headers, told['headers']),
    performance: again(evidence.performance, told['performance']),
    // Of a report that tells nothing of mail hosts, there is nothing to tell.
    ...(smtp && (hosts || 'report' in smtp) ? { smtp: again(smtp, hosts) } : {}),
    redirects: evidence.redirects.map(({ url, part }) => ({
      url,
      part: again(
        part,
        entries.find((entry) => entry.url === url),
      ),
    })),
  };
}

/** What became of a finding in all reports that had it: fixed only where none has it any more. */
function recheckOf(newer: readonly Report[], code: string) {
  const [told] = newer
    .map((report) => ({ report, now: findingNow(report, code) }))
    .toSorted((a, b) => worstFirst.indexOf(a.now.state) - worstFirst.indexOf(b.now.state));
  if (!told) return {};
  const { check, target, checkedAt } = told.report;
  return {
    recheck: { check, target: String(target['domain'] ?? target['url']), code, ...told.now },
    recheckedAt: { check, at: checkedAt },
  };
}

const worstFirst: readonly Fate[] = ['found', 'not-tested', 'not-judged', 'fixed', 'not-applicable'];
