import type { AskParts } from '#shared/ask/ask';
import { rememberNone, type UnkeptReport } from '#shared/ask/reports';
import type { Backend } from '#shared/lifecycle/backend';
import type { RunWaits } from '#shared/queue/waiting/waiting';
import type { Config } from '#shared/settings/config';
import { costOf, isOffered } from '#shared/settings/offered';

/** What asking takes in a worker, which reads each report once. */
export function askPartsOf(
  config: Config,
  { jobQueue, reportStore }: Pick<Backend, 'jobQueue' | 'reportStore'>,
  waiting: RunWaits,
): AskParts<UnkeptReport> {
  return {
    remembered: rememberNone,
    reportStore,
    reportIds: config.REPORT_IDS,
    jobQueue,
    waiting,
    queueSeconds: config.QUEUE_SECONDS,
    costOf: (spec, options) => costOf((one) => isOffered(config, one), spec, options),
  };
}
