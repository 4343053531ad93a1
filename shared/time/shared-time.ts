import { type Job, type Wanted } from '../model/job.ts';
import type { ReportStore, StoredReport } from '../ports/report-store.ts';

/** A job whose times are those of another clock. @param ms what that clock shows more than this one */
export function shiftJob(job: Job, ms: number): Job {
  if (ms === 0) return job;
  const { since } = job.options;
  return {
    ...job,
    startBy: job.startBy + ms,
    wanted: shiftWanted(job.wanted, ms),
    // A visit's options say which reports its parts want.
    options: typeof since === 'number' ? { ...job.options, since: since + ms } : job.options,
  };
}

function shiftWanted(wanted: Wanted, ms: number): Wanted {
  return { ...wanted, since: wanted.since + ms };
}

/**
 * The store as a process sees it whose own clock is wrong: what it reads is told in its own time, though the JSON of a stored report is left
 * as it is. What it stores carries the shared time already: this machine's clock may be set between the making of a report and its storing.
 * @param offsetMs what the shared clock shows more than this machine's
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
