import type { Logger } from '../telemetry/logger.ts';

/** npm passes a signal on that a terminal or a supervisor has already sent to the whole process group: both are one request to stop. */
const sameRequestMs = 1000;

/**
 * Runs `stop` once on SIGTERM or SIGINT, or when the function that is given is called, and ends the process with `process.exitCode` (0), or with 1 where `stop` rejects.
 * A second signal ends the process at once.
 * @param onForced is called right before that
 */
export function stopOnSignals(
  stop: () => Promise<void>,
  log: Pick<Logger, 'info' | 'error'>,
  onForced: () => void = () => undefined,
): (why: object) => void {
  let stoppingSince: number | undefined;
  const begin = (why: object) => {
    if (stoppingSince !== undefined) return;
    stoppingSince = performance.now();
    log.info(why, 'stopping');
    stop().then(
      () => process.exit(),
      (error: unknown) => {
        log.error({ err: error }, 'stopping failed');
        process.exit(1);
      },
    );
  };
  const onSignal = (signal: NodeJS.Signals) => {
    if (stoppingSince === undefined || performance.now() - stoppingSince <= sameRequestMs)
      return begin({ signal });
    onForced();
    process.exit(1);
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  return begin;
}
