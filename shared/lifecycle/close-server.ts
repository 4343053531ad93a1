import type { Server } from 'node:http';
import { setImmediate as turn } from 'node:timers/promises';

/** One turn may end without a look at the sockets, where the wait for it began behind that look. */
const quietTurns = 2;

/** Closes a server: who has connected already is let in first, answers that are under way end, and after `graceMs` what is left is cut off. */
export async function closeServer(server: Server, graceMs: number): Promise<void> {
  await untilNobodyArrives(server, graceMs);
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearTimeout(timer);
}

/**
 * Waits until a turn of the event loop finds nobody at the door. Node accepts one connection a turn: a process with much to do can have many
 * that wait in the system's queue, and closing a listener resets them all. A turn also reads what has arrived on connections that look idle.
 */
async function untilNobodyArrives(server: Server, mostMs: number): Promise<void> {
  const until = performance.now() + mostMs;
  let arrived = 0;
  const count = () => {
    arrived += 1;
  };
  server.on('connection', count).on('drop', count);
  let quiet = 0;
  while (quiet < quietTurns && performance.now() < until) {
    const before = arrived;
    await turn();
    quiet = arrived > before ? 0 : quiet + 1;
  }
  server.off('connection', count).off('drop', count);
}
