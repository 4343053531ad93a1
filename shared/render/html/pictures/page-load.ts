import { z } from 'zod';
import { pagespeedReportShape } from '../../../catalogue/pagespeed-check/report.ts';
import { countOf } from '../../../model/counts.ts';
import type { Report } from '../../../model/report.ts';
import { type Markup, markup, nothing, printMarkup } from '../../markup.ts';
import { clip, cut } from '../../visible-text.ts';
import {
  addressOf,
  cellTable,
  exportLink,
  figure,
  type Links,
  readFields,
  scrollable,
  tableSection,
} from '../tables.ts';

const { filmstrip, requests, screenshot } = pagespeedReportShape;
type Request = NonNullable<
  NonNullable<NonNullable<ReturnType<typeof readRequests>>['requests']>['entries']
>[number];

const mostRequests = 50;

/** How the page looked while it loaded; nothing where the pictures have no address, as in a file. */
export function drawFrames(report: Report, links: Links): Markup {
  const seen = readFields(report, { filmstrip, screenshot });
  const address = addressOf(report.reportId, links);
  if (!seen || address === undefined) return nothing;
  const taken = seen.filmstrip ?? [];
  // A report without pictures of the load may still have the last one.
  const last = seen.screenshot ? [{ atMs: 0, ...seen.screenshot }] : [];
  const frames = taken.length > 0 ? taken : last;
  if (frames.length === 0) return nothing;
  const { width, height } = sizeOfFilmstrip(frames);
  const words =
    taken.length > 0
      ? `The page at ${taken.length} moments while it loaded: ${taken.map(timeOf).join(', ')}.`
      : 'The page after it had loaded.';
  return markup`<section class="picture"><h2>${taken.length > 0 ? 'How the page appeared' : 'How the page looked'}</h2>
${scrollable('Pictures of the page', markup`<img class="strip" src="${address}/filmstrip.svg" width="${width}" height="${height}" alt="${words}" loading="lazy" decoding="async">`)}
<p class="hint">Seen by this service while it measured${taken.length > 0 ? ', without the slow line that the metrics are computed for' : ''}.</p></section>
`;
}

function readRequests(report: Report) {
  return readFields(report, { requests });
}

const rowHeight = 20;
const labelWidth = 236;
const chartWidth = 380;
const width = labelWidth + chartWidth + 74;
const axisHeight = 22;

/** Lighthouse's kind of a request → the colour of its bar; the kind also stands in each row. */
const tones: { readonly [type: string]: string } = {
  Document: 'ttfb',
  Script: 'tcp',
  Stylesheet: 'tls',
  Image: 'download',
  Font: 'dns',
};
const otherTone = 'wait';

/** What the page asked for, and when: each request from its start to its end. Nothing where that was not seen. */
export function drawRequests(report: Report, links: Links): Markup {
  const seen = readRequests(report)?.requests;
  const shown = seen?.entries?.slice(0, mostRequests) ?? [];
  if (!seen || shown.length === 0) return nothing;
  const endMs = Math.max(1, ...shown.map((request) => request.endMs));
  const height = axisHeight + shown.length * rowHeight;
  const foreign = shown.filter(({ isThirdParty }) => isThirdParty).length;
  const counted =
    seen.total > shown.length
      ? `first ${shown.length} of ${seen.total} requests`
      : countOf(shown.length, 'request');
  const picture = markup`<svg width="${width}" viewBox="0 0 ${width} ${height}" role="img" aria-label="Waterfall of the ${counted}, ${endMs} ms in all; the table below says the same.">
${drawAxis(endMs, height)}${shown.map((request, index) => drawRow(request, axisHeight + index * rowHeight, chartWidth / endMs))}</svg>
<ul class="legend">${[...Object.entries(tones), ['Other', otherTone] as const].map(([type, tone]) => markup`<li><svg class="mark" viewBox="0 0 16 16" aria-hidden="true"><rect class="phase-${tone}" width="16" height="16"/></svg> ${type}</li>`)}<li><b>↗</b> another site (${foreign})</li></ul>`;
  const heads = ['Request', 'Kind', 'Of', 'Status', 'Start', 'End', 'Size'];
  const upright = markup`<ol class="requests">${shown.map((request) => requestItem(request, 100 / endMs))}</ol>`;
  const table = cellTable(heads, shown.map(cellsOf));
  return markup`${figure(`Requests of the page (${counted})`, { wide: picture, upright, table })}${exportLink(report, links, 'har', 'Save the requests as an HTTP Archive (HAR)')}${drawOwners(seen.entries ?? [])}`;
}

