import type { Report } from '../model/report.ts';
import { type CalendarEvent, writeCalendar } from './calendar.ts';
import { expiriesOf, expiryWords } from './expiries.ts';
import { targetOf } from './report-words.ts';

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
