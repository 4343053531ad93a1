import { runProcess } from '#shared/lifecycle/process';
import { apiPart } from '../api/part.ts';
import { runGraceMs, workerPart } from '../worker/start/part.ts';

/** `diag serve` (npm start): API and workers in one process, embedded or, with REDIS_URL and MONGODB_URL, over both. */
export async function serve(): Promise<void> {
  await runProcess({
    name: 'serve',
    adminPort: 3001,
    isScaled: false,
    graceMs: runGraceMs,
    open: async (context) => [await apiPart(context), await workerPart(context)],
  });
}
