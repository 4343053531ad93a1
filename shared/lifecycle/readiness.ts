import type { Able, Checks, Readiness, ReadReadiness } from '../model/readiness.ts';
import type { Logger } from '../telemetry/logger.ts';

type Ping = () => Promise<true | string>;

const pingTimeoutMs = 1000;

/** Makes the reading: a process is ready while one of its parts can do some of its work. @param pings what both kinds of process need, by part */
export function openReadiness(
  pings: Readonly<Record<string, Ping>>,
  parts: readonly Able[],
  log: Logger,
): ReadReadiness {
  return async () => {
    const asked = Object.entries(pings).map(
      async ([part, ping]) => [part, await bounded(part, ping, log)] as const,
    );
    const pinged: Checks = Object.fromEntries(await Promise.all(asked));
    const checks = parts.reduce<Checks>((sum, part) => ({ ...sum, ...part.readiness?.() }), pinged);
    const about = Object.assign({}, ...parts.map((part) => part.about?.())) as Readiness['about'];
    return { isReady: parts.some((part) => part.canWork(checks)), checks, about };
  };
}

/** The checks that say what is wrong: part → why. */
export function faultsIn(checks: Checks): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(checks).flatMap(([part, state]) => (state === true ? [] : [[part, state]])),
  );
}

async function bounded(part: string, ping: Ping, log: Logger): Promise<true | string> {
  const late = Promise.withResolvers<string>();
  const timer = setTimeout(() => late.resolve(`no answer within ${pingTimeoutMs} ms`), pingTimeoutMs);
  try {
    return await Promise.race([ping(), late.promise]);
  } catch (error) {
    log.error({ err: error, part }, 'readiness check failed');
    return 'cannot be asked; the log has the cause';
  } finally {
    clearTimeout(timer);
  }
}
