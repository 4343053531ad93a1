import type { Report } from '#shared/model/report';
import { severities } from '#shared/model/verdict';
import { targetOf } from '#shared/render/report-words';
import { clip, visible } from '#shared/render/visible-text';
import { coloured, hasColour, join, type Shown, show } from './door.ts';
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

function paint(name: string, text: string): Shown {
  const colour = Object.hasOwn(colours, name) ? colours[name] : undefined;
  return colour === undefined || !hasColour() ? show`${text}` : coloured(colour, text);
}

/** The head of a table with a row for each target. */
export function tableHead(): Shown {
  return show`${'TARGET'.padEnd(targetWidth)}  GRADE  SCORE  STATE        WORST FINDING`;
}

/** A row of that table. */
export function tableRow({ target, report, problem }: Outcome): Shown {
  const name = clip(visible(target), targetWidth).padEnd(targetWidth);
  if (!report) return show`${name}  -          -  not checked  ${problem?.detail ?? ''}`;
  const worst = report.findings[0];
  const grade = paint(report.grade ?? '-', (report.grade ?? '-').padEnd(5));
  const score = String(report.score ?? '-').padStart(5);
  const told = worst ? show`  ${paint(worst.severity, worst.severity)} ${worst.title}` : '';
  return show`${name}  ${grade}  ${score}  ${worst ? report.state.padEnd(11) : report.state}${told}`;
}

/** One report, for a person to read: its grade, and each finding with what to do. */
export function tellReport(report: Report): Shown {
  const { summary, state, score, grade } = report;
  const head = show`${targetOf(report)}  ${report.check}  ${paint(grade ?? '-', grade ?? '-')} ${score ?? 'no score'}${
    state === 'complete' ? '' : `  (${state})`
  }`;
  const counts = severities.flatMap((name) => (summary[name] > 0 ? [`${summary[name]} ${name}`] : []));
  const line = [...counts, `${summary.passed} passed`, `${summary.notTested} not tested`].join(', ');
  const findings = report.findings.map(
    ({ severity, title, detail, fix }) =>
      show`\n${paint(severity, severity.toUpperCase().padEnd(8))} ${title}\n  ${detail}\n  Fix: ${fix.text}\n`,
  );
  return show`${head}\n${line}\n${join(findings)}`;
}
