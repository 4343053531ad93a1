import { type Backend, openBackend } from '#shared/backend';
import type { Config } from '#shared/config';
import { openLogger } from '#shared/logger';
import { openMetrics } from '#shared/metrics';
import { makeToken } from '#shared/token-store/make-token';
import { openApi } from '../api/open.ts';
import { openWorker } from '../worker/start/open.ts';
import { openBenchTarget } from './bench-service.ts';

/** The service three times: as it is, one that never finds a report in memory, and one without a worker, where jobs wait. */
export type Ours = {
  readonly ports: { readonly usual: number; readonly forgetful: number; readonly idle: number };
  /** The path of a check that has a report in each store. */
  readonly path: string;
  readonly tokens: { readonly usual: string; readonly poor: string };
};

const log = openLogger('info');

/** Opens them in this process. */
export async function openOurs(): Promise<Ours> {
  const { config, target } = await openBenchTarget((_request, response) =>
    response.writeHead(200, { 'content-type': 'text/plain' }).end('hello'),
  );
  const path = `/api/tools/redirect-check?url=${encodeURIComponent(`${target}/`)}`;
  const backend = await openBackend(config, log);
  openWorker({ config, backend, log });
  const usual = await open(config, backend);
  const forgetful = await open(config, withoutMemory(backend));
  const idle = await open(config, await openBackend(config, log));
  const draw = async (requests: { points: number; windowS: number }) => {
    const wish = { name: 'bench', scopes: ['tools' as const], limits: { requests }, expiresAt: null };
    const { text, token } = makeToken(wish, Date.now());
    await backend.tokenStore.insert(token);
    return text;
  };
  return {
    ports: { usual, forgetful, idle },
    path,
    tokens: {
      usual: await draw({ points: 100_000_000, windowS: 60 }),
      poor: await draw({ points: 1, windowS: 86_400 }),
    },
  };
}

async function open(config: Config, backend: Backend): Promise<number> {
  const metrics = openMetrics(backend.jobQueue, backend.reportStore);
  return (await openApi({ config, backend, log, metrics })).port;
}

/** A process that has missed something forgets what it has in memory: this one misses something after each look into the store. */
function withoutMemory(backend: Backend): Backend {
  const listeners: ((done: 'missed') => void)[] = [];
  const forget = async () => {
    // Within the same turn, but when the report has been kept: else the next request of this turn would find it.
    for (let step = 0; step < 20; step += 1) await Promise.resolve();
    for (const listener of listeners) listener('missed');
  };
  return {
    ...backend,
    jobQueue: {
      ...backend.jobQueue,
      onDone(listener) {
        listeners.push(listener);
        return backend.jobQueue.onDone(listener);
      },
    },
    reportStore: {
      ...backend.reportStore,
      async findFresh(...asked) {
        const found = await backend.reportStore.findFresh(...asked);
        void forget();
        return found;
      },
    },
  };
}
