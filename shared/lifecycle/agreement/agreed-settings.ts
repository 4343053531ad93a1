import { hash } from 'node:crypto';
import { digestOfFile } from '../../queue/job-keys.ts';
import type { Config } from '../../settings/config.ts';
import { denyListOf } from '../../settings/deny-list.ts';
import { writeCidr } from '../../targets/address.ts';

/** A setting that all processes over one Redis should have the same value of, as this process has it. */
export type AgreedSetting = {
  /** How messages call it. */
  readonly name: string;
  /** Its value as text; undefined while that cannot be read. */
  readonly read: () => Promise<string | undefined>;
  /** True where two values at once hide work or do it twice: a process with another value takes no work. */
  readonly isNeeded: boolean;
};

/** Reads the settings that must agree, in the order in which they are reported. @param readStoreId what tells the store from another */
export function listAgreedSettings(
  config: Config,
  readStoreId: () => Promise<string | undefined>,
): readonly AgreedSetting[] {
  const needed = (name: string, read: AgreedSetting['read']) => ({ name, read, isNeeded: true });
  return [
    // Two URLs may name one store, so its own id is compared. A report in another store is never found.
    needed('store of MONGODB_URL', readStoreId),
    ...Object.entries(textsOf(config)).map(([name, text]) => ({
      name,
      read: async () => comparable(text),
      isNeeded: false,
    })),
    // Its file is read again while processes run.
    { name: 'TARGET_DENY_NAMES', read: async () => denyListOf(config).digest(), isNeeded: false },
  ];
}

/**
 * What may differ for a while: a deployment that changes one process after the other passes through it. If it stays, the key of a
 * question says something else than how it was answered, or what callers were told does not hold.
 */
function textsOf(config: Config): Readonly<Record<string, string>> {
  const cidrs = (blocks: Config['TARGET_ALLOW_CIDRS']) => blocks.map(writeCidr).join();
  const preloadList = config.HSTS_PRELOAD_FILE;
  return {
    HOST_CONCURRENCY: String(config.HOST_CONCURRENCY),
    QUEUE_SECONDS: String(config.QUEUE_SECONDS),
    AUTH_MODE: config.AUTH_MODE,
    ACCOUNT_CACHE: config.ACCOUNT_CACHE,
    REPORT_IDS: config.REPORT_IDS ? 'on' : 'off',
    PROBE_SMTP: config.PROBE_SMTP ? 'on' : 'off',
    SMTP_HELO: config.SMTP_HELO ?? '',
    PUBLIC_URL: config.PUBLIC_URL ?? '',
    WATCH_MIN_SECONDS: String(config.WATCH_MIN_SECONDS),
    DNS_SERVERS: config.DNS_SERVERS?.join() ?? '',
    BROWSER_PATH: config.BROWSER_PATH ?? '',
    HSTS_PRELOAD_FILE: preloadList === undefined ? '' : `sha256 ${digestOfFile(preloadList)}`,
    TARGET_PORTS: config.TARGET_PORTS.map(([from, to]) => (from === to ? from : `${from}-${to}`)).join(),
    TARGET_ALLOW_CIDRS: cidrs(config.TARGET_ALLOW_CIDRS),
    TARGET_DENY_CIDRS: cidrs(config.TARGET_DENY_CIDRS),
    TARGET_ALLOW_SUFFIXES: config.TARGET_ALLOW_SUFFIXES.join(),
  };
}

const textMost = 200;

function comparable(text: string): string {
  return text.length <= textMost ? text : `sha256 ${hash('sha256', text, 'base64url').slice(0, 8)}`;
}
