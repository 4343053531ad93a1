import { z } from 'zod';
import type { FieldsOf } from '../spec.ts';
import { mailReportShape } from './mail/report.ts';
import { partStates } from './part-state.ts';

const dnssecStatuses = ['secure', 'insecure', 'bogus', 'indeterminate'] as const;
export type DnssecStatus = (typeof dnssecStatuses)[number];

const count = z.int().min(0);
const state = z.enum(partStates);
const points = z.number().min(0).max(100).nullable();
const whether = z.boolean().nullable();

const recordSchema = z
  .looseObject({
    data: z.unknown().meta({ description: 'A string, or an object of the type’s fields.' }),
    ttl: count.meta({
      description: 'Seconds; the zone’s own where a name server was asked, else what the resolver has left.',
    }),
  })
  .meta({ id: 'DnsRecord' });

const nameServerSchema = z
  .looseObject({
    name: z.string(),
    ip: z.string(),
    rttMs: z.number().nullable(),
    authoritative: whether,
    serial: count.nullable(),
    tcp: whether,
    edns: whether,
    recursion: whether.meta({ description: 'True when it resolves foreign names for everybody.' }),
    reason: z.string().optional().meta({ description: 'Why it could not be looked at.' }),
  })
  .meta({ id: 'NameServer' });

const nsSchema = z
  .looseObject({
    state,
    zone: z
      .string()
      .nullable()
      .meta({ description: 'The zone that holds the domain: itself, or one above it.' }),
    parentZone: z.string().nullable(),
    parent: z.array(z.string()).nullable().meta({ description: 'As the parent’s servers delegate.' }),
    child: z.array(z.string()).nullable().meta({ description: 'As the zone itself says.' }),
    parentServers: z.looseObject({ known: count.nullable(), asked: count }).optional().meta({
      description: 'How many servers the parent zone has, and how many of their addresses were asked.',
    }),
    servers: z.array(nameServerSchema),
    notAsked: count.meta({ description: 'Addresses beyond our limit.' }),
  })
  .meta({ id: 'NameServers' });

const soaSchema = z
  .looseObject({
    state,
    mname: z.string().optional(),
    rname: z.string().optional(),
    mail: z.string().nullable().optional().meta({ description: 'RNAME as a mail address.' }),
    serial: count.optional(),
    refresh: count.optional(),
    retry: count.optional(),
    expire: count.optional(),
    minimum: count.optional(),
    ttl: count.optional(),
  })
  .meta({ id: 'Soa' });

const dnssecSchema = z
  .looseObject({
    state,
    status: z.enum(dnssecStatuses),
    reason: z.string().meta({ description: 'What the status rests on.' }),
    ds: z.array(
      z.looseObject({
        keyTag: count,
        algorithm: count,
        digestType: count,
        digest: z.string(),
        matches: whether,
      }),
    ),
    keys: z.array(
      z.looseObject({
        keyTag: count,
        algorithm: count,
        algorithmName: z.string(),
        role: z.enum(['key-signing', 'zone-signing', 'revoked', 'other']),
        bits: count.nullable(),
      }),
    ),
    signatures: z.array(
      z.looseObject({
        type: z.string(),
        keyTag: count,
        verdict: z.string(),
        inception: z.string(),
        expiration: z.string(),
      }),
    ),
    signaturesUntil: z
      .string()
      .nullable()
      .meta({ description: 'When the first of the signatures seen ends, ISO 8601.' }),
    resolverValidates: whether,
  })
  .meta({ id: 'Dnssec' });

const caaSchema = z
  .looseObject({
    state,
    at: z.string().nullable().meta({ description: 'The name whose CAA counts; CAs climb up to it.' }),
    records: z.array(z.looseObject({ flags: count, tag: z.string(), value: z.string() })),
    issue: z.array(z.string()).nullable().meta({ description: 'CAs that may issue; null is any.' }),
    issuewild: z.array(z.string()).nullable(),
  })
  .meta({ id: 'Caa' });

const budgetSchema = z
  .looseObject({
    exhausted: z.boolean().meta({ description: 'True when a limit held questions back.' }),
    limits: z
      .array(
        z.looseObject({
          limit: z.enum(['perDomain', 'addresses', 'perAddress']),
          of: z.string().meta({ description: 'The domain or address; empty for a limit of the whole run.' }),
          allowed: count,
          notAsked: count,
        }),
      )
      .meta({ description: 'Limits that were reached. What depends on their questions is not tested.' }),
    namesNotAsked: z
      .array(z.looseObject({ name: z.string(), why: z.string(), record: z.string().nullable() }))
      .meta({ description: 'Names in records that are not public, and the record that names each.' }),
  })
  .meta({ id: 'DnsBudget' });
export type DnsBudget = z.infer<typeof budgetSchema>;

/** What the DNS half adds to the report. */
export const dnsHalfShape = {
  exists: z.boolean().nullable().meta({ description: 'null when the DNS did not say.' }),
  unicodeDomain: z.string(),
  alias: z.array(z.string()).meta({ description: 'The aliases from the domain on, when it is a CNAME.' }),
  records: z
    .record(z.string(), z.array(recordSchema))
    .meta({ description: 'By type; a type that was not answered is absent and stands in recordsUnknown.' }),
  recordsUnknown: z.array(z.looseObject({ type: z.string(), reason: z.string() })),
  ns: nsSchema,
  soa: soaSchema,
  dnssec: dnssecSchema,
  caa: caaSchema,
  dnsScore: points,
};

/** Own fields of the DNS half. */
export type DnsFields = FieldsOf<typeof dnsHalfShape>;

export const dnsReportShape = {
  target: z.looseObject({ domain: z.string() }),
  ...dnsHalfShape,
  ...mailReportShape,
  budget: budgetSchema.optional(),
};
