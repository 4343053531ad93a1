import cluster from 'node:cluster';
import { constants } from 'node:os';
import type { ChildRole } from '../../settings/config.ts';
import { type ChildState, type FromChild, type FromPrimary, tellChild } from './messages.ts';

/** A place for a child: when one ends, the next takes its place and its name. */
export type ChildPlace = { readonly name: string; readonly role: ChildRole };

/** A process that was started here. */
export type Child = {
  readonly place: ChildPlace;
  isReady(): boolean;
  /** Resolves when its parts are open, with what it says of itself; never, if it ends before. */
  readonly ready: Promise<object>;
  /** Resolves with its exit status, as a shell tells it: of a signal, 128 and its number. */
  readonly ended: Promise<number>;
  /** Gives its state; undefined where it is not ready, or does not answer in time. */
  ask<Part extends keyof ChildState>(what: Part): Promise<ChildState[Part] | undefined>;
  /** @param onWritten once the message has left this process, or cannot */
  tell(message: FromPrimary, onWritten?: () => void): void;
  /** Has it stop in order. */
  stop(): void;
  kill(): void;
};

/** A child itself waits 1 s for its queue and its store. */
const answerWithinMs = 1500;

/** What a child tells its starter while it lives. */
export type ChildEvents = {
  /** Is given what the child sends. */
  readonly onMessage: (child: Child, message: FromChild) => void;
  /** Is told why it could not be started; then it has ended with 1. */
  readonly onNoStart: (error: Error) => void;
};

/** Starts a process like this one, with this role. Throws for some reasons why the machine refuses to; `onNoStart` is told of the others. */
export function forkChild(place: ChildPlace, { onMessage, onNoStart }: ChildEvents): Child {
  const worker = cluster.fork({ DIAG_ROLE: place.role });
  const ready = Promise.withResolvers<object>();
  const ended = Promise.withResolvers<number>();
  const asked = new Map<number, (state: Partial<ChildState>) => void>();
  let isReady = false;
  let lastId = 0;
  const child: Child = {
    place,
    isReady: () => isReady,
    ready: ready.promise,
    ended: ended.promise,
    async ask(what) {
      if (!isReady) return undefined;
      lastId += 1;
      const id = lastId;
      const answer = Promise.withResolvers<Partial<ChildState>>();
      asked.set(id, answer.resolve);
      const timer = setTimeout(() => answer.resolve({}), answerWithinMs);
      tellChild(worker, { kind: 'ask', id, what });
      const state = await answer.promise;
      clearTimeout(timer);
      asked.delete(id);
      return state[what];
    },
    tell: (message, onWritten) => tellChild(worker, message, onWritten),
    // One that is only starting has nothing to end in order, and does not listen yet.
    stop: () => (isReady ? tellChild(worker, { kind: 'stop' }) : void worker.process.kill('SIGTERM')),
    kill: () => void worker.process.kill('SIGKILL'),
  };
  worker.on('message', (message: FromChild) => {
    if (message.kind === 'answer') return asked.get(message.id)?.(message.state);
    if (message.kind === 'ready') {
      isReady = true;
      ready.resolve(message.says);
    }
    onMessage(child, message);
  });
  // One that could not be started has no number, and no other end.
  worker.on('error', (error) => {
    if (worker.process.pid !== undefined) return;
    onNoStart(error);
    ended.resolve(1);
  });
  worker.once('exit', (code, signal) => {
    isReady = false;
    for (const answer of asked.values()) answer({});
    ended.resolve(statusOf(code, signal as NodeJS.Signals | null));
  });
  return child;
}

function statusOf(code: number | null, signal: NodeJS.Signals | null): number {
  return code ?? 128 + (signal ? constants.signals[signal] : 0);
}
