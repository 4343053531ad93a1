import { z } from 'zod';
import { certificateSchema } from '../ssl-check/report.ts';

const text = z.string();

export const addressStates = ['ok', 'temporary', 'refused', 'silent', 'blocked-here', 'unknown'] as const;
export type AddressState = (typeof addressStates)[number];

export const startTlsStates = ['ok', 'missing', 'refused', 'broken', 'unknown'] as const;
export type StartTlsState = (typeof startTlsStates)[number];

export const daneStates = ['ok', 'none', 'mismatch', 'unusable', 'insecure', 'unknown'] as const;
export type DaneState = (typeof daneStates)[number];

export const stsModes = ['enforce', 'testing', 'none', 'unknown'] as const;
export type StsMode = (typeof stsModes)[number];

export const stsStates = ['ok', 'mismatch', 'not-applicable', 'unknown'] as const;
export type StsState = (typeof stsStates)[number];

const addressSchema = z
  .looseObject({
    address: text,
    family: z.union([z.literal(4), z.literal(6)]),
    checkedAt: z.iso.datetime().nullable().meta({
      description:
        'When this address was talked to, for whichever domain; null where it was not, or where each account has a cache of its own. It may be up to an hour before the report.',
    }),
    state: z.enum(addressStates).meta({
      description:
        'ok: it greeted us and answered EHLO. temporary, refused: its own answer to us. blocked-here: this network lets no connection to port 25 out.',
    }),
    reason: text.nullable().meta({ description: 'Why the state is not ok, as a clause.' }),
    greeting: text.nullable().meta({ description: 'The text of the greeting, its lines joined by spaces.' }),
    name: text.nullable().meta({ description: 'The host name in the greeting; null where there is none.' }),
    ehloName: text.nullable().meta({ description: 'The same in the answer to EHLO.' }),
    extensions: z
      .array(text)
      .meta({ description: 'Of the last answer to EHLO, as sent: "SIZE 35882577", "REQUIRETLS".' }),
    startTls: z.enum(startTlsStates).meta({
      description:
        'refused: it offers STARTTLS and declines it, with `startTlsReason`. broken: no handshake was possible, twice.',
    }),
    startTlsReason: text.nullable(),
    protocol: text.nullable().meta({ description: '"TLSv1.3".' }),
    suite: text.nullable(),
    group: text.nullable(),
    oldVersions: z
      .enum(['refused', 'accepted', 'unknown'])
      .meta({ description: 'Whether it still accepts TLS 1.0 or 1.1.' }),
    certificates: z.array(certificateSchema).meta({ description: 'As sent.' }),
    trust: z
      .looseObject({
        trusted: z.boolean().nullable().meta({ description: 'By the roots of browsers, for its name.' }),
        reason: text.nullable(),
      })
      .meta({ id: 'MailTrust' }),
    dane: z.looseObject({ state: z.enum(daneStates), reason: text.nullable() }).meta({ id: 'MailDane' }),
    mtaSts: z
      .looseObject({ mode: z.enum(stsModes), state: z.enum(stsStates), reason: text.nullable() })
      .meta({ id: 'MailMtaSts' }),
  })
  .meta({ id: 'MailAddress' });

export const smtpReportShape = {
  target: z.looseObject({ domain: z.string() }),
  nullMx: z.boolean().nullable().meta({ description: 'The domain says that it takes no mail (RFC 7505).' }),
  implicit: z.boolean().nullable().meta({
    description: 'There is no MX record, so mail goes to the address of the domain itself (RFC 5321 §5.1).',
  }),
  hosts: z
    .array(
      z
        .looseObject({
          host: text,
          preference: z.int(),
          reason: text.nullable().meta({ description: 'Why the host has no addresses here, as a clause.' }),
          tlsa: z
            .array(text)
            .meta({ description: 'The TLSA records that senders use, as in a zone file, cut.' }),
          addresses: z.array(addressSchema),
        })
        .meta({ id: 'MailHostTalk' }),
    )
    .meta({ description: 'The first five by preference, with up to four addresses each.' }),
  hostsLeftOut: z.int().min(0),
  connections: z
    .int()
    .min(0)
    .meta({ description: 'Made for this report; what was known of a host was not asked again.' }),
};
