import { categoryWords } from '../../catalogue/domain-health/category-words.ts';
import type { HealthCode } from '../../catalogue/domain-health/rules.ts';
import type { Grade } from '../../model/score.ts';
import { isOfVantage } from '../../model/vantage.ts';
import { brokenBy, isBroken, notTested, type Verdict, type Verdicts } from '../../model/verdict.ts';
import type { Category } from '../facts/categories.ts';
import type { EntryPoint } from '../facts/entry-points.ts';
import type { DnsFields } from '../facts/fields.ts';
import { graveFindings, hasFailedTls, type TlsFacts } from '../facts/health.ts';
import { fixOf, isBlocked, type SourceFacts, showFinding, verdictIn, verdictOver } from '../facts/source.ts';
import type { WebFacts } from '../facts/web.ts';
import { causeOfGap, fixOfGaps, type Gap, type GapCause, showGaps } from './gaps.ts';
import { judgeLoneServer } from './lone-server.ts';
import { showCriticals, showStanding } from './several.ts';

/** What the rules of the categories are judged by. */
export type CategoryFacts = {
  readonly domain: string;
  readonly exists: boolean;
  readonly categories: readonly Category[];
  readonly dns: SourceFacts;
  readonly dnsFields: DnsFields | null;
  readonly ssl: SourceFacts;
  readonly entries: readonly EntryPoint[];
  readonly web: WebFacts;
};

/** Judges what the sources found that is too grave, or too uncertain, for a mean to show. */
export function judgeCategories(facts: CategoryFacts) {
  const { dns, dnsFields } = facts;
  return {
    'domain-not-found': judgeExistence(facts),
    'ssl-failed': judgeSsl(facts),
    'dnssec-bogus': judgeDnssec(dns, dnsFields),
    'delegation-broken': verdictOver(dns, ['ns-none-answers', 'ns-parent-child-disjoint']),
    'name-server-alone': judgeLoneServer(dns, dnsFields),
    'spf-all-pass': verdictIn(dns, 'spf-all-pass'),
    'dmarc-missing': judgeDmarc(dns, dnsFields),
    'mail-lost': verdictIn(dns, 'mx-none-reachable'),
    'finding-critical': judgeCriticals(facts),
    'category-failed': judgeGrade(facts, 'F'),
    'category-poor': judgeGrade(facts, 'D'),
    'coverage-incomplete': judgeCoverage(facts),
  } satisfies Partial<Verdicts<HealthCode>>;
}

function judgeExistence({ domain, exists, dns }: CategoryFacts): Verdict {
  return exists ? verdictIn(dns, 'domain-not-found') : brokenBy([{ name: domain }]);
}

// Failed and missing TLS have their own rules with stricter limits.
function isToldElsewhere(category: Category, facts: TlsFacts): boolean {
  return category.name === 'ssl' && (hasFailedTls(category, facts) || facts.web.tls === 'none');
}

function judgeSsl({ categories, ssl, web }: CategoryFacts): Verdict {
  const category = categories.find(({ name }) => name === 'ssl');
  if (!category || category.state === 'not-applicable') return 'not-applicable';
  if (category.state === 'unavailable') return notTested(category.reason);
  // There is no TLS that could fail.
  if (web.tlsRefusal !== null) return 'not-applicable';
  const { report } = ssl;
  if (category.grade !== 'F' || report === null) return 'holds';
  // finding-critical and category-failed report faults that affect only other clients.
  if (!hasFailedTls(category, { ssl, web })) return 'not-applicable';
  const grave = graveFindings(report);
  const [worst] = grave;
  if (!worst) return brokenBy([{ reason: `It has ${category.score} points of 100.` }]);
  const shown = grave.map((finding) => ({
    ...showFinding(report, finding),
    reason: finding.detail,
  }));
  return brokenBy(shown, fixOf(worst));
}

const causesOfBogus = ['dnssec-bogus', 'dnssec-ds-without-key', 'dnssec-signature-invalid'] as const;

function judgeDnssec(dns: SourceFacts, fields: DnsFields | null): Verdict {
  const seen = verdictIn(dns, 'dnssec-bogus');
  if (!isBroken(seen) && fields?.dnssec.status !== 'bogus') return seen;
  const causes = verdictOver(dns, causesOfBogus);
  if (isBroken(causes)) return causes;
  return brokenBy([{ reason: `The reason is this: ${fields?.dnssec.reason ?? 'its report gives none'}.` }]);
}

