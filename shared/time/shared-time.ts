import { type Freshness } from '../model/freshness.ts';
import { type Job } from '../model/job.ts';
import type { ReportStore, StoredReport } from '../ports/report-store.ts';

/**
 * Shifts the times of a job to another clock.
 * @param ms how far that clock is ahead of this one
 */
export function shiftJob(job: Job, ms: number): Job {
  if (ms === 0) return job;
  const { since } = job.options;
  return {
    ...job,
    startBy: job.startBy + ms,
    wanted: shiftWanted(job.wanted, ms),
    // The options of a visit say how new the reports of its parts must be.
    options: typeof since === 'number' ? { ...job.options, since: since + ms } : job.options,
  };
}

function shiftWanted(wanted: Freshness, ms: number): Freshness {
  return { ...wanted, notBefore: wanted.notBefore + ms };
}

/**
 * Wraps the store for a process whose own clock is wrong: times that it reads are shifted to this machine's clock. The JSON of a stored
 * report stays unchanged. Times that it writes are shared time already, because this machine's clock may be set between the making and the
 * storing of a report.
 * @param offsetMs how far the shared clock is ahead of this machine's
 */
export function inSharedTime(store: ReportStore, offsetMs: () => number): ReportStore {
  return {
    ...store,
    insert: async (report, keys) => shiftStored(await store.insert(report, keys), -offsetMs()),
    async findFresh(questions) {
      const ms = offsetMs();
      if (ms === 0) return store.findFresh(questions);
      const asked = questions.map(({ jobKey, wanted }) => ({ jobKey, wanted: shiftWanted(wanted, ms) }));
      const found = new Map<string, StoredReport>();
      for (const [jobKey, stored] of await store.findFresh(asked, Date.now() + ms))
        found.set(jobKey, shiftStored(stored, -ms));
      return found;
    },
    async get(reportId) {
      const ms = offsetMs();
      const stored = await store.get(reportId, Date.now() + ms);
      return stored && shiftStored(stored, -ms);
    },
    getBlob: (name) => store.getBlob(name, Date.now() + offsetMs()),
  };
}

function shiftStored(stored: StoredReport, ms: number): StoredReport {
  if (ms === 0) return stored;
  const { checkedAt, freshUntil, expiresAt } = stored;
  return { ...stored, checkedAt: checkedAt + ms, freshUntil: freshUntil + ms, expiresAt: expiresAt + ms };
}
