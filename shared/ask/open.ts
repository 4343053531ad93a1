import type { JobQueue } from '../ports/job-queue.ts';
import { openJobKeys } from '../queue/job-keys.ts';
import type { RunWaits } from '../queue/waiting/waiting.ts';
import type { Config } from '../settings/config.ts';
import { costOf, isOffered } from '../settings/offered.ts';
import { targetPolicyOf } from '../settings/policy.ts';
import type { AskParts } from './ask.ts';
import type { ReportPlaces } from './find-report.ts';
import { openQuestions, type Questions } from './question.ts';
import type { KnownReport } from './reports.ts';

/** What a process asks over. */
export type AskPorts<R extends KnownReport> = ReportPlaces<R> & {
  readonly jobQueue: Pick<JobQueue, 'look'>;
  readonly waiting: RunWaits;
};

/** What asking takes, as the settings have it. */
export function openAskParts<R extends KnownReport>(config: Config, ports: AskPorts<R>): AskParts<R> {
  return {
    ...ports,
    reportIds: config.REPORT_IDS,
    queueSeconds: config.QUEUE_SECONDS,
    costOf: (spec, options) => costOf((one) => isOffered(config, one), spec, options),
  };
}

/** The reader of questions, as the settings have it. */
export function questionsOf(config: Config): Questions {
  return openQuestions(targetPolicyOf(config), openJobKeys(config), (spec) => isOffered(config, spec));
}
