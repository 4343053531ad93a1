import type { Logger } from './logger.ts';

/** How each part is that this process needs: true, or what is wrong in a few words. */
export type Checks = Readonly<Record<string, true | string>>;

/** Whether new work should come to this process, and what of it is hampered. */
export type Readiness = {
  readonly isReady: boolean;
  readonly checks: Checks;
  /** What the process works with, by part: the browser's version and age. */
  readonly about: Readonly<Record<string, object>>;
};

export type ReadReadiness = () => Promise<Readiness>;

type Ping = () => Promise<true | string>;

/** What decides about readiness in a part of the process. */
export type Able = {
  /** Checks of its own. */
  readonly readiness?: () => Checks;
  /** What it works with, by part. */
  readonly about?: () => Readiness['about'];
  /** True while it can do some of its work, given the checks of the whole process. */
  readonly canWork: (checks: Checks) => boolean;
};

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
