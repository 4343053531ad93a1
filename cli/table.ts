import { readRechecked } from '#shared/catalogue/outline';
import type { Finding } from '#shared/model/finding';
import type { Report } from '#shared/model/report';
import { severities } from '#shared/model/verdict';
import { expiriesOf, expiryWords, leftWords } from '#shared/render/expiries';
import {
  adviceOf,
  alsoEnds,
  capWords,
  type DomainFixGroup,
  faultOf,
  faultsOf,
  gainWords,
  groupByCategory,
  togetherWords,
  unknownGainWords,
} from '#shared/render/health';
import { recheckOf, recheckWords } from '#shared/render/recheck';
import {
  type Paste,
  pastesOf,
  pointsWords,
  recordFields,
  shellWord,
  targetOf,
  vantageWords,
  whyOf,
  zoneWords,
} from '#shared/render/report-words';
import { clip, cut, visible } from '#shared/render/visible-text';
import { coloured, hasColour, join, type Shown, show, wrap } from './door.ts';
import type { TargetOutcome } from './outcome.ts';

const targetWidth = 40;

const colours: { readonly [name: string]: number } = {
  critical: 31,
  high: 31,
  medium: 33,
  low: 36,
  info: 2,
  'A+': 32,
  A: 32,
  B: 32,
  C: 33,
  D: 33,
  F: 31,
};

function paint(name: string, text: string): Shown {
  const colour = Object.hasOwn(colours, name) ? colours[name] : undefined;
  return colour === undefined || !hasColour() ? show`${text}` : coloured(colour, text);
}

/** The head of a table with a row for each target. */
export function tableHead(): Shown {
  return show`${'TARGET'.padEnd(targetWidth)}  GRADE  SCORE  STATE        WORST FINDING`;
}

/** A row of that table. */
export function tableRow({ target, report, problem }: TargetOutcome): Shown {
  const name = clip(visible(target), targetWidth).padEnd(targetWidth);
  if (!report) return show`${name}  -          -  not checked  ${problem?.detail ?? ''}`;
  const worst = worstOf(report);
  const grade = paint(report.grade ?? '-', (report.grade ?? '-').padEnd(5));
  const score = String(report.score ?? '-').padStart(5);
  const told = worst ? show`  ${paint(worst.severity, worst.severity)} ${worst.title}` : '';
  return show`${name}  ${grade}  ${score}  ${worst ? report.state.padEnd(11) : report.state}${told}`;
}

/** What to fix first: of a domain that is what would raise it most, else the worst finding. */
export function worstOf(report: Report): Finding | undefined {
  const faults = faultsOf(report);
  if (!faults) return report.findings[0];
  const [first] = adviceOf(report)?.raise ?? [];
  return ((first && faultOf(first, faults)) ?? faults[0])?.main;
}

/** What else is told of a report: what became of a finding, and why each finding matters. */
type Telling = { readonly recheck?: string | undefined; readonly explain?: boolean | undefined };

/** One report, for a person to read: its grade, and each finding with what to do. */
export function tellReport(report: Report, { recheck, explain = false }: Telling = {}): Shown {
  const { summary, state, score, grade } = report;
  const missing = vantageWords(report);
  const { recheckedAt } = readRechecked(report);
  const head = show`${targetOf(report)}  ${report.check}  ${paint(grade ?? '-', grade ?? '-')} ${score ?? 'no score'}${
    state === 'complete' ? '' : `  (${state})`
  }${recheckedAt ? show`  (${recheckedAt.check} again at ${recheckedAt.at})` : ''}${missing === undefined ? '' : show`\n${wrap(missing, 0)}`}`;
  const domain = tellDomain(report, explain);
  const again = recheck === undefined ? show`` : tellRecheck(report, recheck);
  if (domain) return show`${head}\n${again}${domain}`;
  const counts = severities.flatMap((name) => (summary[name] > 0 ? [`${summary[name]} ${name}`] : []));
  const line = [...counts, `${summary.passed} passed`, `${summary.notTested} not tested`].join(', ');
  const findings = report.findings.map((finding) =>
    tellFinding(finding, {
      again: againLine(report, finding),
      why: explain ? whyOf(report.check, finding.code) : undefined,
    }),
  );
  return show`${head}\n${again}${line}\n${join(findings)}`;
}

/** What became of a finding, or why nothing was asked. */
function tellRecheck(report: Report, code: string): Shown {
  const recheck = isOfThisRun(report) ? recheckOf(report, code) : undefined;
  if (!recheck) return show`${wrap('Nothing was asked again: what found it was checked a moment ago.', 0)}\n`;
  const { word, rest } = recheckWords(recheck);
  return show`${wrap(`${word}: ${rest}`, 0)}\n`;
}

/** Clocks of two machines differ a little. */
const clocksMs = 2000;

/** Whether a check was made for this command; a domain-health says so itself, and is as old as the one that it follows. */
function isOfThisRun({ check, checkedAt }: Report): boolean {
  return check === 'domain-health' || Date.parse(checkedAt) >= performance.timeOrigin - clocksMs;
}

