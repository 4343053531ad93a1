import { type ChildProcess, execFileSync, fork } from 'node:child_process';
import { Agent, request } from 'node:http';
import { fileURLToPath } from 'node:url';

const urls = Number(process.env['MEMORY_URLS'] ?? 100_000);
const freeUrls = Number(process.env['MEMORY_FREE_URLS'] ?? 1_000_000);
const runs = Number(process.env['MEMORY_RUNS'] ?? 2000);
const lanes = 8;
const looks = 5;
/** A header section holds 16 KiB: about the longest address that a caller can send. */
const longest = 15_000;

/** What one entry of each memory holds, and the memory of one process after many different addresses: read from the store, run, and free ones (cached under another spelling, refused). It should end flat. */
export async function bench(): Promise<void> {
  for (const name of ['report of 2,000 bytes', 'address of 70 characters', 'counter of a caller'])
    console.log(heldBy(name));
  await measure('stored', 'answered from the store', urls, (server, index) =>
    ask(server, toolPath(server, index)),
  );
  await measure('run', 'run by workers in the process', runs, (server, index) =>
    ask(server, toolPath(server, index)),
  );
  await measure('stored', 'free: one target under other spellings, 15 kB each', freeUrls, (server, index) =>
    ask(server, spelling(toolPath(server, 0), index)),
  );
  await measure('stored', 'free: refused, 2 kB each', freeUrls, (server, index) =>
    ask(server, `/api/tools/redirect-check?url=http%3A%2F%2F10.0.0.1%2F${'a'.repeat(2000)}${index}`),
  );
}

function heldBy(name: string): string {
  const file = fileURLToPath(new URL('memory-held.ts', import.meta.url));
  return execFileSync(process.execPath, ['--expose-gc', '--max-semi-space-size=8', file, name])
    .toString()
    .trim();
}

type Server = {
  readonly child: ChildProcess;
  readonly base: string;
  readonly target: string;
  readonly agent: Agent;
};

async function measure(
  kind: 'stored' | 'run',
  what: string,
  count: number,
  act: (server: Server, index: number) => Promise<void>,
): Promise<void> {
  const server = await start(kind);
  const told = [mb(await memoryOf(server))];
  for (let look = 0; look < looks; look += 1) {
    const [from, to] = [Math.floor((count * look) / looks), Math.floor((count * (look + 1)) / looks)];
    let next = from;
    const lane = async () => {
      for (let index = next++; index < to; index = next++) await act(server, index);
    };
    await Promise.all(Array.from({ length: lanes }, lane));
    told.push(mb(await memoryOf(server)));
  }
  console.log(`${count} URLs ${what}: RSS ${told.join(' → ')}`);
  server.agent.destroy();
  server.child.kill();
}

function mb({ rss, heapUsed, arrayBuffers }: NodeJS.MemoryUsage): string {
  const [all, heap, buffers] = [rss, heapUsed, arrayBuffers].map((bytes) => Math.round(bytes / 1e6));
  return `${all} MB (heap ${heap}, buffers ${buffers})`;
}

async function start(kind: 'stored' | 'run'): Promise<Server> {
  const child = fork(fileURLToPath(new URL('memory-server.ts', import.meta.url)), [kind], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    execArgv: ['--expose-gc', '--max-semi-space-size=8'],
  });
  const place = await new Promise<Pick<Server, 'base' | 'target'>>((resolve, reject) => {
    child.once('message', (message) => resolve(message as Pick<Server, 'base' | 'target'>));
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}`)));
  });
  return { child, agent: new Agent({ keepAlive: true, maxSockets: lanes }), ...place };
}

function memoryOf({ child }: Server): Promise<NodeJS.MemoryUsage> {
  return new Promise((resolve) => {
    child.once('message', (message) => resolve(message as NodeJS.MemoryUsage));
    child.send('memory');
  });
}

function toolPath({ target }: Server, index: number): string {
  return `/api/tools/redirect-check?url=${encodeURIComponent(`${target}/${index}`)}`;
}

/** The same question in as many spellings as wanted: empty pairs before and behind it, and a wait that changes nothing. */
function spelling(path: string, index: number): string {
  const [head = '', query = ''] = path.split('?');
  const room = longest - query.length;
  const before = index % room;
  return `${head}?${'&'.repeat(before)}${query}&wait=${Math.floor(index / room) % 56}${'&'.repeat(room - before)}`;
}

function ask({ base, agent }: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const asked = request(`${base}${path}`, { agent }, (answer) => answer.resume().once('end', resolve));
    asked.once('error', reject).end();
  });
}
