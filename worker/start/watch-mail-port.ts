import type { Logger } from '#shared/telemetry/logger';
import type { Metrics } from '#shared/telemetry/metrics';
import type { PortState } from '../probes/smtp/port.ts';

/** What a worker knows of its way to mail hosts. */
export type MailPortWatch = {
  /** Takes what a run has seen; tells of each turn once. */
  readonly note: (state: PortState) => void;
  /** For the body of /readyz; undefined while nobody had to look. */
  readonly about: () => { readonly port25: PortState } | undefined;
};

/** Opens the watch over port 25: a network that blocks it makes every mail host look silent, and only the operator can change that. */
export function watchMailPort(
  log: Logger,
  metrics: Pick<Metrics, 'mailPortSeen'> | undefined,
): MailPortWatch {
  let last: PortState | undefined;
  return {
    note(state) {
      metrics?.mailPortSeen(state);
      if (state === 'blocked' && last !== 'blocked')
        log.warn({}, 'port 25 is blocked: no mail host answers, not even one that should (smtp-check)');
      if (state === 'open' && last === 'blocked') log.info({}, 'port 25 is open again');
      last = state;
    },
    about: () => last && { port25: last },
  };
}
