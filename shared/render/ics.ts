import { z } from 'zod';
import { type Expiry, expirySchema } from '../catalogue/domain-health/expiries.ts';
import type { Report } from '../model/report.ts';
import { type CalendarEvent, writeCalendar } from './calendar.ts';
import { targetOf } from './report-words.ts';
import { cut } from './visible-text.ts';

/** What ends, as a clause begins. */
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

/** What a domain-health report tells of things that end; none in a report that has no such list. */
export function expiriesOf(report: Report): readonly Expiry[] {
  const { expiries } = shape.safeParse(report).data ?? { expiries: [] };
  return expiries.flatMap((one) => expirySchema.safeParse(one).data ?? []);
}

/** "example.com: the registration ends" */
export function expiryWords({ what, name, state }: Pick<Expiry, 'what' | 'name' | 'state'>): string {
  return `${cut(name, longestName)}: ${subjects[what]} ${state === 'past' ? 'has ended' : 'ends'}`;
}

/** A calendar of what ends when. */
export function renderIcs(report: Report): string {
  const writtenAt = Date.parse(report.checkedAt);
  const seen = new Map<string, number>();
  const events = expiriesOf(report).map((expiry): CalendarEvent => {
    // A host may have two certificates.
    const thing = `${expiry.what} ${expiry.name}`;
    const count = seen.get(thing) ?? 0;
    seen.set(thing, count + 1);
    return {
      about: count === 0 ? thing : `${thing} ${count}`,
      at: Date.parse(expiry.expiresAt),
      summary: expiryWords({ ...expiry, state: 'ok' }),
      description: `Seen by domain-health of ${targetOf(report)} at ${report.checkedAt}.`,
    };
  });
  return writeCalendar({ name: `Expiries of ${targetOf(report)}`, writtenAt, events });
}
