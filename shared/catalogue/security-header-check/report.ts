import { z } from 'zod';
import { answeredBySchema } from '../answered-by.ts';

const field = z.tuple([z.string(), z.string()]);

const hopSchema = z
  .looseObject({
    url: z.string(),
    status: z.int(),
    headers: z.array(field).meta({
      description:
        'As sent: order, case and repetitions; each byte one character. Very long ones are cut; of the value of a cookie only its length is shown: "sid=[32 octets]; Path=/".',
    }),
    via: z
      .enum(['refresh-header', 'meta-refresh'])
      .optional()
      .meta({ description: 'By what the page itself sent the visitor on; left out where the status did.' }),
    chain: z
      .enum(['https', 'http'])
      .meta({ description: 'Which way it was met on: from the https or the http address.' }),
  })
  .meta({ id: 'HeaderHop' });

const hstsSchema = z
  .looseObject({
    applied: z.boolean(),
    seconds: z.number().nullable(),
    includeSubDomains: z.boolean(),
    preload: z.enum(['listed', 'not-listed', 'unknown']),
    preloadEligible: z.boolean().nullable().meta({ description: 'null when preloading is not asked for.' }),
    why: z.string().optional(),
  })
  .meta({ id: 'EffectiveHsts' });

const framingSchema = z
  .looseObject({
    allowed: z
      .enum(['none', 'same-origin', 'listed', 'all'])
      .meta({ description: 'Who may frame the page.' }),
    by: z.enum(['frame-ancestors', 'x-frame-options', 'nothing']),
    sources: z.array(z.string()),
  })
  .meta({ id: 'EffectiveFraming' });

const scriptSchema = z
  .looseObject({
    level: z.enum(['none', 'report-only', 'open', 'hosts', 'strict']).meta({
      description:
        'none: no policy · open: a policy that an injected script gets past · hosts: only listed hosts · strict: only by nonce, hash or not at all.',
    }),
    inline: z.boolean(),
    eval: z.boolean(),
    anyHost: z.boolean(),
    policies: z.int(),
  })
  .meta({ id: 'EffectiveScript' });

const effectiveSchema = z
  .looseObject({
    hsts: hstsSchema.nullable(),
    framing: framingSchema.nullable(),
    script: scriptSchema.nullable(),
    sniffing: z.looseObject({ nosniff: z.boolean() }).nullable(),
    referrer: z.looseObject({ policy: z.string(), by: z.enum(['header', 'meta', 'default']) }).nullable(),
    isolation: z
      .looseObject({
        opener: z.string(),
        embedder: z.string(),
        resource: z.string().nullable(),
        crossOriginIsolated: z.boolean(),
      })
      .nullable(),
    cors: z
      .looseObject({
        access: z.enum(['none', 'public', 'listed', 'any-origin', 'any-origin-with-credentials', 'unknown']),
        nullOrigin: z.boolean(),
      })
      .nullable(),
  })
  .meta({
    id: 'EffectiveHeaders',
    description: 'What a browser would really enforce; null where it could not be seen or does not apply.',
  });

const policySchema = z
  .looseObject({
    from: z.enum(['header', 'meta']),
    disposition: z.enum(['enforce', 'report', 'ignored']),
    url: z.string(),
    text: z.string(),
    directives: z.array(z.object({ name: z.string(), values: z.array(z.string()) })),
  })
  .meta({ id: 'ContentSecurityPolicy' });

const evaluatorFindingSchema = z
  .looseObject({
    policy: z.int().meta({ description: 'Index in csp.policies.' }),
    type: z.string(),
    severity: z.string(),
    directive: z.string(),
    value: z.string().optional(),
    description: z.string(),
  })
  .meta({ id: 'CspEvaluatorFinding', description: 'As google/csp-evaluator finds it, without repetitions.' });

const cookieSchema = z
  .looseObject({
    name: z.string(),
    url: z.string(),
    domain: z.string(),
    path: z.string(),
    secure: z.boolean(),
    httpOnly: z.boolean(),
    sameSite: z.enum(['Strict', 'Lax', 'None']).nullable(),
    stored: z.boolean().meta({ description: 'Whether a browser would keep it.' }),
    reason: z.string().optional().meta({ description: 'Why not.' }),
    valueOctets: z.int().nullable().meta({
      description: 'Length of the value, which is not shown; null where the line is ignored whole.',
    }),
    session: z.boolean(),
    known: z
      .looseObject({ kind: z.string(), owner: z.string(), source: z.string() })
      .optional()
      .meta({ description: 'What the cookie is for, where its maker says so.' }),
  })
  .meta({ id: 'HeaderCookie' });

