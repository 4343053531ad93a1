import { openBackend } from '#shared/lifecycle/backend';
import { readConfig } from '#shared/settings/config';
import { openLogger } from '#shared/telemetry/logger';
import { openApi } from '../api/open.ts';
import { openWorker } from '../worker/start/open.ts';

export type LocalService = { readonly server: string; close(): Promise<void> };

/** API, worker and this command share a process: its lag says nothing of too many callers. */
const loadSheddingLimits = { lagMs: 60_000, windowMs: 2000, waits: 10_000 };

/**
 * Starts the whole service in this process, for this command alone: on a free loopback port, without limits on callers, and with
 * nothing kept on disk. What protects targets stays: the address guard, and the pace of requests to one host.
 * @param withBrowser pages are loaded too; starting a browser takes some seconds
 */
export async function openLocalService(withBrowser: boolean): Promise<LocalService> {
  const config = readConfig({
    ...process.env,
    HOST: '127.0.0.1',
    PORT: '0',
    PUBLIC_URL: '',
    AUTH_MODE: 'open',
    ACCOUNT_CACHE: 'shared',
    RATE_LIMIT: 'off',
    REDIS_URL: '',
    MONGODB_URL: '',
    DATA_DIR: ':memory:',
    ...(withBrowser ? {} : { WORKER_QUEUES: 'network' }),
  });
  const log = openLogger('silent');
  const backend = await openBackend(config, log);
  const worker = openWorker({ config: { ...config, RATE_LIMIT: true }, backend, log });
  const api = await openApi({ config, backend, log, loadSheddingLimits });
  return {
    server: `http://127.0.0.1:${api.port}`,
    async close() {
      await api.close(0);
      await worker.close(0);
      await backend.close(0);
    },
  };
}
