// diag mcp: an agent's program starts it, and talks with it over stdin and stdout.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, expect, test } from 'vitest';
import { makeToken } from '#shared/stores/tokens/make-token';
import { openService } from '../../api/kit.ts';
import { openLab } from '../kit/lab.ts';

const folder = mkdtempSync(join(tmpdir(), 'diag-mcp-'));
const sites = {
  'http://good.test': (_request: unknown, response: { end(text: string): void }) =>
    response.end('<title>good</title>'),
};
const lab = await openLab({ sites });
const service = await openService({ sites });
afterAll(async () => {
  await Promise.all([lab.close(), service.close()]);
  rmSync(folder, { recursive: true });
});

/** Starts the command, and connects the official client. */
async function connect(args: readonly string[], environment: Readonly<Record<string, string>>) {
  const client = new Client({ name: 'test', version: '1' });
  const env = { PATH: process.env['PATH'] ?? '', ...environment };
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: ['cli/diag.js', 'mcp', ...args],
    env,
    stderr: 'pipe',
  });
  await client.connect(transport, { timeout: 60_000 });
  return client;
}

async function check(client: Client, url: string) {
  const wish = { name: 'redirect-check', arguments: { url } };
  const { content, isError = false } = await client.callTool(wish, { timeout: 60_000 });
  const [{ text } = { text: '' }] = content as readonly { readonly text: string }[];
  return { isError, told: JSON.parse(text) as Record<string, unknown> };
}

test('without a server this machine checks', async () => {
  const client = await connect([], lab.settings({ DATA_DIR: folder }));
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain('domain-health');
  expect(client.getServerCapabilities()?.resources).toBeUndefined();
  const { told } = await check(client, 'http://good.test/');
  expect(told).toMatchObject({ check: 'redirect-check', target: 'http://good.test/', score: 70 });
  expect(await check(client, 'nonsense')).toMatchObject({ isError: true, told: { code: 'invalid_request' } });
  await client.close();
});

test('with a server and a token it asks there, and gives the stored reports', async () => {
  const wish = { name: 'test', scopes: ['tools', 'reports:read'] as const, limits: {}, expiresAt: null };
  const { text, token } = makeToken(wish, Date.now());
  await service.backend.tokenStore.insert(token);
  const server = `http://127.0.0.1:${service.port}`;
  const client = await connect(['--server', server], { DIAG_TOKEN: text });
  const { told } = await check(client, 'http://good.test/');
  expect(told['url']).toMatch(new RegExp(`^${server}/api/reports/[0-9a-f]{32}$`));
  const { resources } = await client.listResources();
  expect(resources.map(({ _meta }) => _meta?.['target'])).toEqual(['http://good.test/']);
  const { contents } = await client.readResource({ uri: resources[0]?.uri ?? '' });
  expect(JSON.parse((contents[0] as { text: string }).text)).toMatchObject({ check: 'redirect-check' });
  await client.close();
});

test('a server that is not there is an answer with a code', async () => {
  const client = await connect(['--server', 'http://127.0.0.1:1'], {});
  expect(await check(client, 'http://good.test/')).toMatchObject({
    isError: true,
    told: { code: 'server_unreachable' },
  });
  await client.close();
});
