// A worker that does nothing but one run, to be killed in the middle of it.
import { openProbe } from './kit.ts';

await openProbe(Number(process.argv[2])).run({
  url: 'http://a.test/',
  strategy: 'mobile',
  timeoutMs: 40_000,
});
