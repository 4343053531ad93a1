import type { Report } from '../model/report.ts';
import { type CheckFormatName, checkFormats, type Format, isCheckFormat } from './check-formats.ts';
import { renderCsv } from './csv.ts';
import { renderHtml } from './html/page.ts';
import { renderJunit } from './junit.ts';
import { renderMarkdown } from './markdown.ts';
import { targetOf } from './report-words.ts';
import { renderSarif } from './sarif.ts';
import { jsonText } from './visible-text.ts';

/** Every export format: name in `?format=` → how it is made and called. The first is the default. */
export const formats = {
  json: {
    contentType: 'application/json; charset=utf-8',
    extension: 'json',
    purpose: 'the whole report, indented',
    render: renderJson,
  },
  html: {
    contentType: 'text/html; charset=utf-8',
    extension: 'html',
    purpose: 'one page without scripts, to read and to print',
    render: renderHtml,
  },
  md: {
    contentType: 'text/markdown; charset=utf-8; variant=GFM',
    extension: 'md',
    purpose: 'for issues and tickets',
    render: renderMarkdown,
  },
  csv: {
    contentType: 'text/csv; charset=utf-8; header=present',
    extension: 'csv',
    purpose: 'a row for each finding',
    render: renderCsv,
  },
  sarif: {
    contentType: 'application/sarif+json; charset=utf-8',
    extension: 'sarif',
    purpose: 'SARIF 2.1.0, for code scanning',
    render: renderSarif,
  },
  junit: {
    contentType: 'application/xml; charset=utf-8',
    extension: 'xml',
    purpose: 'a test case for each rule, for CI servers',
    render: renderJunit,
  },
} as const satisfies Record<string, Format>;

export type FormatName = keyof typeof formats;

/** The names, in the order of the table. */
export const formatNames = Object.keys(formats) as [FormatName, ...FormatName[]];

/** The format that no text is rendered for: a browser prints the page. */
export const pdf = {
  name: 'pdf',
  contentType: 'application/pdf',
  extension: 'pdf',
  purpose: 'the page on paper (A4, tagged); made by a browser of this service, and 503 where it has none',
} as const;

/** The names of all formats of texts. */
export const exportNames = [...formatNames, ...(Object.keys(checkFormats) as CheckFormatName[])] as const;

/** The formats in which a report of a check can be had as a text. */
export function exportNamesOf(check: string): readonly (FormatName | CheckFormatName)[] {
  return exportNames.filter((name) => !isCheckFormat(name) || checkFormats[name].of === check);
}

/** Tells a format's name from any other text. */
export function isFormatName(text: string): text is FormatName {
  return Object.hasOwn(formats, text);
}

/** A stored report as text, with its media type and file extension. Pure: the same report always gives the same text. */
export function renderReport(
  report: Report,
  format: FormatName | CheckFormatName,
): { readonly contentType: string; readonly extension: string; readonly text: string } {
  const { contentType, extension, render } = isCheckFormat(format) ? checkFormats[format] : formats[format];
  return { contentType, extension, text: render(report) };
}

/** The whole report, indented by two; the same value as the tool's own answer. */
function renderJson(report: Report): string {
  return `${jsonText(report, 2)}\n`;
}

const longestHost = 100;

/**
 * "diag-example.com-redirect-check-2026-11-21.html": only a–z, 0–9, dot and hyphen, so that it can stand in a header and on
 * any disk.
 */
export function fileNameOf(report: Report, extension: string): string {
  const target = targetOf(report);
  const host = URL.parse(target)?.hostname ?? target;
  const words = [host.slice(0, longestHost), report.check, report.checkedAt.slice(0, 10)].map(plainName);
  return `diag-${words.filter((word) => word !== '').join('-')}.${extension}`;
}

function plainName(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9.-]+/g, '-')
    .replace(/\.{2,}/g, '.')
    .replace(/^[-.]+|[-.]+$/g, '');
}
