// A worker that does nothing but one run, to be killed in the middle of it, or to run where the test itself cannot.
import { openProbe } from './kit.ts';

const [sitePort, path] = process.argv.slice(2);
const probe = openProbe(Number(sitePort), { path });
const answer = await probe.run({ url: 'http://a.test/', strategy: 'mobile', timeoutMs: 40_000 });
console.log(JSON.stringify(answer));
