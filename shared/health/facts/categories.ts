import type { CategoryState } from '../../catalogue/domain-health/report.ts';
import { type CategoryName, categoryNames, categoryWeights } from '../../catalogue/domain-health/weights.ts';
import type { Finding } from '../../model/finding.ts';
import type { Report } from '../../model/report.ts';
import type { Grade } from '../../model/score.ts';
import { isOfVantage } from '../../model/vantage.ts';
import { type CategoryReport, type DnsHalf, halfOf } from './dns-halves.ts';
import type { EntryPoint } from './entry-points.ts';
import type { DnsFields } from './fields.ts';
import { type LinkTargets, linkTo, questionOf, type SourceLink } from './links.ts';
import { addMailHosts, type MailHosts, readMailHosts } from './mail-hosts.ts';
import { findingIn, isBlocked, type SourceFacts, whyBlocked } from './source.ts';
import { isTlsLeftOut, type WebFacts } from './web.ts';

/** A category, judged. A score is there when the state is `ok` or `partial`, and then only. */
export type Category = {
  readonly name: CategoryName;
  readonly weight: number;
  readonly state: CategoryState;
  readonly score: number | null;
  readonly grade: Grade | null;
  /** Without a full stop; "" where there is nothing to say. */
  readonly reason: string;
  readonly summary: Report['summary'] | null;
  readonly findings: readonly Finding[];
  /** Codes of its rules that hold, and of those that were not tested. */
  readonly passed: readonly string[];
  readonly notTested: readonly string[];
  readonly link: SourceLink;
  /** Whether there is a report to judge by. */
  readonly isReported: boolean;
  /** What a finding's effect in its own report is to be multiplied with, to be its effect on this category. */
  readonly effectFactor: number;
  /** Of mail alone. */
  readonly mailHosts?: MailHosts;
};

/** All that categories are made of, read once. */
export type Sources = {
  /** The parts that were asked for. */
  readonly parts: readonly CategoryName[];
  readonly asked: LinkTargets;
  readonly exists: boolean;
  readonly dns: SourceFacts;
  readonly dnsFields: DnsFields | null;
  readonly ssl: SourceFacts;
  readonly headers: SourceFacts;
  readonly performance: SourceFacts;
  readonly smtp: SourceFacts | undefined;
  readonly entries: readonly EntryPoint[];
  readonly web: WebFacts;
};

/** Judges every category, in the order of the report. */
export function readCategories(sources: Sources): readonly Category[] {
  return categoryNames.map((name) => readCategory(name, sources));
}

// Key by key, so that equal reports make equal ones whatever they were stored in.
function inOrder({
  critical,
  high,
  medium,
  low,
  info,
  passed,
  notTested,
}: Report['summary']): Report['summary'] {
  return { critical, high, medium, low, info, passed, notTested };
}

type CategoryStatus = Pick<Category, 'state' | 'score' | 'grade' | 'reason'> &
  Partial<Pick<Category, 'findings'>>;

/** Why a category that was not asked for has no report. */
export const whyLeftOut = 'it was left out of what was asked for';

const without = (state: 'unavailable' | 'not-applicable' | 'left-out', reason: string): CategoryStatus => ({
  state,
  score: null,
  grade: null,
  reason,
});

function readCategory(name: CategoryName, sources: Sources): Category {
  const isAsked = sources.parts.includes(name);
  const source = isAsked ? sourceOf(name, sources) : notAsked;
  const told = isAsked ? readCategoryReport(name, sources) : null;
  const mailHosts =
    name === 'mail' && isAsked ? readMailHosts(sources.asked.domain, sources.smtp) : undefined;
  return {
    name,
    weight: categoryWeights[name],
    summary: told && inOrder(told.summary),
    ...codesIn(told),
    ...(isAsked ? standIfThere(name, told, sources) : without('left-out', whyLeftOut)),
    link: linkTo(questionOf(name, sources.asked), source.shown),
    isReported: source.report !== null,
    effectFactor: told?.effectFactor ?? 1,
    ...(mailHosts ? { mailHosts } : {}),
  };
}

function codesIn(told: CategoryReport | null): Pick<Category, 'findings' | 'passed' | 'notTested'> {
  if (!told) return { findings: [], passed: [], notTested: [] };
  const { findings, passed, notTested } = told;
  return { findings, passed, notTested: notTested.map(({ code }) => code) };
}

/** What a report says of a category; null where there is none that can be read. */
function readCategoryReport(name: CategoryName, { dnsFields, ...sources }: Sources): CategoryReport | null {
  if (name === 'dns' || name === 'mail') {
    const half = sources.dns.report && dnsFields && halfOf(name, sources.dns.report, dnsFields);
    return half && name === 'mail' && sources.smtp ? addMailHosts(half, sources.smtp) : half;
  }
  const { report } = sources[name];
  return report && { ...report, isPartial: report.state === 'partial', effectFactor: 1 };
}