const mostOwners = 20;

/** Who is behind the requests of other sites, the heaviest first; nothing where there are none. */
function drawOwners(entries: readonly Request[]): Markup {
  const owners = new Map<string, { requests: number; bytes: number; fromMs: number; toMs: number }>();
  for (const { url, owner, isThirdParty, bytes, startMs, endMs } of entries) {
    if (!isThirdParty) continue;
    const name = owner ?? URL.parse(url)?.hostname ?? 'unknown';
    const sum = owners.get(name) ?? { requests: 0, bytes: 0, fromMs: startMs, toMs: endMs };
    sum.requests += 1;
    sum.bytes += bytes;
    sum.fromMs = Math.min(sum.fromMs, startMs);
    sum.toMs = Math.max(sum.toMs, endMs);
    owners.set(name, sum);
  }
  const rows = [...owners]
    .toSorted(([, one], [, other]) => other.bytes - one.bytes)
    .slice(0, mostOwners)
    .map(([name, { requests: count, bytes, fromMs, toMs }]) => [
      markup`<bdi class="value">${cut(name, 100)}</bdi>`,
      markup`${count}`,
      markup`${sizeWords(bytes)}`,
      markup`${fromMs} to ${toMs} ms`,
    ]);
  if (rows.length === 0) return nothing;
  return tableSection('Third parties by owner', cellTable(['Owner', 'Requests', 'Size', 'When'], rows));
}

function drawAxis(endMs: number, height: number): Markup {
  const steps = [0, 0.25, 0.5, 0.75, 1];
  return markup`${steps.map((step) => {
    const x = labelWidth + step * chartWidth;
    return markup`<path class="track" d="M${x} ${axisHeight - 4}V${height}"/><text class="small quiet" x="${x}" y="12" text-anchor="middle">${Math.round(step * endMs)} ms</text>`;
  })}
`;
}

function drawRow(request: Request, y: number, scale: number): Markup {
  const { startMs, endMs, type, bytes, isThirdParty } = request;
  const left = labelWidth + startMs * scale;
  const length = Math.max(2, (endMs - startMs) * scale);
  return markup`<text class="small" x="0" y="${y + 14}">${isThirdParty ? '↗ ' : ''}${nameOf(request)}</text><rect class="phase-${tones[type] ?? otherTone}" x="${round(left)}" y="${y + 4}" width="${round(length)}" height="12"/><text class="small quiet" x="${width}" y="${y + 14}" text-anchor="end">${sizeWords(bytes)}</text>
`;
}

/** The whole width stands for the time from the first to the last. */
function requestItem(request: Request, scale: number): Markup {
  const { startMs, endMs, type, bytes, isThirdParty } = request;
  const bar = markup`<svg class="lane" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true"><rect class="bar-track" width="100" height="4"/><rect class="phase-${tones[type] ?? otherTone}" x="${round(startMs * scale)}" width="${round(Math.max(1, (endMs - startMs) * scale))}" height="4"/></svg>`;
  return markup`<li>${isThirdParty ? '↗ ' : ''}${nameOf(request)}${bar}<span class="facts">${cut(type, 40)}, ${startMs} to ${endMs} ms, ${sizeWords(bytes)}</span></li>
`;
}

