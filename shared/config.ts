import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { parseCidr } from './target/classify-address.ts';

const text = z.string().min(1);
const count = (least: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, 'must be a whole number')
    .transform(Number)
    .refine((number) => number >= least, `must be ${least} or more`);
const port = z
  .string()
  .regex(/^\d{1,5}$/, 'must be a port number')
  .transform(Number)
  .refine((number) => number <= 65_535, 'must be a port number');
const flag = z.enum(['on', 'off']).transform((word) => word === 'on');
const list = text.transform((value) =>
  value
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== ''),
);

/** Points in seconds, such as "600/60". */
export const quotaSchema = z
  .string()
  .regex(/^\d{1,9}\/\d{1,6}$/, 'must be points/seconds, such as 600/60')
  .transform((value) => {
    const [points = 0, windowS = 0] = value.split('/').map(Number);
    return { points, windowS };
  })
  .refine(({ points, windowS }) => points > 0 && windowS > 0, 'must be points/seconds, both above 0');

const httpUrl = text.refine(
  (value) => URL.canParse(value) && /^https?:$/.test(new URL(value).protocol),
  'must be an http or https URL',
);

const cidrs = list.transform((items, context) => {
  try {
    return items.map(parseCidr);
  } catch (error) {
    context.addIssue({ code: 'custom', message: (error as Error).message });
    return z.NEVER;
  }
});

const portRanges = list.transform((items, context) =>
  items.map((item): readonly [number, number] => {
    const [, from, to = from] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(item) ?? [];
    if (from === undefined || Number(to) > 65_535 || Number(from) > Number(to))
      context.addIssue({ code: 'custom', message: `"${item}" is not a port or a range such as 8000-8100` });
    return [Number(from), Number(to)];
  }),
);

const portMap = list.transform((items, context) => {
  const pairs = items.map((item) => /^(\d{1,5})=(\d{1,5})$/.exec(item));
  if (pairs.some((pair) => pair === null))
    context.addIssue({ code: 'custom', message: 'must be pairs such as 80=45080,443=45443' });
  return new Map(pairs.map((pair) => [Number(pair?.[1]), Number(pair?.[2])]));
});

const trustedProxies = text
  .refine(
    (value) => value !== 'true',
    'must be a hop count or CIDR blocks; "true" would let every caller choose its address',
  )
  .transform((value, context) => {
    if (/^\d{1,2}$/.test(value)) return Number(value);
    const items = value.split(',').map((item) => item.trim());
    try {
      items.forEach(parseCidr);
    } catch (error) {
      context.addIssue({ code: 'custom', message: (error as Error).message });
    }
    return items;
  });

const readableFile = text.refine(isReadable, 'names a file that cannot be read');

const settingsSchema = z
  .object({
    HOST: text.default('127.0.0.1'),
    PORT: port.default(3000),
    ADMIN_HOST: text.default('127.0.0.1'),
    ADMIN_PORT: port.optional(),
    PUBLIC_URL: httpUrl.transform((value) => value.replace(/\/+$/, '')).optional(),
    CONTACT_URL: text.optional(),
    CORS_ORIGINS: list.optional(),
    REDIS_URL: text.optional(),
    MONGODB_URL: text.optional(),
    DATA_DIR: text.default('./data'),
    AUTH_MODE: z.enum(['open', 'token']).default('open'),
    REPORT_IDS: flag.default(true),
    REPORT_TTL_DAYS: count(1).default(30),
    EVIDENCE_HOURS: count(0).default(24),
    RATE_LIMIT: flag.default(true),
    LIMIT_ANON_REQUESTS: quotaSchema.default({ points: 600, windowS: 60 }),
    LIMIT_ANON_SCANS: quotaSchema.default({ points: 60, windowS: 60 }),
    LIMIT_TOKEN_REQUESTS: quotaSchema.default({ points: 6000, windowS: 60 }),
    LIMIT_TOKEN_SCANS: quotaSchema.default({ points: 600, windowS: 60 }),
    TRUST_PROXY: trustedProxies.optional(),
    WAIT_SECONDS: count(0)
      .refine((s) => s <= 55, 'must be 55 or less')
      .optional(),
    QUEUE_SECONDS: count(1).default(600),
    FRESH_SECONDS: count(0).optional(),
    HOST_CONCURRENCY: count(1).default(4),
    WORKER_CONCURRENCY: count(1).default(50),
    WORKER_QUEUES: list.pipe(z.array(z.enum(['network', 'browser'])).min(1)).default(['network', 'browser']),
    DNS_SERVERS: list.optional(),
    NAMESERVER_PORT: port.default(53),
    TARGET_PORTS: portRanges.default([
      [80, 80],
      [443, 443],
      [8080, 8080],
      [8443, 8443],
    ]),
    TARGET_PORT_MAP: portMap.default(new Map()),
    TARGET_ALLOW_CIDRS: cidrs.default([]),
    TARGET_DENY_CIDRS: cidrs.default([]),
    TARGET_ALLOW_SUFFIXES: list
      .transform((items) => items.map((item) => item.toLowerCase().replace(/^\.+|\.+$/g, '')))
      .default([]),
    NODE_EXTRA_CA_CERTS: readableFile.optional(),
    BROWSER_PATH: text.optional(),
    BROWSER_NO_SANDBOX: text.optional(),
    CRUX_API_KEY: text.optional(),
    PSI_API_KEY: text.optional(),
    HSTS_PRELOAD_FILE: readableFile.optional(),
    LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  })
  .refine((settings) => (settings.REDIS_URL === undefined) === (settings.MONGODB_URL === undefined), {
    path: ['REDIS_URL', 'MONGODB_URL'],
    message: 'must be set both or neither: Redis holds the queue, MongoDB the reports',
  });

/** Every setting of the environment, read and typed; names, defaults and meanings are in the README's table. */
export type Config = z.infer<typeof settingsSchema>;

/** The settings are wrong; `message` names every bad one, a line each. The process exits with 78 (EX_CONFIG). */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** Reads all settings at once. An empty variable counts as unset. Throws ConfigError naming every bad one. */
export function readConfig(environment: Readonly<Record<string, string | undefined>> = process.env): Config {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const parsed = settingsSchema.safeParse(given);
  if (parsed.success) return parsed.data;
  const lines = parsed.error.issues.map(
    (issue) => `${issue.path.filter((part) => typeof part === 'string').join(' and ')}: ${issue.message}`,
  );
  throw new ConfigError(`These settings are not valid:\n  ${lines.join('\n  ')}`);
}

function isReadable(path: string): boolean {
  try {
    readFileSync(path);
    return true;
  } catch {
    return false; // the setting is refused by name; why the file cannot be read is for the operator's shell
  }
}
