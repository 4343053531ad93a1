import { z } from 'zod';
import { mailRules, mailWeights } from '../../catalogue/dns-check/mail/rules.ts';
import { scoreMail, scoreParts } from '../../catalogue/dns-check/mail/score.ts';
import { partStates } from '../../catalogue/dns-check/part-state.ts';
import { dnsRules } from '../../catalogue/dns-check/rules.ts';
import { scoreDnsHalf } from '../../catalogue/dns-check/score-dns.ts';
import { rules as speedRules } from '../../catalogue/pagespeed-check/rules.ts';
import { rules as headerRules } from '../../catalogue/security-header-check/rules.ts';
import { scoreGroups } from '../../catalogue/security-header-check/score.ts';
import { rules as smtpRules } from '../../catalogue/smtp-check/rules.ts';
import { capsOf, flawlessCodes, scoreOf, worstOf } from '../../catalogue/ssl-check/grade/grade.ts';
import type { SslLabsLetter } from '../../catalogue/ssl-check/report.ts';
import { rules as sslRules } from '../../catalogue/ssl-check/rules.ts';
import type { Report } from '../../model/report.ts';
import { score } from '../../model/score.ts';
import { codesOf, type Verdict, type Verdicts } from '../../model/verdict.ts';

/** Scores of a report: of dns-check also those of its halves. */
export type Scores = {
  readonly score: number | null;
  readonly halves?: { readonly dnsScore: number | null; readonly mailScore: number | null };
};

/** What is broken once something is fixed. */
export type Remaining = {
  /** Codes that are broken then. */
  readonly broken: ReadonlySet<string>;
  /** Codes that were broken and hold then. */
  readonly fixed: ReadonlySet<string>;
};

/**
 * The scores that a check would give a report if other rules of it were broken: the arithmetic of the check itself, on the stored report.
 * Undefined where a report does not tell enough for that, which is the case wherever nothing fixed does not give the score it has.
 */
export function rescore(report: Report, remaining: Remaining): Scores | undefined {
  const again = arithmetic[report.check];
  if (again === undefined || report.score === null) return undefined;
  const asItIs = again(report, { broken: brokenIn(report), fixed: new Set() });
  return asItIs !== undefined && isSame(asItIs, report) ? again(report, remaining) : undefined;
}

/** The codes of a report's findings. */
export function brokenIn({ findings }: Report): ReadonlySet<string> {
  return new Set(findings.map(({ code }) => code));
}

type Arithmetic = (report: Report, remaining: Remaining) => Scores | undefined;

const arithmetic: { readonly [check: string]: Arithmetic } = {
  'dns-check': scoreDns,
  'ssl-check': scoreSsl,
  'security-header-check': (report, { broken, fixed }) => ({
    score: scoreGroups(verdictsOf(headerRules, report, { broken, fixed })).score,
  }),
  'pagespeed-check': scoreSpeed,
  'smtp-check': (report, remaining) => ({
    score: score(smtpRules, verdictsOf(smtpRules, report, remaining)),
  }),
};

function isSame({ score, halves }: Scores, report: Report): boolean {
  if (!halves) return score === report.score;
  return halves.dnsScore === report['dnsScore'] && halves.mailScore === report['mailScore'];
}

function verdictsOf<Code extends string>(
  rules: { readonly [C in Code]: unknown },
  { passed, notTested }: Report,
  { broken, fixed }: Remaining,
): Verdicts<Code> {
  const holding = new Set([...passed, ...fixed]);
  const unseen = new Set(notTested.map(({ code }) => code));
  const verdictOf = (code: string): Verdict => {
    if (broken.has(code)) return { broken: [{}] };
    if (holding.has(code)) return 'holds';
    return unseen.has(code) ? { notTested: 'as it was' } : 'not-applicable';
  };
  return Object.fromEntries(codesOf(rules).map((code) => [code, verdictOf(code)])) as Verdicts<Code>;
}

function scoreDns(report: Report, remaining: Remaining): Scores | undefined {
  const states = readMailStates(report);
  if (states === undefined) return undefined;
  const verdicts = verdictsOf(mailRules, report, remaining);
  const mail = report['mailScore'] === null ? null : scoreMail(verdicts, scoreParts(verdicts, states)).score;
  const ofZone = codesOf(dnsRules).filter((code) => remaining.broken.has(code));
  const dns = report['dnsScore'] === null ? null : scoreDnsHalf(ofZone).score;
  return { score: report.score, halves: { dnsScore: dns, mailScore: mail } };
}

const mailParts = z.array(z.looseObject({ part: z.string(), state: z.enum(partStates) }));

function readMailStates({ mailScoreParts }: Report): Parameters<typeof scoreParts>[1] | undefined {
  const parts = mailParts.safeParse(mailScoreParts).data;
  if (!parts || !mailWeights.every(({ part }) => parts.some((one) => one.part === part))) return undefined;
  return Object.fromEntries(parts.map(({ part, state }) => [part, state])) as Parameters<
    typeof scoreParts
  >[1];
}

/** From here on the arithmetic of the rating guide gives an A, so that only broken rules hold the letter down. */
const leastForA = 80;
const rated = z.object({ score: z.number().min(leastForA) });

function scoreSsl(report: Report, { broken, fixed }: Remaining): Scores | undefined {
  if (!rated.safeParse(report['sslLabs']).success) return undefined;
  const own = codesOf(sslRules).filter((code) => broken.has(code));
  const isFlawless = flawlessCodes.every((code) => report.passed.includes(code) || fixed.has(code));
  const best: SslLabsLetter = isFlawless ? 'A+' : 'A';
  const letter = worstOf([best, ...capsOf(own).map((cap) => cap.letter)]);
  return { score: scoreOf(letter, own) };
}

/** A metric is good from nine tenths of its own score on, and more is not promised. */
const shareOfGood = 0.1;
const metrics = ['lcp', 'cls', 'tbt', 'fcp', 'si'] as const;

function scoreSpeed(report: Report, { fixed }: Remaining): Scores | undefined {
  const won = report.findings
    .filter(({ code }) => fixed.has(code))
    .map(({ code, scoreEffect }) => Math.max(0, -scoreEffect - shareOfGood * weightOf(code)));
  const score = (report.score ?? 0) + won.reduce((sum, points) => sum + points, 0);
  return { score: Math.min(100, Math.round(score)) };
}

/** What a metric weighs in Lighthouse’s score of 100: the most that its worst finding can take. */
function weightOf(code: string): number {
  const metric = metrics.find((name) => code.startsWith(`${name}-`));
  return metric === undefined ? 0 : speedRules[`${metric}-poor`].points;
}
