// One of the servers of the cached-get bench: the service with one report in its cache, or Express sending the same bytes.
import { once } from 'node:events';
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import express from 'express';
import { openBackend } from '#shared/backend';
import { openLogger } from '#shared/logger';
import { openMetrics } from '#shared/metrics';
import { makeToken } from '#shared/token-store/make-token';
import { openApi } from '../api/open.ts';
import { openWorker } from '../worker/start/open.ts';
import { openBenchTarget } from './bench-service.ts';

const { config, target } = await openBenchTarget((_request, response) =>
  response.writeHead(200, { 'content-type': 'text/plain' }).end('hello'),
);
const log = openLogger('info');
const backend = await openBackend(config, log);
openWorker({ config, backend, log });
const metrics = openMetrics(backend.jobQueue, backend.reportStore);
const { port } = await openApi({ config, backend, log, metrics });
const url = `http://127.0.0.1:${port}/api/tools/redirect-check?url=${encodeURIComponent(`${target}/`)}`;
const { text, token } = makeToken(
  { name: 'bench', scopes: ['tools'], limits: {}, expiresAt: null },
  Date.now(),
);
await backend.tokenStore.insert(token);

process.on('SIGINT', () => process.exit(0));
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send?.(user + system);
});

/** The body that the service sends in a coding, as it is on the wire; asked by a token, so that its grant is written too. */
async function bodyIn(coding: string): Promise<Buffer> {
  const headers = { 'accept-encoding': coding, authorization: `Bearer ${text}` };
  const asked = request(url, { headers });
  asked.end();
  const [answer] = (await once(asked, 'response')) as [AsyncIterable<Uint8Array>];
  return buffer(answer);
}

const codings = ['identity', 'gzip', 'zstd'];
const bodies = await Promise.all(codings.map(async (coding) => [coding, await bodyIn(coding)] as const));
await fetch(url);

if (process.argv[2] !== 'bare') process.send?.({ url, token: text });
else {
  const app = express();
  app.disable('x-powered-by').disable('etag');
  for (const [coding, bytes] of bodies)
    app.get(`/${coding}`, (_request, response) => {
      response.setHeader('Content-Type', 'application/json; charset=utf-8');
      if (coding !== 'identity') response.setHeader('Content-Encoding', coding);
      response.setHeader('Content-Length', bytes.length);
      response.end(bytes);
    });
  const bare = app.listen(0, '127.0.0.1', () =>
    process.send?.({ url: `http://127.0.0.1:${(bare.address() as AddressInfo).port}/`, token: '' }),
  );
}
