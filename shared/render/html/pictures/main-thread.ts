import { pagespeedReportShape } from '../../../catalogue/pagespeed-check/report.ts';
import type { Report } from '../../../model/report.ts';
import { type Markup, markup, nothing } from '../../markup.ts';
import { cut } from '../../visible-text.ts';
import { cellTable, readFields, tableSection } from './figure.ts';

const { mainThread } = pagespeedReportShape;

const mostRows = 20;

/** Lighthouse's groups of work, as people call them. */
const kinds: { readonly [group: string]: string } = {
  scriptEvaluation: 'Running scripts',
  scriptParseCompile: 'Reading scripts',
  styleLayout: 'Styles and layout',
  paintCompositeRender: 'Painting',
  parseHTML: 'Reading HTML and CSS',
  garbageCollection: 'Freeing memory',
  other: 'Other work',
};

/** What kept the main thread busy: by kind, by script and by who is behind the scripts. Nothing where that was not seen. */
export function drawMainThread(report: Report): Markup {
  const busy = readBusy(report);
  if (!busy || busy.totalMs === 0) return nothing;
  const { totalMs, byKind, scripts, owners } = busy;
  const most = Math.max(1, ...Object.values(byKind));
  const ofKind = Object.entries(byKind)
    .slice(0, mostRows)
    .map(([kind, ms]) => [
      markup`${kinds[kind] ?? cut(kind, 40)}`,
      markup`${Math.round(ms)} ms`,
      markup`<svg class="low" width="160" height="10" viewBox="0 0 160 10" aria-hidden="true"><rect class="bar" width="${Math.round((ms / most) * 160)}" height="10"/></svg>`,
    ]);
  const ofScript = scripts
    .slice(0, mostRows)
    .map(({ url, owner, isThirdParty, totalMs: ms, scriptingMs }) => [
      markup`<bdi class="value">${cut(url ?? 'The browser’s own work', 200)}</bdi>`,
      markup`${isThirdParty ? cut(owner ?? 'another site', 100) : url === null ? '–' : 'this site'}`,
      markup`${Math.round(ms)} ms`,
      markup`${Math.round(scriptingMs)} ms`,
    ]);
  return markup`${tableSection(`What keeps the main thread busy (${Math.round(totalMs)} ms in all)`, cellTable(['Work', 'Time', 'Share'], ofKind))}${
    ofScript.length === 0
      ? nothing
      : tableSection('Busy scripts', cellTable(['Script', 'Of', 'Time', 'Of it running'], ofScript))
  }${drawOwners(owners)}`;
}

type Owners = NonNullable<ReturnType<typeof readBusy>>['owners'];

function readBusy(report: Report) {
  return readFields(report, { mainThread })?.mainThread;
}

function drawOwners(owners: Owners): Markup {
  const rows = owners
    .slice(0, mostRows)
    .map(({ owner, isThirdParty, totalMs }) => [
      markup`<bdi class="value">${cut(owner, 100)}</bdi>`,
      markup`${isThirdParty ? 'another site' : 'this site'}`,
      markup`${Math.round(totalMs)} ms`,
    ]);
  // One owner alone says nothing that the scripts do not say.
  return rows.length < 2
    ? nothing
    : tableSection('Busy scripts by owner', cellTable(['Owner', 'Of', 'Time'], rows));
}
