import { Problem, type ProblemCode } from '../model/problem.ts';
import type { Logger } from './logger.ts';

export type WatchedBackend = {
  /** How the log calls it. */
  readonly part: 'queue' | 'store';
  /** The Problem with which its methods reject when it is away. */
  readonly code: ProblemCode;
  readonly log: Logger;
  readonly askEveryMs?: number;
  /** Finds out what is wrong with it, for the line that says so: the setting, the server, the cause. Asked at once, too. Never rejects. */
  readonly examine?: () => Promise<Examined>;
};
type Examined = { readonly cause: string | undefined };

type Pinged = { ping(): Promise<true | string> };

/** A port, and the end of the watch over it. */
export type WatchedPort<Port> = { readonly port: Port; close(): void };

const usualAskEveryMs = 1000;

/**
 * Logs one line when a port goes away, with the cause, and one when it is back; what the port answers stays as it is.
 * A rejected call is only a suspicion, as a queue without workers rejects alike: the port's own ping decides, and is asked until it is well again.
 */
export function watchOutages<Port extends Pinged & object>(
  port: Port,
  watched: WatchedBackend,
): WatchedPort<Port> {
  const { code, askEveryMs = usualAskEveryMs } = watched;
  const { judge, isAway } = openJudge(watched);
  let isAsking = false;
  const ask = (cause?: unknown) => {
    if (isAsking) return;
    isAsking = true;
    port
      .ping()
      .then(
        (state) => judge(state, cause),
        (error: unknown) => judge('cannot be asked', error),
      )
      .finally(() => {
        isAsking = false;
      });
  };
  const timer = setInterval(() => isAway() && ask(), askEveryMs).unref();
  const hear = (error: unknown) => {
    if (!isAway() && error instanceof Problem && error.code === code) ask(error.cause);
  };
  const heard = {
    ...listenTo(port, hear),
    async ping() {
      const state = await port.ping();
      judge(state, undefined);
      return state;
    },
  };
  return { port: heard, close: () => clearInterval(timer) };
}

/** Tells the log of each change between well and away. */
function openJudge({ part, log, examine }: WatchedBackend) {
  let awaySince: number | undefined;
  let isKnownWell = false;
  let isTold = false;
  const tell = (fields: object) => {
    isTold = true;
    log.error({ part, ...fields }, `${part} is away`);
  };
  const tellStart = (found: Examined) => {
    isStarting = false;
    if (found.cause === undefined) awaySince = isKnownWell ? awaySince : undefined;
    else if (isKnownWell) log.error(found, 'a setting leads to a server that cannot be used');
    else {
      awaySince ??= performance.now();
      tell(found);
    }
  };
  let isStarting = examine !== undefined;
  // A process that starts says at once what is wrong with its settings, whether or not anything is asked of it.
  let telling = examine?.().then(tellStart) ?? Promise.resolve();
  const begin = (fields: object) => {
    awaySince = performance.now();
    const wasNeverWell = !isKnownWell;
    if (isStarting) return; // what is found out now is told then
    if (!examine) return tell(fields);
    telling = examine().then((found) => {
      // A process that only starts may not be connected yet, which is no outage.
      if (wasNeverWell && found.cause === undefined) awaySince = undefined;
      else if (!isTold) tell({ ...fields, ...found });
    });
  };
  const end = (since: number) => {
    const awayMs = Math.round(performance.now() - since);
    const wasNeverWell = !isKnownWell;
    awaySince = undefined;
    // After the line that says that it is away.
    void telling.then(async () => {
      const wasTold = isTold;
      isTold = false;
      // A ping does not meet everything, such as a right that is missing.
      if (wasTold && wasNeverWell && (await examine?.())?.cause !== undefined) return;
      if (wasTold) log.info({ part, awayMs }, `${part} is back`);
    });
  };
  return {
    isAway: () => awaySince !== undefined,
    judge: (state: true | string, cause: unknown) => {
      if (state !== true && awaySince === undefined)
        begin({ reason: state, ...(cause === undefined ? {} : { err: cause }) });
      else if (state === true && awaySince !== undefined) end(awaySince);
      isKnownWell ||= state === true;
    },
  };
}

/** The same methods; what they reject with is heard, also of the groups of methods inside. */
function listenTo<Group extends object>(group: Group, hear: (error: unknown) => void): Group {
  const members = Object.entries(group).map(([name, member]: [string, unknown]) => {
    if (typeof member === 'function') return [name, listening(member as Method, hear)];
    return [name, typeof member === 'object' && member !== null ? listenTo(member, hear) : member];
  });
  return Object.fromEntries(members) as Group;
}

type Method = (...given: unknown[]) => unknown;

function listening(method: Method, hear: (error: unknown) => void): Method {
  return (...given) => {
    const answer = method(...given);
    // The caller handles the rejection; this only looks on.
    if (answer instanceof Promise) answer.catch(hear);
    return answer;
  };
}
