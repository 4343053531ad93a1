import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Backend, openBackend } from '#shared/lifecycle/backend';
import type { Config } from '#shared/settings/config';
import { makeToken } from '#shared/stores/tokens/make-token';
import { openLogger } from '#shared/telemetry/logger';
import { openMetrics } from '#shared/telemetry/metrics';
import { openApi } from '../api/open.ts';
import { openWorker } from '../worker/start/open.ts';
import { openBenchTarget } from './bench-service.ts';
import { fillStore, type StoredPlaces } from './cached-get-stored.ts';

/** The service three times: as it is, one that is asked for more reports than its memory holds, and one without a worker, where jobs wait. */
export type Ours = {
  readonly ports: { readonly usual: number; readonly full: number; readonly idle: number };
  /** The path of a check that has a report in each store. */
  readonly path: string;
  /** What only the store has, and the folder of its file. */
  readonly stored: StoredPlaces & { readonly folder: string };
  readonly tokens: { readonly usual: string; readonly poor: string };
};

const log = openLogger('info');

/** Opens them in this process. */
export async function openOurs(): Promise<Ours> {
  const folder = mkdtempSync(join(tmpdir(), 'diag-bench-'));
  const { config: inMemory, target } = await openBenchTarget((_request, response) =>
    response.writeHead(200, { 'content-type': 'text/plain' }).end('hello'),
  );
  const path = `/api/tools/redirect-check?url=${encodeURIComponent(`${target}/`)}`;
  const config = { ...inMemory, DATA_DIR: folder };
  const backend = await openBackend(config, log);
  openWorker({ config, backend, log });
  const usual = await open(config, backend);
  const full = await open(config, backend);
  const idle = await open(inMemory, await openBackend(inMemory, log));
  const draw = async (requests: { points: number; windowS: number }) => {
    const wish = { name: 'bench', scopes: ['tools' as const], limits: { requests }, expiresAt: null };
    const { text, token } = makeToken(wish, Date.now());
    await backend.tokenStore.insert(token);
    return text;
  };
  return {
    ports: { usual, full, idle },
    path,
    stored: { ...(await fillStore(backend.reportStore, config, new URL(target).port)), folder },
    tokens: {
      usual: await draw({ points: 100_000_000, windowS: 60 }),
      poor: await draw({ points: 1, windowS: 86_400 }),
    },
  };
}

async function open(config: Config, backend: Backend): Promise<number> {
  const metrics = openMetrics(backend.jobQueue, backend.reportStore);
  // A machine that is busy with other work is no reason to refuse here.
  const loadSheddingLimits = { lagMs: 60_000, windowMs: 2000, waits: 10_000 };
  return (await openApi({ config, backend, log, metrics, loadSheddingLimits })).port;
}
