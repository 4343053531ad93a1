import cluster, { type Worker } from 'node:cluster';
import type { Readiness } from '../../model/readiness.ts';
import type { MetricValues } from '../../telemetry/metrics.ts';

/** Points of a caller's window that ends at `endsAt`, ms of `steadyNow`, which all processes of this machine share. */
export type Points = readonly [key: string, points: number, endsAt: number];

/** What a child tells of itself when it is asked. */
export type ChildState = { readonly readiness: Readiness; readonly metrics: MetricValues };

export type FromPrimary =
  | { readonly kind: 'ask'; readonly id: number; readonly what: keyof ChildState }
  /** What callers have spent over all children. */
  | { readonly kind: 'spent'; readonly points: readonly Points[] }
  | { readonly kind: 'stop' };

export type FromChild =
  /** Its parts are open; `says` are the fields for the `ready` line. */
  | { readonly kind: 'ready'; readonly says: object }
  | { readonly kind: 'answer'; readonly id: number; readonly state: Partial<ChildState> }
  /** What callers have spent here since it was last told. */
  | { readonly kind: 'spent'; readonly points: readonly Points[] };

/** Sends a message to the primary. @param onWritten once it has left this process, or cannot */
export function tellPrimary(message: FromChild, onWritten: () => void = () => undefined): void {
  // Without a primary nobody listens: this process is about to end, which is told by its own handler.
  if (!process.connected) return onWritten();
  process.send?.(message, undefined, {}, () => onWritten());
}

/** Listens to the primary. */
export function onPrimary(listener: (message: FromPrimary) => void): void {
  process.on('message', (message) => listener(message as FromPrimary));
}

/** Calls the listener once the primary is gone. By itself, Node would end a child at once, with its answers half sent. */
export function onPrimaryGone(listener: () => void): void {
  const { worker } = cluster;
  worker?.once('disconnect', () => {
    worker.exitedAfterDisconnect = true;
    listener();
  });
}

/** Sends a message to a child. @param onWritten once it has left this process, or cannot */
export function tellChild(
  worker: Worker,
  message: FromPrimary,
  onWritten: () => void = () => undefined,
): void {
  if (!worker.isConnected()) return onWritten();
  worker.send(message, undefined, {}, () => onWritten());
}
