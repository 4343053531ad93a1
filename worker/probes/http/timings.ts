import type { SocketTimes } from './agents.ts';
import type { Timings } from './port.ts';

export type RequestTimes = {
  readonly asked: number;
  /** Of a fresh socket; undefined for a reused one. */
  readonly socket: SocketTimes | undefined;
  readonly answered: number;
  readonly ended: number;
};

/** The phases of one request, each rounded to 0.1 ms first, so that they add up to `total` exactly. */
export function readTimings({ asked, socket, answered, ended }: RequestTimes): Timings {
  const marks = socket
    ? [asked, socket.start, socket.resolved, socket.connected, socket.secured]
    : [asked, asked, asked, asked, asked];
  // Node tells of a kept-alive answer a moment before or after the socket's own events; a phase is never below 0.
  const phases = [...marks, answered, ended].map((mark, index, all) =>
    tenths(Math.max(0, mark - (all[index - 1] ?? mark))),
  );
  const [, wait = 0, dns = 0, tcp = 0, tls = 0, ttfb = 0, download = 0] = phases;
  return {
    wait,
    dns,
    tcp,
    tls,
    ttfb,
    download,
    total: tenths(phases.reduce((sum, phase) => sum + phase, 0)),
    reused: socket === undefined,
  };
}

function tenths(ms: number): number {
  return Math.round(ms * 10) / 10;
}