const observatoryTestSchema = z
  .looseObject({
    pass: z.boolean(),
    result: z.string(),
    score: z.int(),
    disputed: z
      .looseObject({ ours: z.enum(['good', 'bad', 'not-applicable']), findings: z.array(z.string()) })
      .optional()
      .meta({ description: 'Where our own findings say otherwise.' }),
  })
  .meta({ id: 'ObservatoryTest' });

const observatorySchema = z
  .looseObject({
    algorithm: z.literal(6),
    score: z.int().nullable(),
    grade: z.string().nullable(),
    preload: z.enum(['listed', 'not-listed', 'unknown']),
    error: z.string().optional().meta({ description: 'Why the Observatory would give no grade.' }),
    tests: z.record(z.string(), observatoryTestSchema),
  })
  .meta({ id: 'Observatory', description: 'What the MDN HTTP Observatory would say, its quirks included.' });

const thirdPartySchema = z
  .looseObject({
    origin: z.string(),
    site: z.string().meta({ description: 'Its registrable domain.' }),
    kinds: z.record(z.string(), z.int()).meta({
      description: 'How often it is named as script, style, frame, image, media, font or form target.',
    }),
    integrity: z.enum(['all', 'some', 'none']).nullable().meta({
      description:
        'Which of its scripts and styles have an integrity attribute; null where it gives neither.',
    }),
  })
  .meta({ id: 'ThirdParty' });

const thirdPartiesSchema = z
  .looseObject({ origins: z.array(thirdPartySchema), count: z.int(), whole: z.boolean() })
  .nullable()
  .meta({
    description:
      'Origins of other sites that the page’s HTML names, the first 100; what its scripts and styles load is not seen. null where no HTML page was seen.',
  });

const siteFileShape = {
  state: z.enum(['found', 'absent', 'not-tested']),
  url: z.string().meta({ description: 'Where the redirects led.' }),
  reason: z.string().optional().meta({ description: 'Why it was not found, as a clause.' }),
  status: z.int().optional(),
  contentType: z.string().optional(),
  sizeBytes: z.int().optional().meta({ description: 'Decoded; at least so much where `whole` is false.' }),
  whole: z.boolean().optional(),
};

const securityTxtSchema = z
  .looseObject({
    ...siteFileShape,
    signed: z.boolean().optional().meta({
      description: 'An OpenPGP cleartext signature stands around the text. It is not verified.',
    }),
    contacts: z.array(z.string()).optional(),
    expires: z.string().nullable().optional(),
    canonical: z.array(z.string()).optional(),
    languages: z.string().nullable().optional(),
    policy: z.array(z.string()).optional(),
    encryption: z.array(z.string()).optional(),
  })
  .meta({ id: 'SecurityTxt', description: 'security.txt of the host that was named (RFC 9116).' });

const robotsSchema = z
  .looseObject({
    ...siteFileShape,
    parseable: z.boolean().optional(),
    groups: z.int().optional(),
    rules: z.int().optional(),
    disallowsAll: z.boolean().optional(),
    sitemaps: z.array(z.string()).optional().meta({ description: 'The first 20.' }),
    sitemapCount: z.int().optional(),
  })
  .meta({ id: 'RobotsTxt', description: 'robots.txt of the host that was named (RFC 9309).' });

export const headerReportShape = {
  target: z.looseObject({ url: z.string() }),
  judgedUrl: z.string().nullable().meta({ description: 'The answer that was judged.' }),
  answeredBy: answeredBySchema,
  hops: z.array(hopSchema),
  effective: effectiveSchema,
  groups: z
    .record(
      z.string(),
      z.looseObject({
        points: z.number(),
        lost: z.number(),
        by: z.string().optional().meta({
          description:
            'The finding that took what is lost, the worst of its group. The others of the group have a scoreEffect of 0, so that one fault is not counted twice; they take effect once this one is fixed.',
        }),
        state: z.string(),
      }),
    )
    .meta({
      description:
        'What each protection is worth and has lost; state: ok, lost, not-applicable or not-tested.',
    }),
  csp: z.looseObject({ policies: z.array(policySchema), evaluator: z.array(evaluatorFindingSchema) }),
  cookies: z.array(cookieSchema),
  // Optional: reports that were stored before do not have them.
  thirdParties: thirdPartiesSchema.optional(),
  securityTxt: securityTxtSchema.optional(),
  robots: robotsSchema.optional(),
  observatory: observatorySchema,
};
