// Loaded into a service by --import: how long its own work holds the event loop, as a line of JSON in the file of LOOP_WATCH_FILE at its end; a signal SIGUSR2 begins a part of its own.
import { writeFileSync } from 'node:fs';

const everyMs = 5;
/** What the loop was held for by work of its own thread, at each look. A machine with other work is late too, but uses no CPU here. */
let heldMs: number[] = [];
/** Ends of the long ones, in µs of the clock of CPU profiles. */
let long: { readonly atUs: number; readonly ms: number }[] = [];
const parts = [{ heldMs, long }];
let at = performance.now();
let used = process.threadCpuUsage();

setInterval(() => {
  const now = performance.now();
  const late = now - at - everyMs;
  const { user, system } = process.threadCpuUsage(used);
  const ms = Math.max(0, Math.min(late, (user + system) / 1000));
  heldMs.push(ms);
  if (ms > 10) long.push({ atUs: Number(process.hrtime.bigint() / 1000n), ms });
  [at, used] = [now, process.threadCpuUsage()];
}, everyMs).unref();

// A new part begins.
process.on('SIGUSR2', () => {
  [heldMs, long] = [[], []];
  parts.push({ heldMs, long });
});
process.on('exit', () => {
  const file = process.env['LOOP_WATCH_FILE'];
  if (file !== undefined) writeFileSync(file, JSON.stringify(parts));
});
