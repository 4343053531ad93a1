import { z } from 'zod';
import { partStates } from '../part-state.ts';

const state = z.enum(partStates).meta({
  description: 'unknown: the DNS gave no answer (timeout, SERVFAIL); it is never taken for missing.',
});
const count = z.int().min(0);

const faultSchema = z
  .looseObject({
    position: z
      .int()
      .min(1)
      .meta({ description: 'Character of the record where it goes wrong; 1 is the first.' }),
    term: z.string().meta({ description: 'The word, tag or line that is wrong.' }),
    problem: z.string(),
  })
  .meta({ id: 'RecordFault' });

const spfTermSchema = z
  .looseObject({
    term: z.string(),
    position: z.int().min(1),
    lookups: count.meta({ description: 'Lookups of this term and of all it includes.' }),
    void: z.boolean().optional().meta({ description: 'True when its lookup finds nothing.' }),
  })
  .meta({ id: 'SpfTerm' });

/** One SPF record and all that it includes. */
export const spfNodeSchema = z
  .looseObject({
    domain: z.string(),
    via: z.string().nullable().meta({ description: 'The term that leads here; null at the root.' }),
    state,
    reason: z.string().optional(),
    record: z.string().nullable(),
    lookups: count.meta({ description: 'Lookups of this record and of all below it.' }),
    voidLookups: count,
    terms: z.array(spfTermSchema),
    faults: z.array(faultSchema),
    get children() {
      return z.array(spfNodeSchema);
    },
  })
  .meta({ id: 'SpfNode' });

const spfVerdictSchema = z
  .looseObject({
    ip: z.string(),
    sender: z.string(),
    helo: z.string(),
    result: z.enum(['none', 'neutral', 'pass', 'fail', 'softfail', 'temperror', 'permerror']),
    lookups: count.meta({ description: 'Lookups that the evaluation made before its answer.' }),
    explanation: z.string().optional(),
    comment: z.string().optional(),
  })
  .meta({ id: 'SpfVerdict' });

const spfSchema = z
  .looseObject({
    state,
    record: z.string().nullable(),
    valid: z.boolean().nullable().meta({ description: 'null when it could not be seen.' }),
    all: z
      .string()
      .nullable()
      .meta({ description: 'What happens to all others: "-all", "~all", "?all", "+all", or null.' }),
    lookups: count.nullable().meta({
      description:
        'For a message that no term matches; at most 10 are allowed. Above 10 it is the least there is: what is behind the first ten is not looked at.',
    }),
    voidLookups: count.nullable(),
    complete: z.boolean().meta({
      description:
        'False where a branch could not be followed to its end, or was not as more than ten lookups are needed.',
    }),
    tree: spfNodeSchema.nullable(),
    effectiveFor: spfVerdictSchema.optional(),
    mxHosts: z.array(spfVerdictSchema.extend({ host: z.string() })),
  })
  .meta({ id: 'Spf' });

const reportUriSchema = z
  .looseObject({ uri: z.string(), authorised: z.boolean().nullable(), problem: z.string().optional() })
  .meta({ id: 'ReportUri' });

const policy = z.enum(['none', 'quarantine', 'reject']);

const dmarcSchema = z
  .looseObject({
    state,
    record: z.string().nullable(),
    valid: z.boolean().nullable(),
    location: z.string().nullable().meta({ description: 'The domain whose record applies.' }),
    orgDomain: z.string().nullable(),
    policy: policy.nullable(),
    subdomainPolicy: policy.nullable(),
    nonExistentPolicy: policy.nullable(),
    effectivePolicy: policy.nullable().meta({ description: 'For this very name, test mode counted in.' }),
    testing: z.boolean(),
    tags: z.array(z.looseObject({ tag: z.string(), value: z.string(), position: z.int().min(1) })),
    queries: z
      .array(z.looseObject({ name: z.string(), found: z.enum(['record', 'none', 'several', 'unknown']) }))
      .meta({ description: 'The DNS tree walk (RFC 9989 §4.10), longest name first.' }),
    rua: z.array(reportUriSchema),
    ruf: z.array(reportUriSchema),
    faults: z.array(faultSchema),
  })
  .meta({ id: 'Dmarc' });

const dkimSchema = z
  .looseObject({
    state,
    subtreeExists: z
      .boolean()
      .nullable()
      .meta({ description: 'Whether any selector can exist at all (RFC 8020); null when unknown.' }),
    selectors: z.array(
      z
        .looseObject({
          selector: z.string(),
          source: z.enum(['caller', 'provider', 'common']),
          state,
          alias: z.string().nullable(),
          record: z.string().nullable(),
          keyType: z.string().nullable(),
          bits: z.int().nullable(),
          revoked: z.boolean(),
          testing: z.boolean(),
        })
        .meta({ id: 'DkimSelector' }),
    ),
  })
  .meta({ id: 'Dkim' });

