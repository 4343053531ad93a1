import type { Job, QueueName, ToldJob } from '../model/job.ts';

/** waiting: for its turn · running: it asks · done: it has ended and is judged · failed: it came to no end. */
export const partStates = ['waiting', 'running', 'done', 'failed'] as const;

/** A part of a run, by its name. */
export type PartProgress = { readonly name: string; readonly state: (typeof partStates)[number] };

/** How far a run is: questions answered, of how many known so far, and what is being asked now. */
export type Progress = {
  readonly done: number;
  readonly total: number;
  readonly current: string;
  /** Of a run that is made of several. */
  readonly parts?: readonly PartProgress[];
  /** Ids of the stored reports that it is judged by, as far as they are there. */
  readonly reports?: readonly string[];
};

/** The progress of a job that has told of none. */
export const notStarted: Progress = { done: 0, total: 1, current: '' };

export type Submitted = {
  /** `joined` equal work that was there before; `full`: too much waits for the host or in the queue, nothing was kept. */
  readonly state: 'joined' | 'admitted' | 'parked' | 'full';
  /** The job that will answer: the earlier one's id if joined. */
  readonly jobId: string;
  /** Place among those that wait for its host, 1 is next; only when parked. */
  readonly position?: number;
};

/**
 * What operators count of a queue. lost: a run whose worker ended · handed-again: nobody took a job whose turn had come · expired: a turn that
 * did not come in time · submitted-again: a job that was not there any more.
 */
export const queueEvents = ['lost', 'handed-again', 'expired', 'submitted-again'] as const;
export type QueueEvent = (typeof queueEvents)[number];

export type JobState =
  | { readonly state: 'waiting'; readonly position: number; readonly job: Job }
  | { readonly state: 'running'; readonly progress: Progress; readonly job: Job }
  | { readonly state: 'done' | 'failed' | 'expired'; readonly job: ToldJob }
  | { readonly state: 'unknown' };

/** The connection was broken for a while: some ends may have gone unheard. */
export type Missed = 'missed';

/** A job has ended. Only says "look now": the report is in the store. `failed`: it says that our own run could not end. */
export type Done = Pick<Job, 'jobKey' | 'jobId' | 'queue' | 'host'> & {
  /** Under which its run has stored the report, if it did; none was reported by an older worker. */
  readonly reportId?: string;
  readonly state: 'done' | 'failed' | 'expired';
  /** How long it ran, milliseconds; 0 for a job that never did. */
  readonly tookMs: number;
};

/** The slot of its worker that a run occupies. */
export type Slot = {
  /** Gives the slot to other work, while the run waits for something that it does not do itself: the pace of a host, another job. */
  release(): void;
  /** Waits until the run has a slot again. Rejects only with the signal's reason. */
  retake(signal: AbortSignal): Promise<void>;
};

/** A slot for runs outside a queue, which nobody waits for. */
export const ownSlot: Slot = { release: () => undefined, retake: async () => undefined };

/**
 * How a run starts. `attempt` counts starts from 1. `mayBeStored` is false where no report of the key can have been stored since the
 * submitter looked for one, at `wanted.since` or later: then the run does not look in the store again.
 */
export type RunStart = { readonly attempt: number; readonly mayBeStored: boolean; readonly slot: Slot };

/** Thrown by a run that has asked its target nothing, because something that it needs is away: the job is taken up again later, while it may start. */
export class NotBegun extends Error {
  override readonly cause: Error;

  /** @param cause what is away; the job is given up with it where it may start no more */
  constructor(cause: Error) {
    super(cause.message);
    this.cause = cause;
  }
}

/**
 * Runs one job. Returning means the report is stored, and whether it is a `failed` one; throwing fails the job, but for `NotBegun`.
 * The signal aborts when the queue is closed by force; the run limit is the runner's own.
 */
export type RunJob = (
  job: Job,
  start: RunStart,
  signal: AbortSignal,
  report: (progress: Progress) => void,
) => Promise<'failed' | undefined>;

