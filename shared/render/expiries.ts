import { z } from 'zod';
import { type Expiry, expirySchema } from '../catalogue/domain-health/expiries.ts';
import type { Report } from '../model/report.ts';
import { cut } from './visible-text.ts';

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

/** "in 40 days", from the time of the report. */
export function leftWords({ daysLeft, state }: Pick<Expiry, 'daysLeft' | 'state'>): string {
  if (state === 'past') return 'past';
  if (daysLeft < 1) return 'in less than a day';
  return daysLeft === 1 ? 'in 1 day' : `in ${daysLeft} days`;
}
