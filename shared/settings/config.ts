import { readFileSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { z } from 'zod';
import { isAddress, parseCidr } from '../targets/classify-address.ts';
import { readDeniedName, readDenyFile } from './deny-file.ts';
import { findMailFaults, mailSettings } from './mail.ts';
import { describeMisspelling, findMisspellings, type Misspelling } from './misspelt-settings.ts';
import { readRdapBootstrapFile } from './rdap-bootstrap.ts';
import { isClusterUrl, noCluster, parseRedisUrl, redisUrlForms } from './redis-url.ts';
import { fileSettingOf, readSecretFiles, secretSettings } from './secret-files.ts';
import { findSmtpFaults, smtpSettings } from './smtp.ts';

const text = z.string().min(1);
const count = (least: number, most = 999_999_999) =>
  z
    .string()
    .regex(/^\d{1,9}$/, 'must be a whole number')
    .transform(Number)
    .refine((number) => number >= least, `must be ${least} or more`)
    .refine((number) => number <= most, `must be ${most} or less`);
const port = z
  .string()
  .regex(/^\d{1,5}$/, 'must be a port number')
  .transform(Number)
  .refine((number) => number <= 65_535, 'must be a port number');
const flag = z
  .enum(['on', 'off', '1', '0', 'true', 'false'])
  .transform((word) => word === 'on' || word === '1' || word === 'true');
const list = text
  .transform((value) =>
    value
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== ''),
  )
  .refine((items) => items.length > 0, 'names nothing; leave it unset instead');
/** A list whose every item is such a thing; the ones that are not are quoted. */
const listOf = (isSuch: (item: string) => boolean, what: string) =>
  list.superRefine((items, context) => {
    for (const item of items)
      if (!isSuch(item)) context.addIssue({ code: 'custom', message: `"${item}" is not ${what}` });
  });

/** Points in seconds, such as "600/60". */
export const quotaSchema = z
  .string()
  .regex(/^\d{1,9}\/\d{1,6}$/, 'must be points/seconds, such as 600/60')
  .transform((value) => {
    const [points = 0, windowS = 0] = value.split('/').map(Number);
    return { points, windowS };
  })
  .refine(({ points, windowS }) => points > 0 && windowS > 0, 'must be points/seconds, both above 0');

const publicUrl = text.refine((value) => {
  const url = URL.parse(value);
  return url !== null && /^https?:$/.test(url.protocol) && url.href === url.origin + url.pathname;
}, 'must be an http or https URL without user, query and fragment');

// It stands in a comment of the User-Agent, where a bracket or a line's end would break every request.
const contactUrl = text.refine(
  (value) => /^(?:https?:\/\/|mailto:)[\x21-\x27\x2a-\x5b\x5d-\x7e]+$/.test(value) && URL.canParse(value),
  'must be an http, https or mailto URL',
);

const isName = (word: string) => /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*\.?$/i.test(word);
const listenHost = text.refine(
  (value) => isName(value) || isAddress(value.replace(/%\w+$/, '')),
  'must be an address or a name of this machine, without scheme and port',
);

const origins = listOf(
  (item) => item === '*' || (/^https?:/.test(item) && URL.parse(item)?.origin === item),
  '"*" or an origin such as https://app.example, in lower case and without a path',
);

// What ends in a number is an address or nothing, whatever the system makes of it (WHATWG URL, "ends in a number").
const endsInNumber = (host: string) => /(?:^|\.)(?:\d+|0x[\da-f]*)\.?$/i.test(host);

const dnsServers = listOf((item) => {
  if (isAddress(item.replace(/%\w+$/, ''))) return true;
  const [, bracketed, host = '', number = '53'] =
    /^(?:\[([^\]]+)\]|([^:[\]]+))(?::(\d{1,5}))?$/.exec(item) ?? [];
  const isHost = isAddress(host) || (isName(host) && !endsInNumber(host));
  return isPort(number) && (bracketed === undefined ? isHost : isAddress(bracketed.replace(/%\w+$/, '')));
}, 'host-or-ip[:port]');

const redisUrl = text
  .refine((value) => !isClusterUrl(value), noCluster)
  .refine((value) => parseRedisUrl(value) !== undefined, `must be ${redisUrlForms}`);
// Several hosts make it no URL that could be parsed as one; the driver reads the rest.
const mongoUrl = text.refine(
  (value) => /^mongodb(?:\+srv)?:\/\/[^/?\s]+(?:[/?]\S*)?$/.test(value),
  'must be mongodb://host[:port][/database], or mongodb+srv://',
);

const cidrs = list.transform((items, context) => {
  try {
    return items.map(parseCidr);
  } catch (error) {
    context.addIssue({ code: 'custom', message: (error as Error).message });
    return z.NEVER;
  }
});

