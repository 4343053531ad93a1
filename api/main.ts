import { type ProcessContext, runProcess } from '#shared/lifecycle/process';

/** An API process of a scaled deployment; with WEB_CONCURRENCY several that share one port. */
export async function main(): Promise<void> {
  await runProcess({
    name: 'api',
    adminPort: 3001,
    isScaled: true,
    graceMs: 10_000,
    open: listen,
    children: { listener: listen },
  });
}

// Loaded when it is opened: a process that only starts others has no use for it.
async function listen(context: ProcessContext) {
  const { apiPart } = await import('./part.ts');
  return [await apiPart(context)];
}
