import { Agent, request } from 'node:http';
import { openBackend } from '#shared/lifecycle/backend';
import { readConfig } from '#shared/settings/config';
import { makeToken } from '#shared/stores/tokens/make-token';
import { drawToken } from '#shared/stores/tokens/token-text';
import { openLogger } from '#shared/telemetry/logger';
import { openApi } from '../api/open.ts';
import type { Section } from './section.ts';
import { median } from './statistics.ts';

const rounds = 400;
const reference = 'good';

/** Time to refuse a bad token, of every kind, beside the time to take a good one, by turns. */
export async function bench(): Promise<Section> {
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
    [reference]: () => good,
    mistyped: () => 'dtk_wrong',
    'well written but unknown, seen before': () => unknown,
    'well written but unknown, never seen': drawToken,
    revoked: () => revoked,
  };
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const times = new Map(Object.keys(kinds).map((kind) => [kind, [] as number[]]));
  for (let round = 0; round < rounds; round += 1)
    for (const [kind, text] of Object.entries(kinds))
      times.get(kind)?.push(await ask(api.port, text(), agent));
  agent.destroy();
  await api.close(0);
  await backend.close(0);
  return sectionOf(times);
}

function sectionOf(times: ReadonlyMap<string, readonly number[]>): Section {
  const good = median(times.get(reference) ?? []);
  return {
    title: 'A bad token',
    about: `The median time of a GET of /api/me with a bad token, ${rounds} of each kind, by turns with a good token on one connection.`,
    columns: ['token', 'answer, ms', '÷ that of a good token'],
    rows: [...times].map(([kind, all]) => [kind, median(all).toFixed(2), (median(all) / good).toFixed(2)]),
    limits:
      'the HTTP exchange itself, and for a revoked token or one that was never seen a look into the store.',
  };
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
