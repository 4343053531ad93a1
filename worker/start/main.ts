import { runProcess } from '#shared/lifecycle/process';
import { runGraceMs, workerPart } from './part.ts';

/** A worker process of a scaled deployment. */
export async function main(): Promise<void> {
  await runProcess({
    name: 'worker',
    adminPort: 3002,
    isScaled: true,
    graceMs: runGraceMs,
    open: async (context) => [await workerPart(context)],
  });
}
