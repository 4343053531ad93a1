import type { Job } from '../model/job.ts';
import type { JobQueue, Submitted } from '../ports/job-queue.ts';
import { type Books, bytesOf, end, enter, joinTurns, openBooks, stateOf, takeReady } from './memory-books.ts';
import { openCrew } from './memory-crew.ts';
import { giveSlot, regainSlot, resumeAll } from './memory-slots.ts';
import { jobsOf, statsOf } from './memory-stats.ts';
import { pagePartyOf, tooManyPages, unserved } from './unavailable.ts';

export type MemoryQueueOptions = {
  readonly hostConcurrency: number;
  /** Jobs of one host that may wait; beyond that a submit is `full`. */
  readonly lineLimit: number;
  /** Jobs that may wait, over all hosts; beyond that a submit is `full`. */
  readonly waitingLimit: number;
  /** What unfinished jobs may hold together, in bytes; where left out 256 MiB. */
  readonly waitingBytes?: number;
  /** Page loads that a caller may have unfinished; where left out they are not counted. */
  readonly pageLimit?: number;
};

const usualWaitingBytes = 256 * 1024 * 1024;

/** The queue of a single process: the same promises as the one over Redis, kept in memory. Jobs do not survive the process; a repeated GET starts them again. */
export function openMemoryJobQueue(options: MemoryQueueOptions): JobQueue {
  const books = openBooks(options.hostConcurrency);
  return {
    submit: async (given, lineLimit = options.lineLimit) => submit(books, options, given, lineLimit),
    onDone(listener) {
      books.events.on('done', listener);
      return () => books.events.off('done', listener);
    },
    look: async (_queue, jobId) => stateOf(books, jobId),
    work(queue, concurrency, run, gaveUp) {
      const crew = openCrew({
        queue,
        concurrency,
        run,
        gaveUp,
        take: () => takeReady(books, queue),
        end: (entry, ended) => end(books, entry, ended),
        doorOf: (entry) => ({
          give: () => giveSlot(books, entry),
          take: (signal) => regainSlot(books, entry, signal),
        }),
      });
      books.crews.add(crew);
      crew.wake();
      return {
        async close(graceMs) {
          books.crews.delete(crew);
          resumeAll(books, queue);
          await crew.close(graceMs);
        },
      };
    },
    deny: (queue, fix) => void books.denied.set(queue, fix),
    jobsOf: async ({ caller }) => jobsOf(books, caller),
    stats: async () => ({
      network: statsOf(books, 'network'),
      browser: statsOf(books, 'browser'),
      composite: statsOf(books, 'composite'),
    }),
    clockOffsetMs: () => 0,
    ping: async () => true,
    async close(graceMs) {
      await Promise.all([...books.crews].map((crew) => crew.close(graceMs)));
      for (const { timer } of books.entries.values()) clearTimeout(timer);
      books.events.removeAllListeners();
    },
  };
}

function submit(books: Books, options: MemoryQueueOptions, given: Job, lineLimit: number): Submitted {
  const earlier = books.byKey.get(given.jobKey);
  if (earlier !== undefined) {
    joinTurns(books, earlier, given);
    return { state: 'joined', jobId: earlier };
  }
  // Through JSON, as over Redis: what would be lost there is lost here too.
  const job = JSON.parse(JSON.stringify(given)) as Job;
  checkIsServed(books, job);
  checkPages(books, job, options.pageLimit ?? Infinity);
  if (isFull(books, job, options)) return { state: 'full', jobId: job.jobId };
  return enter(books, job, lineLimit);
}

// Before the first worker starts, nothing is known of who will serve what.
function checkIsServed({ crews, denied }: Books, { queue }: Job): void {
  const isKnown = crews.size > 0 || denied.has(queue);
  if (isKnown && ![...crews].some((crew) => crew.queue === queue)) throw unserved(denied.get(queue), queue);
}

function checkPages({ pages }: Books, job: Job, limit: number): void {
  if (job.queue === 'browser' && (pages.get(pagePartyOf(job)) ?? 0) >= limit) throw tooManyPages(limit);
}

function isFull(
  books: Books,
  job: Job,
  { waitingLimit, waitingBytes = usualWaitingBytes }: MemoryQueueOptions,
): boolean {
  return books.entries.size >= waitingLimit || books.heldBytes + bytesOf(job) > waitingBytes;
}
