import { z } from 'zod';

/** What ends at some time and has to be renewed. */
export const expiringThings = ['domain', 'certificate', 'signature', 'ocsp', 'crl', 'security-txt'] as const;

export const expirySchema = z
  .looseObject({
    what: z.enum(expiringThings).meta({
      description:
        'domain: its registration · certificate · signature: the signatures of the zone (DNSSEC) · ocsp: the stapled answer · crl: the list that the certificate points to · security-txt.',
    }),
    name: z.string().meta({ description: 'The domain, host, zone or address that it belongs to.' }),
    expiresAt: z.iso.datetime(),
    daysLeft: z.int().meta({ description: 'Whole days from `checkedAt`; below 0 once it is past.' }),
    lifetimeDays: z.number().nullable().meta({ description: 'null where it does not tell when it began.' }),
    state: z.enum(['ok', 'soon', 'past']).meta({
      description:
        'soon: less than a third of its lifetime is left, and less than 30 days; of a lifetime below 10 days, less than a quarter.',
    }),
  })
  .meta({ id: 'Expiry' });

export type Expiry = z.infer<typeof expirySchema>;
