// The runner process: all that reads what targets send is in here, so that what they send can end this process and no other.
import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { FromRunner, ToRunner } from './messages.ts';

// As in cli/diag.js, before the first module that is loaded by it.
enableCompileCache(fileURLToPath(new URL('../../node_modules/.cache/diag', import.meta.url)));
const [{ openRunnerSide }, { isEndOfRun }, { settleWhenIdle }] = await Promise.all([
  import('./runner-side.ts'),
  import('./end-of-run.ts'),
  import('#shared/lifecycle/settle'),
]);

// A signal to the service stops the worker, and the worker ends this process when its runs have ended.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined);
process.once('disconnect', () => process.exit());

const early: ToRunner[] = [];
let take: (message: ToRunner) => void = (message) => early.push(message);
process.on('message', (messages) => {
  for (const message of messages as readonly ToRunner[]) take(message);
});
const write = (messages: readonly FromRunner[], onWritten: () => void) => {
  if (process.connected) process.send?.(messages, undefined, {}, onWritten);
  else onWritten();
};
const side = openRunnerSide(write, () => process.exit());
// A run that ends at its limit breaks off all that it waits for. Where nobody awaits one of these any more, that is no reason to end this process.
process.on('unhandledRejection', (reason) => {
  if (!isEndOfRun(reason)) throw reason;
  side.warn({ err: reason }, 'a run has ended before something that it waited for');
});
take = side.take;
for (const message of early) take(message);
settleWhenIdle();
