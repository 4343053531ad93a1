// npm run test:mongo: the parts that talk to MongoDB, on the server or replica set that MONGODB_URL names.
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MongoClient } from 'mongodb';

const url = process.env['MONGODB_URL'];
if (url === undefined || url === '') {
  console.error(
    'Set MONGODB_URL to the server or replica set that is to be tried; databases of its own are made there and deleted.',
  );
  process.exit(2);
}

const vitest = fileURLToPath(new URL('../node_modules/vitest/vitest.mjs', import.meta.url));
const bench = fileURLToPath(new URL('../bench/run.ts', import.meta.url));
const parts = [
  { name: 'servers', files: ['report-store', 'token-store'] },
  { name: 'faults', files: ['store-health', 'store-indexes', 'store-commands', 'store-errors', 'failover'] },
];
const commands = mkdtempSync(join(tmpdir(), 'diag-commands-'));
const environment = { ...process.env, TEST_MONGO: 'url', MONGO_COMMANDS: commands };

console.log(await describeServer(url));
let failed = 0;
for (const { name, files } of parts) {
  const paths = files.map((file) => `test/${name}/${file}.test.ts`);
  failed += (await run([vitest, 'run', `--project=${name}`, ...paths])) === 0 ? 0 : 1;
}
// Fewer reports than usual: what is asked is whether each plan is a good one, not how large a store may be.
failed += (await run([bench, 'store'], { BENCH_MONGO_REPORTS: '5000', BENCH_REPORTS: '1000' })) === 0 ? 0 : 1;
const { sent, unknown } = readCommands();
rmSync(commands, { recursive: true });
console.log(`${sent.length} kinds of commands were sent: ${sent.join(' · ')}`);
for (const each of unknown) console.log(`NOT IN THE MANUAL ${each}`);
console.log(
  failed === 0 && unknown.length === 0 ? 'passed' : `${failed} of ${parts.length + 1} parts failed`,
);
process.exit(failed === 0 && unknown.length === 0 && sent.length > 0 ? 0 : 1);

async function describeServer(at: string): Promise<string> {
  const client = new MongoClient(at, { serverSelectionTimeoutMS: 10_000 });
  try {
    const admin = client.db('admin');
    const { version } = await admin.command({ buildInfo: 1 });
    const { setName, hosts } = await admin.command({ hello: 1 });
    const members = Array.isArray(hosts) ? hosts.length : 1;
    return setName === undefined
      ? `MongoDB ${String(version)}, one server`
      : `MongoDB ${String(version)}, the replica set ${String(setName)} of ${members}`;
  } finally {
    await client.close();
  }
}

function run(args: readonly string[], more: Readonly<Record<string, string>> = {}): Promise<number | null> {
  const child = spawn(process.execPath, args, { stdio: 'inherit', env: { ...environment, ...more } });
  return new Promise((resolve) => {
    child.once('close', resolve);
  });
}

function readCommands(): { readonly sent: readonly string[]; readonly unknown: readonly string[] } {
  const told = readdirSync(commands).map(
    (file) => JSON.parse(readFileSync(join(commands, file), 'utf8')) as { sent: string[]; unknown: string[] },
  );
  const all = (which: 'sent' | 'unknown') => [...new Set(told.flatMap((each) => each[which]))].sort();
  return { sent: all('sent'), unknown: all('unknown') };
}
