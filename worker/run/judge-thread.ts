// The thread in which large evidence is judged (`judge-aside.ts`): one file after the other, each answered with its report.
import { readFileSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';
import type { AsideAnswer, AsideQuestion, AsideStart } from './judge-aside.ts';
import type { EvidenceFile } from './judge.ts';

// A thread has a compile cache of its own, which has to be there before the first module that is loaded by it.
enableCompileCache(fileURLToPath(new URL('../../node_modules/.cache/diag', import.meta.url)));
const { makeFindCheck } = await import('../checks/registry.ts');
const { judge } = await import('./judge.ts');

const { preloadFile } = workerData as AsideStart;
const findCheck = makeFindCheck(preloadFile === undefined ? undefined : readFileSync(preloadFile, 'utf8'));

// Strictly one after the other, so that the process knows which of them ended the thread.
let last: Promise<void> = Promise.resolve();
parentPort?.on('message', ({ id, json }: AsideQuestion) => {
  last = last.then(async () => {
    const answer = await judgeText(json);
    parentPort?.postMessage({ id, ...answer } satisfies AsideAnswer);
  });
});

async function judgeText(json: string): Promise<{ readonly report: string } | { readonly fault: string }> {
  try {
    const file = JSON.parse(json) as EvidenceFile;
    const check = await findCheck(file.check);
    if (!check) throw new Error(`there is no ${file.check}`);
    return { report: JSON.stringify(judge(check, file)) };
  } catch (error) {
    // A defect: it rises where the file came from.
    return { fault: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}
