import { createHash } from 'node:crypto';
import type { Report } from '#shared/model/report';
import { faultsOf } from '#shared/render/health';
import { style } from '#shared/render/html/style';
import { type Markup, markup, printMarkup, verbatim } from '#shared/render/markup';
import { join, type Shown, show } from './door.ts';
import { isFinal, type TargetOutcome } from './outcome.ts';
import { worstOf } from './table.ts';

/** What a summary keeps of a target. */
type SummaryRow = {
  readonly target: string;
  readonly grade: string;
  readonly score: number | null;
  readonly state: string;
  readonly detail: string;
  /** Where a browser shows the report; undefined where nothing does. */
  readonly page: string | undefined;
};

export type Summary = {
  readonly count: number;
  /** Empty where only the counts were kept. */
  readonly rows: readonly SummaryRow[];
  /** Grade → how many targets have it. */
  readonly grades: ReadonlyMap<string, number>;
  /** Findings that most targets have, the most frequent first. */
  readonly worst: readonly { readonly code: string; readonly title: string; readonly count: number }[];
  readonly unreachable: number;
  readonly unchecked: number;
};

/** Counts outcomes as they come. */
export type Tally = {
  add(outcome: TargetOutcome): void;
  summary(): Summary;
};

const worstShown = 10;
const graveSeverities = new Set(['critical', 'high', 'medium']);
const gradeOrder = ['A+', 'A', 'B', 'C', 'D', 'F', '-'];

/**
 * Opens a count.
 * @param keepsRows a row of each target is kept too, for the page
 * @param pageOf where a browser shows a report
 */
export function openTally(
  keepsRows: boolean,
  pageOf: (report: Report) => string | undefined = () => undefined,
): Tally {
  const rows: SummaryRow[] = [];
  const grades = new Map<string, number>();
  const codes = new Map<string, { readonly title: string; count: number }>();
  const states = new Map<string, number>();
  let count = 0;
  return {
    add(outcome) {
      const row = { ...rowOf(outcome), page: outcome.report && pageOf(outcome.report) };
      count += 1;
      if (keepsRows) rows.push(row);
      grades.set(row.grade, (grades.get(row.grade) ?? 0) + 1);
      states.set(row.state, (states.get(row.state) ?? 0) + 1);
      for (const { code, title } of graveFindings(outcome)) {
        const known = codes.get(code) ?? { title, count: 0 };
        known.count += 1;
        codes.set(code, known);
      }
    },
    summary: () => ({
      count,
      rows,
      grades: new Map([...grades].sort(([a], [b]) => gradeOrder.indexOf(a) - gradeOrder.indexOf(b))),
      worst: [...codes]
        .map(([code, known]) => ({ code, ...known }))
        .sort((a, b) => b.count - a.count)
        .slice(0, worstShown),
      unreachable: states.get('unreachable') ?? 0,
      unchecked: (states.get('refused') ?? 0) + (states.get('not checked') ?? 0),
    }),
  };
}

function rowOf(outcome: TargetOutcome): Omit<SummaryRow, 'page'> {
  const { target, report, problem } = outcome;
  return {
    target,
    grade: report?.grade ?? '-',
    score: report?.score ?? null,
    state: report?.state ?? (isFinal(outcome) ? 'refused' : 'not checked'),
    detail: problem?.detail ?? worstTitle(report),
  };
}

function worstTitle(report: Report | undefined): string {
  return (report && worstOf(report)?.title) ?? '';
}

function graveFindings({ report }: TargetOutcome) {
  const faults = report && faultsOf(report);
  const found = faults ? faults.map(({ main }) => main) : (report?.findings ?? []);
  return found.filter(({ severity }) => graveSeverities.has(severity));
}

/** The summary as lines for a terminal. @param total how many targets there are, where that is known: what was not asked is counted too */
export function summaryText(
  { count, grades, worst, unreachable, unchecked }: Summary,
  total: number | undefined,
): Shown {
  const left = total === undefined ? 0 : total - count;
  const letters = [...grades].map(([grade, count]) => `${grade} ${count}`).join('  ');
  return join(
    [
      show`${count} targets   ${letters}`,
      show`${unreachable} unreachable, ${unchecked} not checked`,
      ...(left > 0 ? [show`${left} of ${total} are left: the same command with --resume goes on.`] : []),
      ...worst.slice(0, 5).map((finding) => show`${String(finding.count).padStart(6)}  ${finding.code}`),
    ],
    '\n',
  );
}

const script = `
for (const head of document.querySelectorAll('th button')) head.addEventListener('click', () => {
  const cell = head.closest('th'), body = document.querySelector('tbody'), column = cell.cellIndex;
  const isDown = cell.getAttribute('aria-sort') === 'ascending';
  for (const other of cell.parentNode.cells) other.removeAttribute('aria-sort');
  cell.setAttribute('aria-sort', isDown ? 'descending' : 'ascending');
  const key = (row) => row.cells[column].dataset.key ?? row.cells[column].textContent;
  const order = (a, b) => key(a).localeCompare(key(b), undefined, { numeric: true });
  body.append(...[...body.rows].sort((a, b) => isDown ? order(b, a) : order(a, b)));
});
`;

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

/** The summary as one page that needs nothing else: its table is sorted by a click on a column's head. */
export function summaryPage(
  { rows, grades, worst, unreachable, unchecked }: Summary,
  total?: number,
): string {
  const left = total === undefined ? 0 : total - rows.length;
  const policy = `default-src 'none'; style-src ${hashOf(style)}; script-src ${hashOf(script)}`;
  const counts = [...grades].map(([grade, count]) => `${grade}: ${count}`).join(' · ');
  const heads = ['Target', 'Grade', 'Score', 'State', 'Worst finding'].map(
    (name) => markup`<th scope="col"><button type="button">${name}</button></th>`,
  );
  return printMarkup(markup`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>Summary of ${rows.length} targets</title>
<style>${verbatim(style)}</style>
</head>
<body>
<h1>${rows.length} targets</h1>
<p>${counts}</p>
<p>${unreachable} unreachable, ${unchecked} not checked${left > 0 ? `, ${left} of ${total} left` : ''}</p>
<h2>Most frequent findings</h2>
<ul>${worst.map((finding) => markup`<li>${finding.count} × ${finding.title} <code>${finding.code}</code></li>\n`)}</ul>
<h2>All targets</h2>
<table>
<thead><tr>${heads}</tr></thead>
<tbody>
${rows.map(rowMarkup)}</tbody>
</table>
<script>${verbatim(script)}</script>
</body>
</html>
`);
}

function rowMarkup({ target, grade, score, state, detail, page }: SummaryRow): Markup {
  const name = markup`<bdi>${target}</bdi>`;
  const named = page === undefined ? name : markup`<a href="${page}">${name}</a>`;
  const order = String(gradeOrder.indexOf(grade));
  return markup`<tr><td>${named}</td><td data-key="${order}">${grade}</td><td class="number">${score ?? ''}</td><td>${state}</td><td>${detail}</td></tr>
`;
}
