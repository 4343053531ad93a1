// npm run bench [all | name …]: each figure is a ratio against a reference measured in the same run.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { hasMongo } from '../test/kit/mongo.ts';
import { hasRedis } from '../test/kit/redis.ts';
import { keepSection, type Section, writePage } from './section.ts';

type Bench = {
  /** A bench that gives a section has it kept for docs/performance.md. */
  readonly load: () => Promise<{ bench(): Promise<Section | void> }>;
  /** What it needs that a machine may lack. */
  readonly needs?: readonly (keyof typeof isHere)[];
};

const isHere = { redis: hasRedis, store: hasMongo } as const;
const hints = {
  redis: 'redis-server on the PATH, or REDIS_URL of a Redis that it may fill and empty',
  store: 'a server of MongoDB’s protocol: MONGOD_BINARY, mongod or ferretdb on the PATH, or MONGODB_URL',
} as const;

/** In the order of docs/performance.md. */
const benches: { readonly [name: string]: Bench } = {
  'cached-get': { load: () => import('./cached-get.ts') },
  tokens: { load: () => import('./tokens.ts') },
  'hop-timings': { load: () => import('./hop-timings.ts') },
  guard: { load: () => import('./guard.ts') },
  dns: { load: () => import('./dns.ts') },
  'slow-host': { load: () => import('./slow-host.ts'), needs: ['redis', 'store'] },
  workers: { load: () => import('./workers.ts'), needs: ['redis', 'store'] },
  capacity: { load: () => import('./capacity.ts') },
  profile: { load: () => import('./profile.ts') },
  loop: { load: () => import('./loop.ts') },
  latency: { load: () => import('./latency.ts') },
  'queue-cost': { load: () => import('./queue-cost.ts'), needs: ['redis'] },
  'redis-size': { load: () => import('./redis-size.ts'), needs: ['redis'] },
  'redis-cluster': { load: () => import('./redis-cluster.ts'), needs: ['redis'] },
  memory: { load: () => import('./memory.ts') },
  store: { load: () => import('./store.ts') },
  traces: { load: () => import('./traces.ts') },
  batch: { load: () => import('./batch.ts') },
  'one-address': { load: () => import('./one-address.ts'), needs: ['redis', 'store'] },
};

const wanted = process.argv.slice(2);
const names = Object.keys(benches);
const unknown = wanted.filter((name) => name !== 'all' && !names.includes(name));
if (unknown.length > 0) {
  console.error(`There is no ${unknown.join(', ')}. There are: all, ${names.join(', ')}.`);
  process.exit(2);
}
process.exit(wanted.length === 0 || wanted.includes('all') ? runAll() : await runEach(wanted));

/** Each in a process of its own, so that neither its defects nor its warm code reach the next; then writes the page. */
function runAll(): number {
  const failed = names.filter((name) => {
    const lacking = lackingFor(name);
    for (const need of lacking) console.log(`── ${name}: left out, it needs ${hints[need]}`);
    if (lacking.length > 0) return false;
    const { status } = spawnSync(process.execPath, [fileURLToPath(import.meta.url), name], {
      stdio: 'inherit',
    });
    return status !== 0;
  });
  writePage(names);
  if (failed.length > 0)
    console.error(`These failed: ${failed.join(', ')}. The page has their last figures.`);
  return failed.length > 0 ? 1 : 0;
}

async function runEach(chosen: readonly string[]): Promise<number> {
  for (const name of chosen) {
    const [need] = lackingFor(name);
    if (need !== undefined) {
      console.error(`${name} needs ${hints[need]}.`);
      return 2;
    }
    console.log(`── ${name}`);
    const { bench } = (await benches[name]?.load()) ?? {};
    const section = await bench?.();
    if (section) keepSection(name, section);
  }
  writePage(names);
  return 0;
}

function lackingFor(name: string): readonly (keyof typeof isHere)[] {
  return benches[name]?.needs?.filter((need) => !isHere[need]) ?? [];
}
