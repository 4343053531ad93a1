import type { Logger } from './logger.ts';

/** Exit status of a bad configuration (EX_CONFIG of sysexits.h). */
export const exitConfig = 78;

/**
 * Runs `stop` once on SIGTERM or SIGINT and ends the process; a second signal ends it at once.
 * @param stop closes everything in order; bounded by itself
 */
export function stopOnSignals(stop: () => Promise<void>, log: Logger): void {
  let isStopping = false;
  const onSignal = (signal: NodeJS.Signals) => {
    if (isStopping) process.exit(1);
    isStopping = true;
    log.info({ signal }, 'stopping');
    stop().then(
      () => process.exit(0),
      (error: unknown) => {
        log.error({ err: error }, 'stopping failed');
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
}
