import { openAskParts } from '#shared/ask/open';
import { openQuestions } from '#shared/ask/question';
import { rememberNone } from '#shared/ask/reports';
import type { JobQueue } from '#shared/ports/job-queue';
import { openJobKeys } from '#shared/queue/job-keys';
import { openWaiting } from '#shared/queue/waiting/waiting';
import { readConfig } from '#shared/settings/config';
import { targetPolicyOf } from '#shared/settings/policy';
import { openSqliteReportStore } from '#shared/stores/reports/sqlite';
import { openPlaces } from '#shared/time/places';
import { quiet } from '../../kit/bullmq-queue.ts';

/** What the jobs of composite jobs take over a queue, with a store of its own. */
export function openAsks(jobQueue: JobQueue) {
  const reportStore = openSqliteReportStore(':memory:', { log: quiet, limitBytes: 1e9 });
  const waiting = openWaiting({ jobQueue, reportStore, log: quiet, onDone: () => undefined });
  const config = readConfig({});
  const settings = {
    asking: openAskParts(config, { remembered: rememberNone, reportStore, jobQueue, waiting }),
    questions: openQuestions(targetPolicyOf(config), openJobKeys(config), () => true),
    publicPath: '',
    isOffered: () => false,
    visits: openPlaces(50),
  };
  return { reportStore, waiting, settings };
}