/** What stands beside a finding: its points, why it matters, and the command that checks it again. */
type Beside = { readonly cost?: Shown; readonly again: Shown; readonly why: string | undefined };

/** The command that checks a finding again, once it is fixed. */
function againLine({ check, ...report }: Report, { code, severity }: Finding): Shown {
  if (severity === 'info') return show``;
  return show`  Then: diag ${check} ${shellWord(targetOf({ check, ...report }))} --recheck ${code}\n`;
}

/** A domain: why the grade is what it is, what would raise it most, and every fault once under its category. */
function tellDomain(report: Report, explain: boolean): Shown | undefined {
  const faults = faultsOf(report);
  if (!faults) return undefined;
  const cap = capWords(report);
  const notes = faults.filter(({ main, cost }) => main.severity === 'info' && cost === 0);
  const groups = groupByCategory(faults.filter((fault) => !notes.includes(fault))).map(
    ({ name, faults: of }) =>
      show`\n== ${name} ==\n${join(of.map((fault) => tellFault(report, fault, explain)))}`,
  );
  const left =
    notes.length === 0
      ? ''
      : show`\n${notes.length === 1 ? '1 note' : `${notes.length} notes`} in the other forms.\n`;
  return show`${cap === undefined ? '' : show`${wrap(cap, 0)}\n`}${tellAdvice(report, faults)}${join(groups)}${tellExpiries(report)}${left}`;
}

function tellAdvice(report: Report, faults: readonly DomainFixGroup[]): Shown {
  const advice = adviceOf(report);
  if (!advice || advice.raise.length === 0) return show``;
  const lines = advice.raise.map((entry, index) => {
    const title = faultOf(entry, faults)?.main.title ?? entry.findings[0]?.code ?? '';
    const words = [title, entry.fix.text, gainWords(entry, report) ?? []].flat().map((text) => wrap(text, 5));
    return show`${String(index + 1).padStart(3)}. ${join(words, '\n     ')}\n`;
  });
  const said = [unknownGainWords(advice) ?? [], togetherWords(advice) ?? []].flat();
  return show`\nWhat would raise it most\n${join(lines)}${join(said.map((text) => show`     ${wrap(text, 5)}\n`))}`;
}

/** A person wants to know the next few; the other forms have all. */
const expiriesTold = 5;

function tellExpiries(report: Report): Shown {
  const expiries = expiriesOf(report).slice(0, expiriesTold);
  if (expiries.length === 0) return show``;
  const lines = expiries.map(
    (expiry) =>
      show`  ${expiry.expiresAt.slice(0, 10)}  ${expiryWords(expiry)} (${leftWords(expiry, Date.parse(report.checkedAt))})\n`,
  );
  return show`\nWhat expires first\n${join(lines)}`;
}

function tellFault(report: Report, fault: DomainFixGroup, explain: boolean): Shown {
  const { main, cost } = fault;
  const also = alsoEnds(fault).map(({ text }) => show`  ${wrap(`The same fix also ends: ${text}`, 4)}\n`);
  // What it finds itself, of several parts, is asked again with all of them.
  const again = main.check === report.check ? show`` : againLine(report, main);
  const why = explain ? whyOf(main.check, main.code) : undefined;
  const beside = { cost: cost < 0 ? show`  ${pointsWords(cost)} of the domain\n` : show``, again, why };
  return show`${tellFinding(main, beside)}${join(also)}`;
}

function tellFinding(finding: Finding, { cost = show``, again, why }: Beside): Shown {
  const { severity, title, detail, fix } = finding;
  const texts = [detail, ...(why === undefined ? [] : [`Why: ${why}`]), `Fix: ${fix.text}`];
  const words = texts.map((text) => show`  ${wrap(text, 2)}\n`);
  const pastes = pastesOf(fix).filter(({ name }) => name !== undefined);
  const name = paint(severity, severity.toUpperCase().padEnd(8));
  return show`\n${name} ${wrap(title, 9)}\n${cost}${join(words)}${tellRecord(fix)}${join(pastes.map(tellPaste))}${again}`;
}

const longestPaste = 4000;

/** A record by the fields of the form that a DNS host has for it. */
function tellRecord(fix: Finding['fix']): Shown {
  const host = zoneWords(fix);
  const fields = recordFields(fix).map(
    ({ label, value, beside }) =>
      show`    ${label.padEnd(5)}  ${cut(value, longestPaste)}${beside === undefined ? '' : `  (in full: ${beside})`}\n`,
  );
  return show`${join(fields)}${host === undefined ? '' : show`  ${wrap(host, 2)}\n`}`;
}

/** Never wrapped: what is copied must stay the line that it is. */
function tellPaste({ name, text }: Paste): Shown {
  const lines = cut(text, longestPaste).split('\n');
  const head = name === undefined ? show`` : show`    ${name}:\n`;
  return show`${head}${join(lines.map((line) => show`    ${line}\n`))}`;
}
