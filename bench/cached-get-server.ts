// One of the servers of the cached-get bench: the service with one report in its cache, asked with or without a token, or Express sending the same bytes.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { openApi } from '../api/open.ts';
import { openBackend } from '../shared/backend.ts';
import { readConfig } from '../shared/config.ts';
import { openLogger } from '../shared/logger.ts';
import { makeToken } from '../shared/token-store/make-token.ts';
import { openWorker } from '../worker/start/open.ts';

const target = createServer((_request, response) =>
  response.writeHead(200, { 'content-type': 'text/plain' }).end('hello'),
).listen(0, '127.0.0.1');
await new Promise((resolve) => target.once('listening', resolve));
const { port: targetPort } = target.address() as AddressInfo;

const config = readConfig({
  DATA_DIR: ':memory:',
  PORT: '0',
  TARGET_ALLOW_CIDRS: '127.0.0.0/8',
  TARGET_PORTS: String(targetPort),
  LIMIT_ANON_REQUESTS: '100000000/60',
  LIMIT_TOKEN_REQUESTS: '100000000/60',
});
const log = openLogger('info');
const backend = await openBackend(config, log);
openWorker({ config, backend, log });
const { port } = await openApi({ config, backend, log });
const url = `http://127.0.0.1:${port}/api/tools/redirect-check?url=http%3A%2F%2F127.0.0.1%3A${targetPort}%2F`;
const { text, token } = makeToken(
  { name: 'bench', scopes: ['tools'], limits: {}, expiresAt: null },
  Date.now(),
);
await backend.tokenStore.insert(token);
const headers: Record<string, string> =
  process.argv[2] === 'token' ? { authorization: `Bearer ${text}` } : {};
const answer = await fetch(url, { headers: { ...headers, 'accept-encoding': 'identity' } });
const bytes = Buffer.from(await answer.arrayBuffer());

process.on('SIGINT', () => process.exit(0));
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send?.(user + system);
});

if (process.argv[2] !== 'bare') process.send?.({ url, headers });
else {
  const app = express();
  app.disable('x-powered-by').disable('etag');
  app.get('/', (_request, response) => {
    response.setHeader('Content-Type', 'application/json; charset=utf-8');
    response.setHeader('Content-Length', bytes.length);
    response.end(bytes);
  });
  const bare = app.listen(0, '127.0.0.1', () =>
    process.send?.({ url: `http://127.0.0.1:${(bare.address() as AddressInfo).port}/`, headers: {} }),
  );
}
