// Benches for run-all.test.ts: one that measures, and one for each way not to.
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Benches } from '../../../bench/run-all.ts';
import type { Section } from '../../../bench/section.ts';

const section: Section = { title: 'A title', about: '', columns: [''], rows: [], limits: '' };
const once = (bench: () => Promise<Section>) => ({ load: async () => ({ bench }) });

/** Starts a process that would run for an hour, and tells its id in the file of PID_FILE. */
function startLongProcess(): void {
  const { pid } = spawn('/bin/sleep', ['3600'], { stdio: 'ignore' });
  writeFileSync(process.env['PID_FILE'] ?? '', String(pid));
}

/** As bench/run.ts exports them. */
export const benches: Benches = {
  measures: once(async () => section),
  throws: once(() => Promise.reject(new Error('the reason'))),
  ends: once(() => process.exit(3)),
  forgets: once(async () => {
    startLongProcess();
    writeFileSync(join(tmpdir(), 'left.txt'), 'of the bench');
    return section;
  }),
  hangs: once(async () => {
    startLongProcess();
    return new Promise<Section>(() => setInterval(() => undefined, 1000));
  }),
};
