// npm run bench [name …]: each figure is a ratio against a reference measured in the same run.
const benches: { readonly [name: string]: () => Promise<{ bench(): Promise<void> }> } = {
  'cached-get': () => import('./cached-get.ts'),
  tokens: () => import('./tokens.ts'),
  'hop-timings': () => import('./hop-timings.ts'),
  guard: () => import('./guard.ts'),
  dns: () => import('./dns.ts'),
  'slow-host': () => import('./slow-host.ts'),
  workers: () => import('./workers.ts'),
  'queue-cost': () => import('./queue-cost.ts'),
  'redis-size': () => import('./redis-size.ts'),
  'redis-cluster': () => import('./redis-cluster.ts'),
  memory: () => import('./memory.ts'),
  store: () => import('./store.ts'),
  traces: () => import('./traces.ts'),
  batch: () => import('./batch.ts'),
  'one-address': () => import('./one-address.ts'),
};

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !Object.hasOwn(benches, name));
if (unknown.length > 0) {
  console.error(`There is no ${unknown.join(', ')}. There are: ${Object.keys(benches).join(', ')}.`);
  process.exit(2);
}
for (const [name, load] of Object.entries(benches)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  console.log(`── ${name}`);
  await (await load()).bench();
}
process.exit(0);
