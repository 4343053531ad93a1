import { hash } from 'node:crypto';
import { z } from 'zod';
import { type Expiry, expirySchema } from '../catalogue/domain-health/report.ts';
import { countOf, spanWords } from '../model/counts.ts';
import type { Report } from '../model/report.ts';
import { targetOf } from './report-words.ts';
import { cut, visible } from './visible-text.ts';

/** What it is, as a clause begins. */
const subjects: { readonly [W in Expiry['what']]: string } = {
  domain: 'the registration',
  certificate: 'the certificate',
  signature: 'the DNSSEC signature',
  ocsp: 'the stapled OCSP answer',
  crl: 'the revocation list of the certificate',
  'security-txt': 'security.txt',
};

const shape = z.looseObject({ expiries: z.array(z.unknown()) });
const longestName = 300;

/** Each state as a reader calls it. */
export const expiryStateWords: { readonly [S in Expiry['state']]: string } = {
  ok: 'in time',
  soon: 'soon',
  past: 'past',
};

/** What a domain-health report tells of things that end, the earliest first; none in a report that has no such list. */
export function expiriesOf(report: Report): readonly Expiry[] {
  const { expiries } = shape.safeParse(report).data ?? { expiries: [] };
  return expiries.flatMap((one) => expirySchema.safeParse(one).data ?? []);
}

/** "example.com: the registration ends" */
export function expiryWords({ what, name }: Pick<Expiry, 'what' | 'name'>): string {
  return `${cut(name, longestName)}: ${subjects[what]} ends`;
}

/** "in 40 days", or "1 day ago", at the time of the report. @param atMs Unix time */
export function leftWords(
  { daysLeft, expiresAt }: Pick<Expiry, 'daysLeft' | 'expiresAt'>,
  atMs: number,
): string {
  const agoMs = atMs - Date.parse(expiresAt);
  return agoMs >= 0 ? `${spanWords(agoMs)} ago` : inDays(daysLeft);
}

/** "in 40 days" of whole days that are left. */
export function inDays(daysLeft: number): string {
  return daysLeft < 1 ? 'in less than a day' : `in ${countOf(daysLeft, 'day')}`;
}

/** A calendar of what a domain-health report saw to end. */
export function renderIcs(report: Report): string {
  const seen = new Map<string, number>();
  const events = expiriesOf(report).map((expiry): CalendarEvent => {
    // A host may have two certificates.
    const thing = `${expiry.what} ${expiry.name}`;
    const count = seen.get(thing) ?? 0;
    seen.set(thing, count + 1);
    return {
      about: count === 0 ? thing : `${thing} ${count}`,
      at: Date.parse(expiry.expiresAt),
      summary: expiryWords(expiry),
      description: `Seen by domain-health of ${targetOf(report)} at ${report.checkedAt}.`,
    };
  });
  const writtenAt = Date.parse(report.checkedAt);
  return writeCalendar({ name: `Expiries of ${targetOf(report)}`, writtenAt, events });
}

/** A moment that a calendar shows. */
type CalendarEvent = {
  /** What it is about: the same in every calendar, so that a calendar program replaces what it knows of it. */
  readonly about: string;
  /** Unix ms. */
  readonly at: number;
  /** One line. */
  readonly summary: string;
  readonly description: string;
};

/** A calendar of moments. */
type Calendar = {
  readonly name: string;
  /** When it was written, Unix ms: the same report always gives the same text. */
  readonly writtenAt: number;
  readonly events: readonly CalendarEvent[];
};

/** Writes a calendar as RFC 5545 has it. Every text of a target is escaped, and shows what cannot be seen in it. */
export function writeCalendar({ name, writtenAt, events }: Calendar): string {
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Diagnostic Tools//Expiries//EN',
    'CALSCALE:GREGORIAN',
    'METHOD:PUBLISH',
    `X-WR-CALNAME:${escapeText(name)}`,
    // A calendar has a component at least (RFC 5545 §3.6).
    ...(events.length === 0 ? universalTime : events.flatMap((event) => eventLines(event, writtenAt))),
    'END:VCALENDAR',
  ];
  return lines.map((line) => `${fold(line)}\r\n`).join('');
}

function eventLines(
  { about, at, summary, description }: CalendarEvent,
  writtenAt: number,
): readonly string[] {
  return [
    'BEGIN:VEVENT',
    `UID:${hash('sha256', about, 'hex').slice(0, 32)}@diagnostic-tools`,
    `DTSTAMP:${writeTime(writtenAt)}`,
    `DTSTART:${writeTime(at)}`,
    `SUMMARY:${escapeText(summary)}`,
    `DESCRIPTION:${escapeText(description)}`,
    // The event is all-day and marked as free time.
    'TRANSP:TRANSPARENT',
    'END:VEVENT',
  ];
}

const universalTime = [
  'BEGIN:VTIMEZONE',
  'TZID:UTC',
  'BEGIN:STANDARD',
  'DTSTART:19700101T000000',
  'TZOFFSETFROM:+0000',
  'TZOFFSETTO:+0000',
  'END:STANDARD',
  'END:VTIMEZONE',
];

/** RFC 5545 §3.3.5, form 2. */
function writeTime(ms: number): string {
  return `${new Date(ms)
    .toISOString()
    .replace(/\.\d+Z$/, '')
    .replace(/[-:]/g, '')}Z`;
}

/** RFC 5545 §3.3.11. */
function escapeText(text: string): string {
  return visible(text).replace(/[\\;,]/g, '\\$&');
}

/** Octets of a line, its end left out (RFC 5545 §3.1). */
const longestLine = 75;

// Between octets of one character a reader would see two broken ones, so lines end before it.
function fold(line: string): string {
  if (line.length * 3 <= longestLine) return line;
  const lines: string[] = [];
  let current = '';
  let octets = 0;
  for (const character of line) {
    const size = Buffer.byteLength(character);
    if (octets + size > longestLine) {
      lines.push(current);
      current = ' ';
      octets = 1;
    }
    current += character;
    octets += size;
  }
  return [...lines, current].join('\r\n');
}
