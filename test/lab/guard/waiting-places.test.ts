import type { RequestListener } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { httpLimits } from '../../../worker/probes/http/settings.ts';
import { openLab } from '../kit/lab.ts';
import { prepareLabProbes } from '../kit/probes.ts';

// Many names may stand at one address, and a worker holds few connections to it: what waits for one has not been asked yet.
const slow: RequestListener = (_request, response) => void sleep(600).then(() => response.end('slow'));
const quick: RequestListener = (_request, response) => response.end('quick');
const slowHosts = Array.from({ length: 12 }, (_, at) => `slow${at}.test`);
const lab = await openLab({
  sites: {
    'https://quick.test': quick,
    ...Object.fromEntries(slowHosts.map((host) => [`https://${host}`, slow])),
  },
});
afterAll(() => lab.close());

const config = lab.config();

/** Asks the slow hosts at once over two connections, the quick one behind them. @param requestMs of each request */
async function askAll(requestMs: number) {
  const probes = prepareLabProbes(config, { socketsPerAddress: 2, http: { ...httpLimits, requestMs } });
  const ask = async (host: string) => {
    const run = probes.open(AbortSignal.timeout(30_000));
    const answer = await run.http.ask({ url: `https://${host}/`, bodyLimitBytes: 1000 });
    run.close();
    return answer.kind === 'response' ? answer.body.text : answer.code;
  };
  const asked = slowHosts.map(ask);
  await sleep(200);
  const answers = await Promise.all([...asked, ask('quick.test')]);
  probes.close();
  return answers;
}

test('a request waits for its place as long as it takes', async () => {
  expect(new Set(await askAll(15_000))).toEqual(new Set(['slow', 'quick']));
});

test('one whose place does not come is not asked, and nothing is told of its host', async () => {
  const answers = await askAll(1500);
  expect(answers).toContain('budget-spent');
  expect(answers.filter((answer) => !['slow', 'quick', 'budget-spent'].includes(answer))).toEqual([]);
});
