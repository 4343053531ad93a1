import type { QueueName } from '../model/job.ts';

/** The jobs of one host: those that hold a slot, and those that wait for one, a line for each queue. */
export type HostLine = {
  readonly slots: Map<string, QueueName>;
  readonly parked: { readonly network: DrawnTurn[]; readonly browser: DrawnTurn[] };
  /** The turn that was last given a slot. */
  turn: number;
  /** The last turn that each waiting caller drew. */
  readonly callers: Map<string, number>;
};
export type DrawnTurn = { readonly jobId: string; readonly turn: number };
export type SlotQueue = 'network' | 'browser';

/** Of a host's slots the browser may hold one: a page load is many connections already. */
const browserSlots = 1;

/** A host with nobody there. */
export function emptyLine(): HostLine {
  return { slots: new Map(), parked: { network: [], browser: [] }, turn: 0, callers: new Map() };
}

/** True when a job of this queue could run now. */
export function hasRoom(line: HostLine, queue: SlotQueue, limit: number): boolean {
  if (line.slots.size >= limit) return false;
  return (
    queue === 'network' || [...line.slots.values()].filter((held) => held === 'browser').length < browserSlots
  );
}

/** Puts a job at its caller's next turn: callers alternate, however many jobs one of them has. Returns its place, 1 is next. */
export function park(line: HostLine, queue: SlotQueue, jobId: string, caller: string): number {
  const turn = Math.max(line.turn, line.callers.get(caller) ?? 0) + 1;
  line.callers.set(caller, turn);
  const waiting = line.parked[queue];
  let at = waiting.length;
  while (at > 0 && (waiting[at - 1]?.turn ?? 0) > turn) at -= 1;
  waiting.splice(at, 0, { jobId, turn });
  return at + 1;
}

/** Another caller waits for a parked job, too: it gets that caller's next turn, where this is earlier than its own. */
export function lift(line: HostLine, queue: SlotQueue, jobId: string, caller: string): void {
  const waiting = line.parked[queue];
  const at = waiting.findIndex((entry) => entry.jobId === jobId);
  const next = Math.max(line.turn, line.callers.get(caller) ?? 0) + 1;
  if ((waiting[at]?.turn ?? 0) <= next) return;
  waiting.splice(at, 1);
  park(line, queue, jobId, caller);
}

/** Takes the job whose turn it is among the heads that may run, or undefined. */
export function takeNext(
  line: HostLine,
  limit: number,
): { readonly jobId: string; readonly queue: SlotQueue } | undefined {
  const heads = (['network', 'browser'] as const).flatMap((queue) => {
    const head = line.parked[queue][0];
    return head && hasRoom(line, queue, limit) ? [{ ...head, queue }] : [];
  });
  const [first, second] = heads;
  const next = first && second && second.turn < first.turn ? second : first;
  if (!next) return undefined;
  line.parked[next.queue].shift();
  line.turn = Math.max(line.turn, next.turn);
  return next;
}

/** Takes a job out of the line, wherever it is. */
export function leave(line: HostLine, jobId: string): void {
  line.slots.delete(jobId);
  for (const waiting of Object.values(line.parked)) {
    const at = waiting.findIndex((entry) => entry.jobId === jobId);
    if (at >= 0) waiting.splice(at, 1);
  }
}

/** True when no job holds a slot or waits: the line can be forgotten. */
export function isEmpty(line: HostLine): boolean {
  return line.slots.size === 0 && line.parked.network.length === 0 && line.parked.browser.length === 0;
}