const notAsked: SourceFacts = { report: null, shown: null, why: whyLeftOut };

function sourceOf(name: CategoryName, sources: Sources): SourceFacts {
  return name === 'mail' ? sources.dns : sources[name];
}

function standIfThere(name: CategoryName, told: CategoryReport | null, sources: Sources): CategoryStatus {
  return sources.exists
    ? standingOf(name, told, sources)
    : without('not-applicable', 'the domain does not exist');
}

function standingOf(name: CategoryName, told: CategoryReport | null, sources: Sources): CategoryStatus {
  if (told && told.score !== null && !isBlocked(told.findings)) {
    const { score, grade, isPartial } = told;
    const unknown = name === 'dns' ? sources.dnsFields?.recordsUnknown[0] : undefined;
    return { score, grade, ...(isPartial ? partial(told, unknown) : { state: 'ok', reason: '' }) };
  }
  if (isBehindDead(name, sources)) return without('not-applicable', 'no name server answers for the domain');
  if (name !== 'dns' && name !== 'mail') return standOnWeb(name, told, sources);
  return without('unavailable', told ? whyNoScore(told) : sources.dns.why || 'its report cannot be read');
}

// That nobody answers for the domain is proven then, and behind it there is neither web nor mail.
function isBehindDead(name: CategoryName, { dns }: Sources): boolean {
  return name !== 'dns' && findingIn(dns, 'ns-none-answers') !== undefined;
}

type RecordUnknown = DnsFields['recordsUnknown'][number];

// A record that was not seen is nearer to the cause than the first rule that was not tested for it, or for another reason.
function partial(
  { notTested: [first] }: CategoryReport,
  record: RecordUnknown | undefined,
): Pick<CategoryStatus, 'state' | 'reason'> {
  const rule = first ? ` (${first.code}: ${first.reason})` : '';
  const example = record ? ` (${record.type}: ${record.reason})` : rule;
  return { state: 'partial', reason: `some of it could not be looked at${example}` };
}

const reasonsOfAbsence = {
  absent: 'neither the domain nor www has an address',
  closed: 'no web server answers at the domain’s address',
} as const;

/** A category of the web site that came without a score. */
function standOnWeb(
  name: Exclude<CategoryName, DnsHalf>,
  told: CategoryReport | null,
  sources: Sources,
): CategoryStatus {
  const { web, entries, asked } = sources;
  if (web.kind === 'absent' || web.kind === 'closed')
    return without('not-applicable', reasonsOfAbsence[web.kind]);
  if (told === null) return without('unavailable', sources[name].why);
  if (isBlocked(told.findings)) return without('unavailable', whyBlocked);
  const { target: host } = linkTo(questionOf('ssl', asked), sources.ssl.shown);
  const refusal = name === 'ssl' && isTlsLeftOut(entries, host) ? web.tlsRefusal : null;
  if (refusal === null) return without('unavailable', whyNoScore(told));
  // This is definite, so it has a score: no client finds TLS, while the machine answers on port 80.
  return {
    state: 'ok',
    score: 0,
    grade: 'F',
    reason: `port 80 answers, but port 443 does not speak TLS (${refusal.code})`,
    findings: told.findings.map((finding) =>
      finding === refusal ? { ...finding, scoreEffect: -100 } : finding,
    ),
  };
}

function whyNoScore({ findings, notTested }: CategoryReport): string {
  // What this network kept from us comes before what was seen all the same.
  const ours = notTested.find(({ reason }) => isOfVantage(reason));
  if (ours) return ours.reason;
  const [finding] = findings;
  if (finding) return `its report says “${finding.title}” (${finding.code})`;
  return notTested[0]?.reason ?? 'its report has no score';
}

/** Findings of a category that stand in one report. */
type ReportFindings = Pick<Category, 'findings' | 'effectFactor'> & { readonly link: SourceLink };

/** The findings of a category by the reports that they stand in: mail may have two. */
export function listTold({ findings, effectFactor, link, mailHosts }: Category): readonly ReportFindings[] {
  if (!mailHosts?.link) return [{ findings, effectFactor, link }];
  const isOfHosts = (finding: Finding) => mailHosts.findings.includes(finding);
  return [
    { findings: findings.filter((finding) => !isOfHosts(finding)), effectFactor, link },
    { ...mailHosts, findings: findings.filter(isOfHosts), link: mailHosts.link },
  ];
}
