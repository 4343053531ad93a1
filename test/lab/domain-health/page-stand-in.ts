import { pagespeedCheck } from '#shared/catalogue/pagespeed-check/spec';
import type { Job } from '#shared/model/job';
import { makeReport, type Report } from '#shared/model/report';
import type { JobQueue, QueueWorker } from '#shared/ports/job-queue';
import type { ReportStore } from '#shared/ports/report-store';

/** Takes the jobs of the browser queue, loads no page, and stores what a page load would: 95 points for a page that is there, none for another. */
export type PageStandIn = QueueWorker & {
  /** URLs that were asked for, in order. */
  readonly asked: readonly string[];
  /** From now on page loads do not end before the returned function is called. */
  hold(): () => void;
};

export type PageStandInPorts = { readonly jobQueue: JobQueue; readonly reportStore: ReportStore };

/** Opens it. @param site whether a page is at a URL, and whether reports have ids */
export function openPageStandIn(
  { jobQueue, reportStore }: PageStandInPorts,
  { isThere, hasIds }: { readonly isThere: (url: string) => boolean; readonly hasIds: boolean },
): PageStandIn {
  const asked: string[] = [];
  let gate = Promise.resolve();
  const load = async (job: Job) => {
    asked.push(job.target);
    await gate;
    await reportStore.insert(reportOf(hasIds ? job.reportId : undefined, job, isThere(job.target)), job);
    return undefined;
  };
  const crew = jobQueue.work('browser', 1, load, async () => undefined);
  return {
    asked,
    hold() {
      const { promise, resolve } = Promise.withResolvers<void>();
      gate = promise;
      return resolve;
    },
    close: (graceMs) => crew.close(graceMs),
  };
}

function reportOf(reportId: string | undefined, { target }: Job, isThere: boolean): Report {
  const facts = {
    check: pagespeedCheck.name,
    target: { url: target },
    rules: {},
    rulesVersion: pagespeedCheck.rulesVersion,
    reportId,
    checkedAtMs: Date.now(),
    durationMs: 1,
    freshForS: isThere ? pagespeedCheck.freshForS : 60,
    keepForS: 86_400,
  };
  const state = isThere ? ('complete' as const) : ('unreachable' as const);
  return makeReport(facts, { state, verdicts: {}, score: isThere ? 95 : null, fields: {} });
}
