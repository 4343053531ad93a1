import { Agent, request } from 'node:http';
import { openBackend } from '#shared/backend';
import { readConfig } from '#shared/config';
import { openLogger } from '#shared/logger';
import { makeToken } from '#shared/token-store/make-token';
import { drawToken } from '#shared/token-store/token-text';
import { openApi } from '../api/open.ts';

const rounds = 400;

/** Time to refuse a bad token, of every kind, beside the time to take a good one. */
export async function bench(): Promise<void> {
  const config = readConfig({ DATA_DIR: ':memory:', PORT: '0', RATE_LIMIT: 'off' });
  const log = openLogger('silent');
  const backend = await openBackend(config, log);
  const api = await openApi({ config, backend, log });
  const draw = async (revokedAt: number | null) => {
    const { text, token } = makeToken(
      { name: 'bench', scopes: ['tools'], limits: {}, expiresAt: null },
      Date.now(),
    );
    await backend.tokenStore.insert({ ...token, revokedAt });
    return text;
  };
  const [good, revoked, unknown] = [await draw(null), await draw(1), drawToken()];
  const kinds: Readonly<Record<string, () => string>> = {
    'a good one': () => good,
    mistyped: () => 'dtk_wrong',
    'unknown, seen before': () => unknown,
    'unknown, never seen': drawToken,
    revoked: () => revoked,
  };
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const times = new Map(Object.keys(kinds).map((kind) => [kind, [] as number[]]));
  for (let round = 0; round < rounds; round += 1)
    for (const [kind, text] of Object.entries(kinds))
      times.get(kind)?.push(await ask(api.port, text(), agent));
  const reference = median(times.get('a good one') ?? []);
  for (const [kind, all] of times)
    console.log(
      `${kind}: ${median(all).toFixed(2)} ms, ${(median(all) / reference).toFixed(2)} of a good one`,
    );
  agent.destroy();
  await api.close(0);
  await backend.close(0);
}

async function ask(port: number, token: string, agent: Agent): Promise<number> {
  const start = performance.now();
  await new Promise<void>((resolve, reject) => {
    const asked = request(
      { port, path: '/api/me', agent, headers: { authorization: `Bearer ${token}` } },
      (answer) => answer.resume().once('end', resolve),
    );
    asked.once('error', reject).end();
  });
  return performance.now() - start;
}

function median(all: readonly number[]): number {
  return all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)] ?? Number.NaN;
}