/** Called when a job cannot end by itself any more (it lost its worker twice, or `run` threw); stores the `failed` report. Never rejects for a store that is away. */
export type GaveUp = (job: Job, cause: unknown) => Promise<void>;

/** Jobs that wait for a worker, that wait for their host, and that run. Ages are 0 where none waits. */
export type QueueStats = {
  readonly waiting: number;
  readonly parked: number;
  readonly running: number;
  /** How long the oldest job that could run has waited for a worker, since its host had room for it. */
  readonly oldestWaitingMs: number;
  /** How long ago the oldest job that waits for its host was submitted. */
  readonly oldestParkedMs: number;
};

/** Unfinished jobs of a caller, those that a domain-health started for it included. */
export type CallerJobs = { readonly running: number; readonly waiting: number };

export type QueueWorker = {
  /** Stops taking jobs, waits for those that run, and after `graceMs` aborts them. */
  close(graceMs: number): Promise<void>;
  /** False until the other processes can know that somebody serves the queue; they may refuse its jobs before. Left out where they know at once. */
  isAnnounced?(): boolean;
};

/** The slots of a worker: how many it has at most, and how many it can use just now, which is asked every few seconds. */
export type Slots = { readonly most: number; readonly now: () => number };

export type Unsubscribe = () => void;

/**
 * The queue of work. Equal jobs (same jobKey) run once; of one host at most `hostConcurrency` run at a time, of them one in `browser`;
 * the others of that host wait their turn, round-robin by caller, and hold up nobody else. Callers share the slots of all workers level by
 * level (`Job.levels`): who holds the fewest is next, nobody waits behind another's backlog, and a lone caller may have all.
 */
export interface JobQueue {
  /** @param hostWaitingLimit jobs of its host that may wait before it, where the caller knows how many get their turn in time; else the queue's own guess */
  submit(job: Job, hostWaitingLimit?: number): Promise<Submitted>;
  /**
   * Ends what one request wants of the waiting job of this key. With the last who wants it the job leaves the queue: nobody is told of it, and
   * its key is free again.
   * @param job as it was submitted; found by its key, and by the request on whose behalf it was submitted
   * @returns true where the job has left; false where it goes on: it runs, has ended, or others want it
   */
  withdraw(job: Job): Promise<boolean>;
  /** Calls the listener at most once for each job that ends, from the subscription on. */
  onDone(listener: (done: Done | Missed) => void): Unsubscribe;
  /** Remembers for ten minutes after its end what became of a job: somebody was told its id. Of any other an end is known for a minute at most. */
  tell(job: ToldJob): Promise<void>;
  look(jobId: string): Promise<JobState>;
  /** Calls the listener for each event that this process found or brought about: no two processes tell of the same. */
  onEvent(listener: (queue: QueueName, event: QueueEvent, count: number) => void): Unsubscribe;
  /** Counts an event that somebody who waits for jobs has found. */
  count(queue: QueueName, event: QueueEvent): void;
  /** True unless jobs that may run are kept from the workers by means that are not ours: which, and what to do. Left out where there are none. */
  deliveryState?(): Promise<true | string>;
  work(queue: QueueName, slots: number | Slots, run: RunJob, gaveUp: GaveUp): QueueWorker;
  /**
   * Tells that a worker here should serve the queue and cannot; while no other does, a submit is refused with Problem `browser_unavailable`.
   * @param fix what an operator must do, a sentence; shown to callers
   */
  deny(queue: QueueName, fix: string): void;
  stats(): Promise<Readonly<Record<QueueName, QueueStats>>>;
  jobsOf(caller: Pick<Job, 'caller' | 'levels'>): Promise<CallerJobs>;
  /** Unix ms by which reports are dated: over Redis by its clock, which a clock of this machine that is set meanwhile does not change. */
  nowMs(): number;
  /** True while this machine's clock is fit for work, else how far it is off; left out where nobody else's time counts. */
  clockState?(): true | string;
  /** True when jobs can be taken now; says why not in a few words otherwise. */
  ping(): Promise<true | string>;
  close(graceMs: number): Promise<void>;
}
