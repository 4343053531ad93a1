import { runProcess } from '#shared/lifecycle/process';
import { apiPart } from './part.ts';

/** An API process of a scaled deployment. */
export async function main(): Promise<void> {
  await runProcess({
    name: 'api',
    adminPort: 3001,
    isScaled: true,
    graceMs: 10_000,
    open: async (context) => [await apiPart(context)],
  });
}