const deniedNames = list.transform((items, context) =>
  items.flatMap((item) => {
    const read = readDeniedName(item);
    if ('name' in read) return [read.name];
    context.addIssue({ code: 'custom', message: read.fault });
    return [];
  }),
);

const denyFile = text.superRefine((path, context) => {
  const read = readDenyFile(path);
  if ('fault' in read) context.addIssue({ code: 'custom', message: read.fault });
});

const rdapBootstrapFile = text.superRefine((path, context) => {
  const read = readRdapBootstrapFile(path);
  if ('fault' in read) context.addIssue({ code: 'custom', message: read.fault });
});

const portRanges = list.transform((items, context) =>
  items.map((item): readonly [number, number] => {
    const [, from, to = from] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(item) ?? [];
    if (!isPort(from) || !isPort(to) || Number(from) > Number(to))
      context.addIssue({ code: 'custom', message: `"${item}" is not a port or a range such as 8000-8100` });
    return [Number(from), Number(to)];
  }),
);

const portMap = list.transform((items, context) => {
  const pairs = items.map((item) => /^(\d{1,5})=(\d{1,5})$/.exec(item));
  if (!pairs.every((pair) => isPort(pair?.[1]) && isPort(pair?.[2])))
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

const folder = text.refine(
  (path) => path === ':memory:' || isBelowFolder(path),
  'cannot be made: a part of the path is no folder',
);

// It stands in every report, and in a label of a metric.
const vantageId = z
  .string()
  .regex(/^[\w.-]{1,64}$/, 'must be 1 to 64 letters, digits, dots, hyphens and underscores');

const controlHosts = list
  .transform((items) => items.map((item) => item.toLowerCase()))
  .refine(
    (items) => items.length <= 5 && items.every((item) => isName(item) && !endsInNumber(item)),
    'must be up to five host names, such as www.example.com,example.net',
  );

const suffixes = list
  .transform((items) => items.map((item) => item.toLowerCase().replace(/^\.+|\.+$/g, '')))
  .refine((items) => items.every(isName), 'must be names such as test,example');

// The zone for IPv6 has the same name with a 6 after its first label, as those that are public have.
const originZones = text
  .refine(isName, 'must be the name of a zone, such as origin.asn.cymru.com')
  .transform((name) => name.toLowerCase().replace(/\.$/, ''))
  .transform((ipv4) => ({ ipv4, ipv6: ipv4.replace(/^[^.]+/, '$&6') }));

const settingsSchema = z.object({
  HOST: listenHost.default('127.0.0.1'),
  PORT: port.default(3000),
  ADMIN_HOST: listenHost.default('127.0.0.1'),
  ADMIN_PORT: port.optional(),
  DRAIN_SECONDS: count(0, 600).default(0),
  PUBLIC_URL: publicUrl.transform((value) => value.replace(/\/+$/, '')).optional(),
  CONTACT_URL: contactUrl.optional(),
  CORS_ORIGINS: origins.optional(),
  REDIS_URL: redisUrl.optional(),
  MONGODB_URL: mongoUrl.optional(),
  DATA_DIR: folder.default('./data'),
  AUTH_MODE: z.enum(['open', 'token']).default('open'),
  ACCOUNT_CACHE: z.enum(['shared', 'own']).default('shared'),
  REPORT_IDS: flag.default(true),
  REPORT_TTL_DAYS: count(1, 36_500).default(30),
  EVIDENCE_HOURS: count(0, 876_000).default(24),
  ACCESS_DAYS: count(0, 36_500).default(30),
  STORE_MAX_MB: count(10).default(20_000),
  RATE_LIMIT: flag.default(true),
  LIMIT_ANON_REQUESTS: quotaSchema.default({ points: 600, windowS: 60 }),
  LIMIT_ANON_SCANS: quotaSchema.default({ points: 60, windowS: 60 }),
  LIMIT_TOKEN_REQUESTS: quotaSchema.default({ points: 6000, windowS: 60 }),
  LIMIT_TOKEN_SCANS: quotaSchema.default({ points: 600, windowS: 60 }),
  LIMIT_TOKEN_PAGES: count(1).default(40),
  LIMIT_ACCOUNT_BATCHES: count(1).default(20),
  LIMIT_ACCOUNT_TARGETS: count(1).default(50_000),
  LIMIT_ACCOUNT_WATCHES: count(0).default(10_000),
  WATCH_MIN_SECONDS: count(1, 2_592_000).default(3600),
  ...mailSettings,
  TRUST_PROXY: trustedProxies.optional(),
  WAIT_SECONDS: count(0, 55).optional(),
  QUEUE_SECONDS: count(1, 86_400).default(600),
  FRESH_SECONDS: count(0).optional(),
  HOST_CONCURRENCY: count(1).default(4),
  WORKER_CONCURRENCY: count(1).default(50),
  WORKER_QUEUES: list.pipe(z.array(z.enum(['network', 'browser'])).min(1)).default(['network', 'browser']),
  VANTAGE_ID: vantageId.optional(),
  CONTROLS: flag.default(true),
  CONTROL_HOSTS: controlHosts.optional(),
  DNS_SERVERS: dnsServers.optional(),
  NAMESERVER_PORT: port.refine((number) => number > 0, 'must be a port number').default(53),
  TARGET_PORTS: portRanges.default([
    [80, 80],
    [443, 443],
    [8080, 8080],
    [8443, 8443],
  ]),
  TARGET_PORT_MAP: portMap.default(new Map()),
  TARGET_ALLOW_CIDRS: cidrs.default([]),
  TARGET_DENY_CIDRS: cidrs.default([]),
  TARGET_DENY_NAMES: deniedNames.default([]),
  TARGET_DENY_NAMES_FILE: denyFile.optional(),
  TARGET_ALLOW_SUFFIXES: suffixes.default([]),
  NODE_EXTRA_CA_CERTS: readableFile.optional(),
  BROWSER_PATH: text.optional(),
  BROWSER_NO_SANDBOX: flag.default(false),
  PROBE_AXFR: flag.default(false),
  PROBE_SMTP: flag.default(false),
  ...smtpSettings,
  PROBE_RDAP: flag.default(true),
  RDAP_BOOTSTRAP_FILE: rdapBootstrapFile.optional(),
  MCP: flag.default(false),
  ORIGIN_ASN_ZONE: originZones.optional(),
  CRUX_API_KEY: text.optional(),
  PSI_API_KEY: text.optional(),
  HSTS_PRELOAD_FILE: readableFile.optional(),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  TRACE_INCOMING: flag.default(false),
});

/** The name of every setting, in the order of the schema. */
export const settingNames = [...settingsSchema.keyof().options, ...secretSettings.map(fileSettingOf)];

/** The variables that look like settings and are none (`shared/settings/misspelt-settings.ts`). */
export function misspeltSettings(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): readonly Misspelling[] {
  return findMisspellings(environment, settingNames);
}

/** Every setting of the environment, read and typed; names, defaults and meanings are in docs/settings.md. */
export type Config = z.infer<typeof settingsSchema>;

/** Exit status of a bad configuration (EX_CONFIG of sysexits.h). */
export const exitConfig = 78;

/** The settings are wrong; `message` names every bad one, a line each. The process exits with 78 (EX_CONFIG). */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** Reads all settings at once, and the files that hold secrets. An empty variable counts as unset. Throws ConfigError naming every bad one. */
export function readConfig(environment: Readonly<Record<string, string | undefined>> = process.env): Config {
  const { settings, faults } = readSecretFiles(
    Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== '')),
  );
  const parsed = settingsSchema.safeParse(settings);
  const isHalved = (settings['REDIS_URL'] === undefined) !== (settings['MONGODB_URL'] === undefined);
  const isOwnerless = settings['ACCOUNT_CACHE'] === 'own' && settings['AUTH_MODE'] !== 'token';
  const linked = [...findSmtpFaults(settings), ...findMailFaults(settings)];
  if (parsed.success && !isHalved && !isOwnerless && faults.length + linked.length === 0) return parsed.data;
  const lines = (parsed.error?.issues ?? []).map(
    ({ path, message }) => `${path.filter((part) => typeof part === 'string').join('')}: ${message}`,
  );
  // No refinements of the schema: those are not looked at where another setting is wrong.
  if (isHalved)
    lines.push(
      'REDIS_URL and MONGODB_URL: must be set both or neither: Redis holds the queue, MongoDB the reports',
    );
  if (isOwnerless)
    lines.push(
      'ACCOUNT_CACHE: own needs AUTH_MODE=token: callers without a token have no account of their own',
    );
  // A missing setting may be there under a name that is nearly right.
  const misspelt = misspeltSettings(environment).map(describeMisspelling);
  throw new ConfigError(
    `These settings are not valid:\n  ${[...lines, ...linked, ...faults, ...misspelt].join('\n  ')}`,
  );
}

function isReadable(path: string): boolean {
  try {
    readFileSync(path);
    return true;
  } catch {
    return false; // the setting is refused by name; why the file cannot be read is for the operator's shell
  }
}

function isPort(digits: string | undefined): boolean {
  return Number(digits) >= 1 && Number(digits) <= 65_535;
}

/** False where what is there of the path, up to its first part that is missing, is no folder. */
function isBelowFolder(path: string): boolean {
  const whole = resolve(path);
  try {
    const found = statSync(whole, { throwIfNoEntry: false });
    return found?.isDirectory() ?? isBelowFolder(dirname(whole));
  } catch {
    return false; // ENOTDIR, ENAMETOOLONG, ELOOP, EACCES
  }
}