const mtaStsSchema = z
  .looseObject({
    state,
    record: z.string().nullable(),
    id: z.string().nullable(),
    policy: z.looseObject({ mode: z.string(), mx: z.array(z.string()), maxAge: z.int() }).nullable(),
    policyUrl: z.string(),
    certificate: z
      .object({ notBefore: z.iso.datetime(), notAfter: z.iso.datetime() })
      .optional()
      .meta({ description: 'Of the host of the policy; absent where it was not seen.' }),
    mxMatch: z.boolean().nullable().meta({ description: 'Whether the policy allows every mail host.' }),
  })
  .meta({ id: 'MtaSts' });

const tlsRptSchema = z
  .looseObject({ state, record: z.string().nullable(), rua: z.array(z.string()) })
  .meta({ id: 'TlsRpt' });

const logoFileSchema = z
  .looseObject({
    url: z.string().meta({ description: 'Where it was found, after redirects.' }),
    sizeBytes: count.nullable().meta({ description: 'Without compression; null above what is read.' }),
    compressed: z.boolean(),
    title: z.string().nullable(),
    width: z.number().nullable(),
    height: z.number().nullable(),
  })
  .meta({ id: 'BimiLogo' });

const markCertificateSchema = z
  .looseObject({
    url: z.string(),
    kind: z.enum(['VMC', 'CMC']).nullable().meta({ description: 'null where the certificate does not say.' }),
    subject: z.string(),
    issuer: z.string(),
    names: z.string(),
    validFrom: z.string(),
    validUntil: z.string(),
    trusted: z.null().meta({
      description:
        'Not judged: which mark authorities are recognised is a list that each mail program keeps.',
    }),
  })
  .meta({ id: 'MarkCertificate' });

const bimiSchema = z
  .looseObject({
    state,
    record: z.string().nullable(),
    logo: z.string().nullable(),
    authority: z.string().nullable().meta({ description: 'Address of the mark certificate.' }),
    logoFile: logoFileSchema.nullish().meta({ description: 'null where it could not be fetched.' }),
    certificate: markCertificateSchema.nullish().meta({ description: 'null where none could be read.' }),
  })
  .meta({ id: 'Bimi' });

const tlsaSchema = z.looseObject({
  usage: z.int(),
  selector: z.int(),
  matchingType: z.int(),
  certificate: z.string(),
  usable: z.boolean(),
});

const mxSchema = z
  .looseObject({
    state,
    nullMx: z.boolean(),
    implicit: z.boolean().meta({ description: 'No MX record: the domain itself is the mail host.' }),
    hosts: z.array(
      z
        .looseObject({
          host: z.string(),
          preference: z.int(),
          addresses: z.array(z.string()),
          ptr: z.array(
            z.looseObject({
              address: z.string(),
              names: z.array(z.string()),
              confirmed: z.boolean().nullable(),
            }),
          ),
          tlsa: z.looseObject({ state, secure: z.boolean().nullable(), records: z.array(tlsaSchema) }),
        })
        .meta({ id: 'MailHost' }),
    ),
  })
  .meta({ id: 'Mx' });

const mailScorePartSchema = z
  .looseObject({
    part: z.string(),
    weight: z.number(),
    state,
    score: z.number().nullable().meta({ description: '0 to weight; null when the part does not count.' }),
    lost: z.array(z.looseObject({ code: z.string(), points: z.number() })),
  })
  .meta({ id: 'MailScorePart' });

/** The fields of dns-check that the mail half gives. */
export const mailReportShape = {
  mailMode: z
    .enum(['mail', 'parked', 'unknown'])
    .meta({ description: 'parked: the domain neither takes nor sends mail, and is judged as such.' }),
  spf: spfSchema,
  dmarc: dmarcSchema,
  dkim: dkimSchema,
  mtaSts: mtaStsSchema,
  tlsRpt: tlsRptSchema,
  bimi: bimiSchema,
  mx: mxSchema,
  mailScore: z.number().min(0).max(100).nullable(),
  mailScoreParts: z.array(mailScorePartSchema).meta({
    description:
      'How mailScore comes about: the kept points of the parts that count, as a share of their weights.',
  }),
};

const mailFieldsSchema = z.object(mailReportShape);
export type MailFields = z.infer<typeof mailFieldsSchema>;
/** `parked`: the domain neither takes nor sends mail. `unknown`: the DNS did not say enough. */
export type MailMode = MailFields['mailMode'];
export type SpfNode = z.infer<typeof spfNodeSchema>;
