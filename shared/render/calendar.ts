import { hash } from 'node:crypto';
import { visible } from './visible-text.ts';

/** A moment that a calendar shows. */
export type CalendarEvent = {
  /** What it is about: the same in every calendar, so that a calendar program replaces what it knows of it. */
  readonly about: string;
  /** Unix ms. */
  readonly at: number;
  /** One line. */
  readonly summary: string;
  readonly description: string;
};

/** A calendar of moments. */
export type Calendar = {
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
    // It takes nobody's time.
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
