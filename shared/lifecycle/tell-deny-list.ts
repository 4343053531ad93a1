import type { Config } from '../settings/config.ts';
import { denyListOf } from '../settings/deny-list.ts';
import type { Logger } from '../telemetry/logger.ts';

const lookEveryMs = 5000;

/** Looks at the file of names that are not checked, and logs each change and each fault of it. Nothing is looked at where no file is named. */
export function tellDenyList(config: Config, log: Pick<Logger, 'info' | 'error'>): void {
  if (config.TARGET_DENY_NAMES_FILE === undefined) return;
  const list = denyListOf(config);
  let [revision, state] = [list.revision(), list.state()];
  setInterval(() => {
    const [nextRevision, nextState] = [list.revision(), list.state()];
    if (nextState !== true && nextState !== state)
      log.error({ reason: nextState }, 'the list of names that are not checked was not read again');
    if (nextRevision !== revision || (nextState === true && state !== true))
      log.info({ names: list.count() }, 'the list of names that are not checked was read again');
    [revision, state] = [nextRevision, nextState];
  }, lookEveryMs).unref();
}
