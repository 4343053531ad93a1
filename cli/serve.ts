import { type ProcessContext, runProcess } from '#shared/lifecycle/process';
import { runGraceMs } from '../worker/start/part.ts';

/**
 * `diag serve` (npm start): API and workers in one process, embedded or, with REDIS_URL and MONGODB_URL, over both.
 * With WEB_CONCURRENCY several processes listen, and one more works.
 */
export async function serve(): Promise<void> {
  await runProcess({
    name: 'serve',
    adminPort: 3001,
    isScaled: false,
    graceMs: runGraceMs,
    open: async (context) => [...(await listen(context)), ...(await runChecks(context))],
    children: { listener: listen, beside: runChecks },
  });
}

// Loaded when they are opened: a process that only starts others has no use for them.
async function listen(context: ProcessContext) {
  const { apiPart } = await import('../api/part.ts');
  return [await apiPart(context)];
}

async function runChecks(context: ProcessContext) {
  const { workerPart } = await import('../worker/start/part.ts');
  return [await workerPart(context)];
}
