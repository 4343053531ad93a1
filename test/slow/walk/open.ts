import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { hasMongo, startMongo } from '../../kit/mongo.ts';
import { hasRedis, startRedis } from '../../kit/redis.ts';
import { type ServiceProcess, startService } from '../../kit/service-process.ts';
import { type Lab, openLab } from '../../lab/kit/lab.ts';
import { type Counts, seed, type Seeded } from './seed.ts';

/** A service of the walk, and how much its stores have. */
type Mode = { readonly name: string; readonly isHere: boolean; readonly counts: Counts };

const single = 'a single process';

/** The services of the walk. */
export const modes: readonly Mode[] = [
  {
    name: single,
    isHere: true,
    counts: { targets: 10_000, deliveries: 3000, watches: 150, batches: 120, ends: 10_000, reports: 1500 },
  },
  {
    name: 'an API over Redis and MongoDB',
    // It takes three minutes: LONG=1.
    isHere: process.env['LONG'] !== undefined && hasMongo && hasRedis,
    // The server of the tests scans where a real one has an index.
    counts: { targets: 1000, deliveries: 300, watches: 110, batches: 110, ends: 1000, reports: 300 },
  },
];

/** A service with two accounts that have much. */
export type Opened = {
  readonly service: ServiceProcess;
  readonly seeded: Seeded;
  /** Of another account. */
  readonly other: Seeded;
  /** Where the turns of its loop are written when it ends. */
  readonly file: string;
  close(): Promise<void>;
};

/** Starts a service whose stores are full. */
export async function openFull({ isHere, name, counts }: Mode): Promise<Opened> {
  if (!isHere) throw new Error(`${name} needs Redis and a server of MongoDB’s protocol`);
  const isScaled = name !== single;
  const folder = mkdtempSync(join(tmpdir(), 'diag-walk-'));
  const lab: Lab = await openLab({
    sites: { 'http://a.test': (_request, response) => void response.end('page') },
  });
  const backends = isScaled ? await Promise.all([startRedis(), startMongo()]) : undefined;
  const settings = lab.settings({
    DATA_DIR: join(folder, 'data'),
    MCP: 'on',
    RATE_LIMIT: 'off',
    LOG_LEVEL: 'info',
    LIMIT_ACCOUNT_BATCHES: '1000',
    LIMIT_ACCOUNT_TARGETS: '10000000',
    LIMIT_ACCOUNT_WATCHES: '10000000',
    WAIT_SECONDS: '1',
    ...(backends ? { REDIS_URL: backends[0].url, MONGODB_URL: backends[1].url } : {}),
  });
  const seeded = await seed(settings, counts);
  const other = await seed(settings, { ...counts, reports: counts.reports / 10 }, 'o');
  const file = join(folder, 'loop.json');
  const service = await startService({
    program: process.execPath,
    args: [
      '--max-semi-space-size=8',
      '--import',
      fileURLToPath(new URL('../../kit/loop-watch.ts', import.meta.url)),
      'cli/diag.js',
      isScaled ? 'api' : 'serve',
    ],
    environment: { ...settings, LOOP_WATCH_FILE: file },
  });
  return {
    service,
    seeded,
    other,
    file,
    async close() {
      service.kill('SIGKILL');
      await service.closed;
      await lab.close();
      await Promise.all((backends ?? []).map((one) => one.stop()));
      rmSync(folder, { recursive: true });
    },
  };
}
