import type { Config } from '../../settings/config.ts';
import { openLogger } from '../../telemetry/logger.ts';
import { openAdminServer } from '../admin-server.ts';
import { asConfigError } from '../listen.ts';
import { settleWhenIdle } from '../settle.ts';
import { stopOnSignals } from '../stop-on-signals.ts';
import { warnOfMisspelt } from '../warn-of-misspelt.ts';
import type { Child, ChildPlace } from './child.ts';
import { openChildren } from './children.ts';
import { mergeReadiness } from './merge-readiness.ts';
import type { Points } from './messages.ts';
import { openSummedMetrics } from './sum-metrics.ts';
import { openSums } from './sum-points.ts';

export type PrimaryOptions = {
  readonly name: string;
  readonly adminPort: number;
  readonly graceMs: number;
  readonly places: readonly ChildPlace[];
};

/** What a child takes to end beyond its grace: connections that are open for what is on its way, spans that are sent. */
const endingMs = 4000;

/**
 * Runs the process that starts the others. It answers no caller: it accepts connections and hands them to its children in
 * turn, has one admin port for all, and holds their common counts.
 */
export async function runPrimary(options: PrimaryOptions, config: Config): Promise<void> {
  const { name, places, graceMs } = options;
  const log = openLogger(config.LOG_LEVEL);
  warnOfMisspelt(log);
  const works = () => children.all().flatMap((child) => (child?.isReady() ? [child] : []));
  const metrics = openSummedMetrics(() => works().length === places.length);
  const sums = openSums((points) => tellSpent(works(), points));
  const children = openChildren(places, {
    log,
    onMessage(child, message) {
      if (message.kind === 'ready') child.tell({ kind: 'spent', points: sums.all() });
      if (message.kind === 'spent') sums.add(message.points);
    },
    onEnd: (child) => metrics.keep(child),
    onFault(status) {
      // It has said itself what is wrong.
      process.exitCode = status;
      stop({ status });
    },
  });
  const readiness = async () =>
    mergeReadiness(await Promise.all(children.all().map(async (child) => child?.ask('readiness'))));
  const place = {
    host: config.ADMIN_HOST,
    port: config.ADMIN_PORT,
    defaultPort: options.adminPort,
    publicUrl: config.PUBLIC_URL,
  };
  const admin = await openAdminServer(
    place,
    { readiness, metrics: { text: () => metrics.text(works()) } },
    log,
  ).catch(asConfigError('ADMIN_PORT', config.ADMIN_PORT));
  const stop = stopOnSignals(
    async () => {
      admin.drain();
      await children.stop(config.DRAIN_SECONDS * 1000 + graceMs + endingMs);
      await admin.close();
    },
    log,
    () => children.kill(),
  );
  const says = await children.start();
  settleWhenIdle();
  const listeners = places.filter(({ role }) => role === 'listener').length;
  log.info(
    Object.assign({ process: name, listeners, adminPort: admin.port }, ...says.toReversed()) as object,
    'ready',
  );
}

const busy = new WeakSet<Child>();

/** A child that has not taken the last message is passed over, so that nothing piles up before one that is frozen. */
function tellSpent(children: readonly Child[], points: readonly Points[]): void {
  for (const child of children) {
    if (busy.has(child)) continue;
    busy.add(child);
    child.tell({ kind: 'spent', points }, () => busy.delete(child));
  }
}