function cellsOf(request: Request): readonly Markup[] {
  const { url, type, status, startMs, endMs, bytes, isThirdParty } = request;
  return [
    markup`<bdi class="value">${cut(url, 200)}</bdi>`,
    markup`${cut(type, 40)}`,
    markup`${isThirdParty ? 'another site' : 'this site'}`,
    markup`${status === 0 ? 'no answer' : status}`,
    markup`${startMs} ms`,
    markup`${endMs} ms`,
    markup`${sizeWords(bytes)}`,
  ];
}

const longestName = 34;

/** What tells requests apart: the last part of the path, or the host of a foreign one; the whole address is in the table. */
function nameOf({ url, isThirdParty }: Request): string {
  const parsed = URL.parse(url);
  const file = parsed?.pathname.split('/').findLast((part) => part !== '') ?? '/';
  const name = isThirdParty ? `${parsed?.hostname ?? ''} ${file}` : file;
  return name.length > longestName ? `${clip(name, longestName - 1)}…` : name;
}

function sizeWords(bytes: number): string {
  return bytes < 1024 ? `${bytes} B` : `${Math.round(bytes / 1024)} KiB`;
}

function round(pixels: number): number {
  return Math.round(pixels * 10) / 10;
}

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
  }${drawBusyOwners(owners)}`;
}

type Owners = NonNullable<ReturnType<typeof readBusy>>['owners'];

function readBusy(report: Report) {
  return readFields(report, { mainThread })?.mainThread;
}

function drawBusyOwners(owners: Owners): Markup {
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

/** A picture of a page while it loaded, by what a report says of it. */
type FrameSize = { readonly atMs: number; readonly width: number; readonly height: number };
/** One with its bytes, in base64. */
export type FramePicture = FrameSize & {
  readonly type: 'image/jpeg' | 'image/png' | 'image/webp';
  readonly base64: string;
};

const frameHeight = 180;
const labelHeight = 24;
const gap = 8;
const widest = 320;
const mostFrames = 12;

/** How the kept filmstrip of a report must come out of the store. */
export const filmstripSchema = z
  .array(
    z.object({
      atMs: z.number().min(0),
      width: z.int().min(1),
      height: z.int().min(1),
      jpeg: z.base64(),
    }),
  )
  .max(mostFrames);

/** The size of the strip in pixels, so that a page leaves room for it. */
function sizeOfFilmstrip(frames: readonly FrameSize[]): {
  readonly width: number;
  readonly height: number;
} {
  const widths = frames.slice(0, mostFrames).map(shownWidth);
  return {
    width: widths.reduce((sum, width) => sum + width + gap, -gap),
    height: frameHeight + labelHeight,
  };
}

/** All frames side by side as one SVG, each with its time below: one request for a page, and nothing in it runs. */
export function drawFilmstrip(frames: readonly FramePicture[]): string {
  const shown = frames.slice(0, mostFrames);
  const { width, height } = sizeOfFilmstrip(shown);
  let x = 0;
  const drawn = shown.map((frame): Markup => {
    const [left, own] = [x, shownWidth(frame)];
    x += own + gap;
    return markup`<image x="${left}" width="${own}" height="${frameHeight}" href="data:${frame.type};base64,${frame.base64}"/><rect x="${left + 0.5}" y="0.5" width="${own - 1}" height="${frameHeight - 1}" fill="none" stroke="#767d87"/><text x="${left + own / 2}" y="${height - 7}" text-anchor="middle">${timeOf(frame)}</text>
`;
  });
  // Gray that can be read on the page's light and its dark ground: a picture does not know which one it has.
  return printMarkup(markup`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="13" fill="#767d87">
${drawn}</svg>
`);
}

/** "0.4 s". */
function timeOf({ atMs }: Pick<FrameSize, 'atMs'>): string {
  return `${(atMs / 1000).toFixed(1)} s`;
}

function shownWidth({ width, height }: FrameSize): number {
  return Math.min(widest, Math.max(24, Math.round((width / height) * frameHeight)));
}
