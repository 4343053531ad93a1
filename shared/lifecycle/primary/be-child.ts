import { openWindows, type Windows } from '../../limits/rates/windows.ts';
import type { Logger } from '../../telemetry/logger.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import type { AdminSources } from '../admin-server.ts';
import { onPrimary, onPrimaryGone, tellPrimary } from './messages.ts';
import { openOutbox } from './outbox.ts';

/** Opens the windows of a child: it counts at once, and learns within about 50 ms what its siblings have counted. */
export function openChildWindows(): Windows {
  const outbox = openOutbox((points, onWritten) => tellPrimary({ kind: 'spent', points }, onWritten));
  const windows = openWindows((...points) => outbox.add(...points));
  onPrimary((message) => {
    if (message.kind !== 'spent') return;
    for (const [key, spent, endsAt] of message.points)
      windows.learn(key, spent + outbox.waiting(key), endsAt);
  });
  return windows;
}

/**
 * Tells the primary that this process is ready, answers what it asks, and stops when it says so or is gone.
 * @param says the fields for the `ready` line
 */
export function answerPrimary(
  { readiness, metrics }: Pick<AdminSources, 'readiness'> & { readonly metrics: Pick<Metrics, 'values'> },
  says: object,
  stop: (why: object) => void,
  log: Pick<Logger, 'warn' | 'error'>,
): void {
  onPrimary((message) => {
    if (message.kind === 'stop') return stop({});
    if (message.kind !== 'ask') return;
    const { id, what } = message;
    const state = what === 'readiness' ? readiness() : metrics.values();
    state.then(
      (told) => tellPrimary({ kind: 'answer', id, state: { [what]: told } }),
      (error: unknown) => {
        log.error({ err: error, what }, 'the primary could not be answered');
        tellPrimary({ kind: 'answer', id, state: {} });
      },
    );
  });
  onPrimaryGone(() => {
    log.warn({}, 'the primary is gone, this process ends as well');
    stop({});
  });
  tellPrimary({ kind: 'ready', says });
}
