import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { Redis } from 'ioredis';
import { MongoClient } from 'mongodb';

/** One reading of everything that must not grow, by the name of its column. */
export type Sample = { readonly minute: number; readonly values: Readonly<Record<string, number>> };

/** A process to be read: its id, and its admin port's address. */
export type WatchedProcess = { readonly name: string; readonly pid: number; readonly adminUrl: string };

/** What is read at each sample: processes, and the servers behind them. */
export type SampledService = {
  readonly processes: readonly WatchedProcess[];
  readonly redisUrl: string;
  readonly mongoUrl: string;
};

/** Reads memory and V8's used heap (MB), sockets and other open files of each process, and what Redis and the store hold. */
export async function readSample({
  processes,
  redisUrl,
  mongoUrl,
}: SampledService): Promise<Sample['values']> {
  const ofProcesses = await Promise.all(processes.map(readProcess));
  return Object.fromEntries([
    ...ofProcesses.flat(),
    ...(await readRedis(redisUrl)),
    ...(await readStore(mongoUrl)),
  ]);
}

async function readProcess({ name, pid, adminUrl }: WatchedProcess): Promise<[string, number][]> {
  const response = await fetch(`${adminUrl}/metrics`, { signal: AbortSignal.timeout(10_000) });
  const metrics = await response.text();
  const megabytes = (metric: string) => Number(new RegExp(`^${metric} (\\S+)`, 'm').exec(metrics)?.[1]) / 1e6;
  const kB = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  const files = readdirSync(`/proc/${pid}/fd`).flatMap((fd) => linkOf(`/proc/${pid}/fd/${fd}`) ?? []);
  const sockets = files.filter((path) => path.startsWith('socket:')).length;
  return [
    [`${name} RSS MB`, kB / 1024],
    [`${name} heap MB`, megabytes('nodejs_heap_size_used_bytes')],
    [`${name} heap set aside MB`, megabytes('nodejs_heap_size_total_bytes')],
    [`${name} external MB`, megabytes('nodejs_external_memory_bytes')],
    [`${name} sockets`, sockets],
    [`${name} files`, files.length - sockets],
  ];
}

function linkOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined; // it was closed since the folder was read
  }
}

async function readRedis(url: string): Promise<[string, number][]> {
  const redis = new Redis(url);
  try {
    const memory = await redis.info('memory');
    return [
      ['Redis keys', await redis.dbsize()],
      ['Redis MB', Number(/used_memory:(\d+)/.exec(memory)?.[1]) / 1e6],
    ];
  } finally {
    redis.disconnect();
  }
}

async function readStore(url: string): Promise<[string, number][]> {
  const client = new MongoClient(url);
  try {
    const database = client.db('diag');
    const names = ['reports', 'grants', 'blobs'];
    const counts = await Promise.all(names.map((name) => database.collection(name).countDocuments()));
    const { dataSize } = await database.command({ dbStats: 1 });
    return [
      ...names.map((name, index): [string, number] => [name, counts[index] ?? 0]),
      ['store MB', Number(dataSize) / 1e6],
    ];
  } finally {
    await client.close();
  }
}

/** Growth of a column per hour: the slope of the least-squares line over the later half of the samples, when caches and pools are full. */
export function slopePerHour(samples: readonly Sample[], column: string): number {
  const late = samples.slice(Math.floor(samples.length / 2));
  const points = late.flatMap(({ minute, values }) => {
    const value = values[column];
    return value === undefined ? [] : [{ x: minute / 60, y: value }];
  });
  const mean = (of: (point: { x: number; y: number }) => number) =>
    points.reduce((sum, point) => sum + of(point), 0) / points.length;
  const [x, y] = [mean((point) => point.x), mean((point) => point.y)];
  const spread = mean((point) => (point.x - x) ** 2);
  return spread === 0 ? 0 : mean((point) => (point.x - x) * (point.y - y)) / spread;
}

/** The samples as a Markdown table: a row for each column of the samples, with its first, middle and last value and its slope. */
export function tableOf(samples: readonly Sample[]): string {
  const columns = Object.keys(samples.at(-1)?.values ?? {});
  const picked = [samples[0], samples[Math.floor(samples.length / 2)], samples.at(-1)];
  const head = ['', ...picked.map((sample) => `min ${sample?.minute.toFixed(1)}`), 'per hour'];
  const rows = columns.map((column) => [
    column,
    ...picked.map((sample) => round(sample?.values[column])),
    round(slopePerHour(samples, column)),
  ]);
  return [head, head.map((_, index) => (index === 0 ? '---' : '---:')), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}

function round(value: number | undefined): string {
  return value === undefined ? '-' : String(Math.round(value * 10) / 10);
}
