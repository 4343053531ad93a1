import { misspeltSettings } from '../settings/config.ts';
import type { Logger } from '../telemetry/logger.ts';

/** Logs the variables that look like settings and have no effect; of several processes of one service, one does so. */
export function warnOfMisspelt(log: Pick<Logger, 'warn'>): void {
  for (const misspelling of misspeltSettings()) log.warn(misspelling, 'variable is not a setting');
}
