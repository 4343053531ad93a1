import { hash } from 'node:crypto';
import { visible } from '../visible-text.ts';

/** Something that ends. */
export type CalendarDate = { readonly what: string; readonly name: string; readonly expiresAt: string };

/** Days on which something ends, as a calendar (RFC 5545). */
export function renderCalendar(dates: readonly CalendarDate[]): string {
  const events = dates.flatMap(({ what, name, expiresAt }) => {
    const day = expiresAt.slice(0, 10).replaceAll('-', '');
    if (!/^\d{8}$/.test(day)) return [];
    return [
      'BEGIN:VEVENT',
      `UID:${hash('sha256', JSON.stringify([what, name, expiresAt])).slice(0, 32)}@diag`,
      `DTSTAMP:${day}T000000Z`,
      `DTSTART;VALUE=DATE:${day}`,
      `SUMMARY:${textOf(`${what} ${name} expires`)}`,
      'TRANSP:TRANSPARENT',
      'END:VEVENT',
    ];
  });
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Diagnostic Tools//watches//EN',
    ...events,
    'END:VCALENDAR',
  ];
  return lines.map((line) => `${fold(line)}\r\n`).join('');
}

function textOf(text: string): string {
  return visible(text)
    .slice(0, longestText)
    .replace(/[\\;,]/g, (sign) => `\\${sign}`);
}

const longestText = 200;
const lineBytes = 75;

/** Lines of at most 75 octets; what follows begins with a space (RFC 5545 §3.1). */
function fold(line: string): string {
  const lines = [''];
  for (const character of line) {
    const last = lines.length - 1;
    const room = last === 0 ? lineBytes : lineBytes - 1;
    if (Buffer.byteLength((lines[last] ?? '') + character) > room) lines.push(character);
    else lines[last] += character;
  }
  return lines.join('\r\n ');
}