function judgeDmarc(dns: SourceFacts, fields: DnsFields | null): Verdict {
  if (dns.report === null) return notTested(dns.why);
  if (fields === null) return notTested('the report of dns-check cannot be read');
  const { state, nullMx, implicit, hosts } = fields.mx;
  if (state === 'unknown') return notTested('it is not known whether the domain accepts mail');
  const hasMx = !nullMx && !implicit && hosts.length > 0;
  return hasMx ? judgePolicy(dns) : 'not-applicable';
}

// A record that exists but is not valid is not missing for dns-check, but receivers apply no policy in both cases.
const voidRecords = ['dmarc-multiple', 'dmarc-record-ignored'] as const;

function judgePolicy(dns: SourceFacts): Verdict {
  const missing = verdictIn(dns, 'dmarc-missing');
  const effect = verdictOver(dns, missing === 'not-applicable' ? voidRecords : ['dmarc-no-effect']);
  if (isBroken(missing)) return missing;
  // Broken, or not tested where nothing else is known.
  return isBroken(effect) || (missing === 'not-applicable' && typeof effect === 'object') ? effect : missing;
}

function judgeGrade({ categories, ssl, web }: CategoryFacts, grade: Grade): Verdict {
  const graded = categories.filter((category) => category.grade === grade);
  const broken = graded.filter((category) => !isToldElsewhere(category, { ssl, web }));
  if (broken.length > 0) return brokenBy(showStanding(broken));
  return whereAllSeen(categories, graded.length > 0 ? 'not-applicable' : 'holds');
}

/** What is true of those that were looked at, where every category that applies was. */
function whereAllSeen(categories: readonly Category[], seen: 'holds' | 'not-applicable'): Verdict {
  const unseen = categories.find(({ state }) => state === 'unavailable' || state === 'left-out');
  if (unseen) return notTested(`in ${categoryWords[unseen.name]}, ${unseen.reason}`);
  return categories.some(({ state }) => state === 'ok' || state === 'partial') ? seen : 'not-applicable';
}

// Critical findings that have their own rule here, with a limit that is as strict or stricter.
const toldByName: ReadonlySet<string> = new Set([
  'domain-not-found',
  'ns-none-answers',
  ...causesOfBogus,
  'spf-all-pass',
  'mx-none-reachable',
]);

function judgeCriticals({ categories, ssl, web }: CategoryFacts): Verdict {
  const found = categories.flatMap((category) =>
    category.findings
      .filter(({ severity }) => severity === 'critical')
      .map(({ code, detail }) => ({
        critical: { category: category.name, code, reason: detail },
        isTold: isToldElsewhere(category, { ssl, web }) || isToldByName(category, code),
      })),
  );
  const untold = found.filter(({ isTold }) => !isTold).map(({ critical }) => critical);
  if (untold.length > 0) return brokenBy(showCriticals(untold));
  return whereAllSeen(categories, found.length > 0 ? 'not-applicable' : 'holds');
}

// ssl-check and the entry points judge here whether visitors get to the page over a trusted https.
const toldOfHeaders: ReadonlySet<string> = new Set([
  'https-missing',
  'certificate-not-trusted',
  'https-downgrade',
  'redirect-no-page',
]);

function isToldByName({ name }: Category, code: string): boolean {
  return toldByName.has(code) || (name === 'headers' && toldOfHeaders.has(code));
}

function causeOfEntry(why: string, { report }: SourceFacts): GapCause {
  if (isOfVantage(why)) return 'ours';
  if (report === null) return 'late';
  return isBlocked(report.findings) ? 'blocked' : 'target';
}

function judgeCoverage({ categories, entries, web, dnsFields }: CategoryFacts): Verdict {
  const applicable = categories.filter(({ state }) => state !== 'not-applicable');
  if (applicable.length === 0) return 'not-applicable';
  // What could not be seen is reported before what nobody asked for.
  const isLeftOut = ({ state }: Category) => state === 'left-out';
  const unseen = [...applicable.filter((one) => !isLeftOut(one)), ...applicable.filter(isLeftOut)]
    .filter(({ state }) => state !== 'ok')
    .map((category): Gap => ({
      what: category.name,
      category: category.name,
      reason: category.reason,
      cause: causeOfGap(category, dnsFields),
    }));
  const isWeb = web.kind !== 'absent' && web.kind !== 'closed';
  const unseenEntries = entries
    .filter(({ end }) => isWeb && end === 'unknown')
    .map(({ url, why, source }): Gap => ({
      what: url,
      category: null,
      reason: why,
      cause: causeOfEntry(why, source),
    }));
  const gaps = [...unseen, ...unseenEntries];
  return gaps.length === 0 ? 'holds' : brokenBy(showGaps(gaps), fixOfGaps(gaps));
}
