import type { Report } from '../model/report.ts';
import { renderIcs } from './expiries.ts';
import { renderHar } from './har.ts';

/** How a report is written as a text, and what the text is called. */
export type Format = {
  readonly contentType: string;
  /** Of a saved file, without the dot. */
  readonly extension: string;
  /** One line for the documentation and for error messages. */
  readonly purpose: string;
  readonly render: (report: Report) => string;
};

/** Formats of the reports of one check: beside the others, and refused for every other check. */
export const checkFormats = {
  ics: {
    of: 'domain-health',
    contentType: 'text/calendar; charset=utf-8',
    extension: 'ics',
    purpose: 'a calendar of what expires when; of domain-health alone',
    render: renderIcs,
  },
  har: {
    of: 'pagespeed-check',
    contentType: 'application/har+json; charset=utf-8',
    extension: 'har',
    purpose: 'HTTP Archive 1.2, the requests of the page; of pagespeed-check alone',
    render: renderHar,
  },
} as const satisfies Record<string, Format & { readonly of: string }>;

export type CheckFormatName = keyof typeof checkFormats;

/** Tells the name of a format of one check from any other text. */
export function isCheckFormat(text: string): text is CheckFormatName {
  return Object.hasOwn(checkFormats, text);
}
