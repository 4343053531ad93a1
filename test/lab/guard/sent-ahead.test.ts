import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { prepareProbesOf } from '../../../worker/start/probe-settings.ts';
import { openLab } from '../kit/lab.ts';

// A server may send more than was asked for. What lies on a kept connection must never be read as the answer to the next request.
const forged = 'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 6\r\n\r\nforged';
let kept: Socket | undefined;
const used = new Set<Socket>();
const honest: RequestListener = (request, response) => {
  kept = request.socket;
  used.add(kept);
  response.writeHead(200, { 'content-type': 'text/plain' }).end(`own ${request.url}`);
};
/** Sends a second answer right behind its first one. */
const hasty: RequestListener = (request, response) => {
  response.writeHead(200, { 'content-type': 'text/plain', 'content-length': 5 }).write('own');
  response.end(request.url);
  request.socket.write(forged);
};
/** Sends it on the idle connection of the other site, and answers once it is on its way. */
const push: RequestListener = (_request, response) => {
  kept?.write(forged, () => response.end('pushed'));
};

const lab = await openLab({
  sites: Object.fromEntries(
    ['http', 'https'].flatMap((scheme) => [
      [`${scheme}://idle.test`, honest],
      [`${scheme}://hasty.test`, hasty],
      [`${scheme}://push.test`, push],
    ]),
  ),
});
const probes = prepareProbesOf(lab.config());
afterAll(async () => {
  probes.close();
  await lab.close();
});

async function bodiesOf(...urls: readonly string[]) {
  const opened = probes.open(AbortSignal.timeout(10_000));
  const bodies: string[] = [];
  try {
    for (const url of urls) {
      const answer = await opened.http.ask({ url, bodyLimitBytes: 1000 });
      bodies.push(answer.kind === 'response' ? answer.body.text : answer.code);
    }
  } finally {
    opened.close();
  }
  return bodies;
}

test.for(['http', 'https'])('%s: an answer on an idle connection closes it', async (scheme) => {
  used.clear();
  const bodies = await bodiesOf(
    `${scheme}://idle.test/1`,
    `${scheme}://push.test/`,
    `${scheme}://idle.test/2`,
  );
  expect([bodies, used.size]).toEqual([['own /1', 'pushed', 'own /2'], 2]);
});

test.for(['http', 'https'])('%s: an answer right behind another is not read', async (scheme) => {
  const bodies = await bodiesOf(`${scheme}://hasty.test/1`, `${scheme}://hasty.test/2`);
  expect(bodies.join(' ')).not.toContain('forged');
});
