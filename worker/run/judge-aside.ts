import { Worker } from 'node:worker_threads';
import type { Report } from '#shared/model/report';
import type { Check } from '../checks/check.ts';
import { type EvidenceFile, judge } from './judge.ts';

/** What the thread starts with. */
export type AsideStart = { readonly preloadFile: string | undefined };
/** A file to be judged, as JSON. */
export type AsideQuestion = { readonly id: number; readonly json: string };
/** Its report as JSON, or the defect that judging met. */
export type AsideAnswer = { readonly id: number } & (
  | { readonly report: string }
  | { readonly fault: string }
);

/** Judges what runs have seen without keeping the process from its other work. */
export type Judging = {
  /** The report of a file. Rejects with the signal's reason, and for a defect in judging. @param json the file as JSON */
  judge(check: Check, file: EvidenceFile, json: string, signal: AbortSignal): Promise<Report>;
  /** Ends the thread, if there is one. */
  close(): Promise<void>;
};

/** Usual evidence has 40,000 to 60,000 characters and is judged in some milliseconds; that of a hostile target has megabytes. */
const largeCharacters = 100_000;

/**
 * Opens the judging of a worker. Large evidence is judged in a thread, which starts with the first of it; a file whose run ends before
 * is given up together with the thread, so that no evidence can hold up others for longer than a run.
 * @param preloadFile the operator's HSTS preload list
 */
export function openJudging(preloadFile: string | undefined): Judging {
  const aside = openAside(preloadFile);
  return {
    async judge(check, file, json, signal) {
      if (json.length <= largeCharacters) return judge(check, file);
      signal.throwIfAborted();
      const { promise, resolve, reject } = Promise.withResolvers<Report>();
      const id = aside.ask({ json, resolve, reject });
      const abort = () => {
        aside.giveUp(id);
        reject(signal.reason as Error);
      };
      signal.addEventListener('abort', abort, { once: true });
      return promise.finally(() => signal.removeEventListener('abort', abort));
    },
    close: () => aside.close(),
  };
}

type PendingJudgement = {
  readonly json: string;
  readonly resolve: (report: Report) => void;
  readonly reject: (error: Error) => void;
};

/** The thread and the files that wait for it. */
function openAside(preloadFile: string | undefined) {
  const waiting = new Map<number, PendingJudgement>();
  let thread: Worker | undefined;
  let next = 0;

  const start = (): Worker => {
    const opened = new Worker(threadFile, {
      workerData: { preloadFile } satisfies AsideStart,
      resourceLimits,
    });
    opened.on('message', settle).on('error', (error: Error) => {
      if (opened !== thread) return;
      thread = undefined;
      // The thread reads one file after the other: the first of them has ended it.
      const [first] = waiting;
      if (!first) return;
      waiting.delete(first[0]);
      first[1].reject(error);
      if (waiting.size > 0) thread = start();
    });
    for (const [id, { json }] of waiting) opened.postMessage({ id, json } satisfies AsideQuestion);
    return opened;
  };
  const settle = (answer: AsideAnswer) => {
    const found = waiting.get(answer.id);
    waiting.delete(answer.id);
    // A process that waits for nothing else may end.
    if (waiting.size === 0) thread?.unref();
    if ('report' in answer) found?.resolve(JSON.parse(answer.report) as Report);
    else found?.reject(new Error(`evidence could not be judged: ${answer.fault}`));
  };
  return {
    ask(file: PendingJudgement): number {
      const id = next++;
      waiting.set(id, file);
      if (thread) thread.postMessage({ id, json: file.json } satisfies AsideQuestion);
      else thread = start();
      thread.ref();
      return id;
    },
    giveUp(id: number) {
      if (!waiting.delete(id)) return;
      void thread?.terminate(); // whatever keeps it busy
      thread = waiting.size > 0 ? start() : undefined;
    },
    async close() {
      await thread?.terminate();
      thread = undefined;
    },
  };
}

/** The largest evidence takes 30 MB to judge; a heap that grows beyond ends the thread, not the process. */
const resourceLimits = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 } as const;

const threadFile = new URL('./judge-thread.ts', import.meta.url);
