import { domainHealthReportShape } from '../../../catalogue/domain-health/report.ts';
import { categoryNames } from '../../../catalogue/domain-health/weights.ts';
import type { Report } from '../../../model/report.ts';
import { type Markup, markup, nothing } from '../../markup.ts';
import { clip, cut } from '../../visible-text.ts';
import {
  addressOf,
  cellTable,
  figure,
  type LinkOfReport,
  readFields,
  tableSection,
  verdictWord,
} from './figure.ts';

const { categories, entryPoints, caps, worstFindings } = domainHealthReportShape;
const shape = { categories, entryPoints, caps, worstFindings };
type Health = NonNullable<ReturnType<typeof readHealth>>;
type EntryPoint = Health['entryPoints'][number];

const categoryWords = {
  dns: 'DNS',
  ssl: 'TLS',
  headers: 'Headers',
  performance: 'Speed',
  mail: 'Mail',
} as const;
/** What a reader calls a category; the name itself, where it is none of ours. */
export function wordOfCategory(name: string): string {
  return Object.hasOwn(categoryWords, name) ? categoryWords[name as keyof typeof categoryWords] : name;
}

const stateWords: { readonly [state: string]: string } = { ok: 'checked', partial: 'checked in part' };
const longestReason = 300;
const mostRows = 20;

/** What the grade is made of, what limits it, and where each address of the domain ends. */
export function drawHealth(report: Report, linkOfReport: LinkOfReport): Markup {
  const health = readHealth(report);
  if (!health) return nothing;
  return markup`${categorySection(health, linkOfReport)}${capSection(health)}${costSection(health)}${entrySection(health)}`;
}

function readHealth(report: Report) {
  return readFields(report, shape);
}

function categorySection({ categories: all }: Health, linkOfReport: LinkOfReport): Markup {
  const rows = categoryNames.map((name) => {
    const { grade, score, weight, state, reason, codes, report } = all[name];
    const href = addressOf(report.reportId, linkOfReport);
    const words =
      href === undefined
        ? markup`${categoryWords[name]}`
        : markup`<a href="${href}">${categoryWords[name]}</a>`;
    const standing =
      reason === undefined
        ? markup`${stateWords[state] ?? state}`
        : markup`${stateWords[state] ?? state}: ${cut(reason, longestReason)}`;
    return [
      words,
      grade === null
        ? verdictWord(null, 'no grade')
        : verdictWord(isGood(score), `${grade} ${String(score)}`),
      markup`${weight} %`,
      markup`${codes.length}`,
      standing,
    ];
  });
  return tableSection(
    'Five categories',
    cellTable(['Category', 'Grade', 'Weight', 'Findings', 'State'], rows),
  );
}

function isGood(score: number | null): boolean | null {
  return score === null ? null : score >= 70;
}

function capSection({ caps: all }: Health): Markup {
  if (all.length === 0) return nothing;
  const rows = all
    .slice(0, mostRows)
    .map(({ limit, reason, category }) => [
      markup`${limit}`,
      markup`${cut(reason, longestReason)}`,
      markup`${category === null ? '–' : categoryWords[category]}`,
    ]);
  return tableSection('What limits the grade', cellTable(['At best', 'Because', 'Category'], rows));
}

function costSection({ worstFindings: all }: Health): Markup {
  if (all.length === 0) return nothing;
  const rows = all
    .slice(0, mostRows)
    .map(({ title, category, scoreEffect }) => [
      markup`${cut(title, longestReason)}`,
      markup`${categoryWords[category]}`,
      markup`${String(scoreEffect).replace('-', '−')}`,
    ]);
  return tableSection('What costs the most', cellTable(['Finding', 'Category', 'Points of the score'], rows));
}

const rowHeight = 44;
const boxWidth = 260;
const endLeft = 420;
const width = endLeft + boxWidth + 2;

/** http and https, with and without www: where a visitor who starts there ends. */
function entrySection({ entryPoints: all }: Health): Markup {
  if (all.length === 0) return nothing;
  const shown = all.slice(0, mostRows);
  const picture = markup`<svg width="${width}" viewBox="0 0 ${width} ${shown.length * rowHeight}" role="img" aria-label="Where ${shown.length} entry points end; the table below says the same.">
${shown.map(drawEntry)}</svg>`;
  const rows = shown.map((point) => [
    markup`<bdi class="value">${cut(point.url, longestReason)}</bdi>`,
    markup`<bdi class="value">${cut(point.finalUrl ?? '–', longestReason)}</bdi>`,
    verdictWord(point.state === 'unknown' ? null : point.state === 'ok', endWords(point)),
    markup`${cut(point.reason ?? '–', longestReason)}`,
  ]);
  return figure('Entry points', picture, cellTable(['Start', 'End', 'State', 'Why'], rows));
}

const tones = { ok: 'pass', invalid: 'high', missing: 'info', unknown: 'info' } as const;

function drawEntry(point: EntryPoint, index: number): Markup {
  const y = index * rowHeight + 6;
  const middle = y + 16;
  const end = point.state === 'missing' ? 'no server answers' : (point.finalUrl ?? point.ended ?? 'unknown');
  return markup`<g class="${tones[point.state]}"><rect class="box" x="1" y="${y}" width="${boxWidth}" height="32" rx="5"/><text x="10" y="${middle + 5}">${shorten(point.url)}</text>
<path class="wire" d="M${boxWidth + 1} ${middle}H${endLeft - 9}"/><path class="band" d="M${endLeft} ${middle}l-9 -5v10z"/><text class="small quiet" x="${(boxWidth + endLeft) / 2}" y="${middle - 5}" text-anchor="middle">${endWords(point)}</text>
<rect class="box" x="${endLeft}" y="${y}" width="${boxWidth}" height="32" rx="5"/><text x="${endLeft + 10}" y="${middle + 5}">${shorten(end)}</text></g>
`;
}

function endWords({ state, redirects, finalStatus }: EntryPoint): string {
  if (state === 'missing') return 'nothing there';
  const hops = redirects === null ? '' : `${redirects} ${redirects === 1 ? 'redirect' : 'redirects'}`;
  return [hops, finalStatus === null ? state : String(finalStatus)].filter((part) => part !== '').join(', ');
}

function shorten(text: string): string {
  return text.length > 32 ? `${clip(text, 31)}…` : text;
}
