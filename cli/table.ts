import type { Report } from '#shared/model/report';
import { severities } from '#shared/model/verdict';
import { targetOf } from '#shared/render/report-words';
import { clip, visible } from '#shared/render/visible-text';
import type { Outcome } from './outcome.ts';

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

/** True where colours are wanted: on a terminal, unless NO_COLOR is set (no-color.org). */
function hasColour(): boolean {
  return process.stdout.isTTY && !process.env['NO_COLOR'] && process.env['TERM'] !== 'dumb';
}

function paint(name: string, text: string): string {
  const colour = colours[name];
  return colour === undefined || !hasColour() ? text : `\u001b[${colour}m${text}\u001b[0m`;
}

/** The head of a table with a row for each target. */
export function tableHead(): string {
  return `${'TARGET'.padEnd(targetWidth)}  GRADE  SCORE  STATE        WORST FINDING`;
}

/** A row of that table. */
export function tableRow({ target, report, problem }: Outcome): string {
  const name = clip(visible(target), targetWidth).padEnd(targetWidth);
  if (!report) return `${name}  -          -  not checked  ${visible(problem?.detail ?? '')}`;
  const worst = report.findings[0];
  const grade = paint(report.grade ?? '-', (report.grade ?? '-').padEnd(5));
  const score = String(report.score ?? '-').padStart(5);
  const told = worst ? `${paint(worst.severity, worst.severity)} ${visible(worst.title)}` : '';
  return `${name}  ${grade}  ${score}  ${report.state.padEnd(11)}  ${told}`.trimEnd();
}

/** One report, for a person to read: its grade, and each finding with what to do. */
export function tellReport(report: Report): string {
  const { summary, state, score, grade } = report;
  const head = `${visible(targetOf(report))}  ${report.check}  ${paint(grade ?? '-', grade ?? '-')} ${score ?? 'no score'}${
    state === 'complete' ? '' : `  (${state})`
  }`;
  const counts = severities.flatMap((name) => (summary[name] > 0 ? [`${summary[name]} ${name}`] : []));
  const line = [...counts, `${summary.passed} passed`, `${summary.notTested} not tested`].join(', ');
  const findings = report.findings.map(
    ({ severity, title, detail, fix }) =>
      `\n${paint(severity, severity.toUpperCase().padEnd(8))} ${visible(title)}\n  ${visible(detail)}\n  Fix: ${visible(fix.text)}\n`,
  );
  return `${head}\n${line}\n${findings.join('')}`;
}
