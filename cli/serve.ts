import { openApi } from '../api/open.ts';
import { openAdminServer } from '../shared/admin-server.ts';
import { openEmbeddedBackend } from '../shared/backend.ts';
import { ConfigError, readConfig } from '../shared/config.ts';
import { openLogger } from '../shared/logger.ts';
import { stopOnSignals } from '../shared/process.ts';
import { openWorker } from '../worker/open.ts';

/** A run may take 20 s; what is longer is given up when the process is told to stop. */
const graceMs = 25_000;

/** `diag serve` (npm start): API and workers in one process. */
export async function serve(): Promise<void> {
  const config = readConfig();
  const log = openLogger(config.LOG_LEVEL);
  const backend = openEmbeddedBackend(config);
  const { jobQueue, reportStore } = backend;
  const worker = openWorker({ config, backend, log });
  const api = await openApi({ config, backend, log }).catch(asConfigError('PORT', config.PORT));
  const readiness = async () => ({ queue: await jobQueue.ping(), store: await reportStore.ping() });
  const admin = await openAdminServer(
    { host: config.ADMIN_HOST, port: config.ADMIN_PORT, defaultPort: 3001 },
    readiness,
    log,
  ).catch(asConfigError('ADMIN_PORT', config.ADMIN_PORT));
  stopOnSignals(async () => {
    admin.drain();
    await api.close(graceMs);
    await worker.close(graceMs);
    await jobQueue.close(graceMs);
    await reportStore.close();
    await admin.close();
  }, log);
  log.info({ url: `http://${config.HOST}:${api.port}`, adminPort: admin.port, mode: 'embedded' }, 'ready');
}

function asConfigError(setting: string, port: number | undefined) {
  return (error: unknown): never => {
    const code = error instanceof Error && 'code' in error ? error.code : '';
    if (code === 'EADDRINUSE') throw new ConfigError(`${setting}: port ${port} is taken by another process`);
    if (code === 'EACCES' || code === 'EADDRNOTAVAIL')
      throw new ConfigError(`${setting}: cannot listen there (${code})`);
    throw error;
  };
}
