import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findProgram, freePort, isExecutable } from './programs.ts';
import { untilListening } from './redis.ts';

/** A server of MongoDB's protocol: the test's own, which it may stop and freeze, or the one of MONGODB_URL. */
export type TestMongo = {
  readonly url: string;
  readonly process: ChildProcess | undefined;
  restart(): Promise<void>;
  stop(): Promise<void>;
};

type Server = {
  readonly program: string;
  readonly args: (port: number, folder: string) => string[];
  readonly environment: (port: number, folder: string) => Record<string, string>;
};

const given = process.env['MONGOD_BINARY'];
const mongod = given ?? findProgram('mongod');
const ferretdb = findProgram('ferretdb');

/** The first of: MONGOD_BINARY, mongod, ferretdb on the PATH. A script that takes PORT and DATA_DIR will do as well. */
const server = chooseServer();

/** Whether there is a server for tests; a part that needs one is skipped loudly without, and fails on CI. */
export const hasMongo = server !== undefined || process.env['MONGODB_URL'] !== undefined;

/** Starts a server on a free port, or names the one of MONGODB_URL with a database of the test's own. */
export async function startMongo(): Promise<TestMongo> {
  if (!server) {
    const url = new URL(process.env['MONGODB_URL'] ?? '');
    url.pathname = `/diag-test-${Date.now()}`;
    return { url: url.href, process: undefined, restart: async () => undefined, stop: async () => undefined };
  }
  const { program, args, environment } = server;
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'diag-mongo-'));
  const start = async () => {
    const child = spawn(program, args(port, folder), {
      stdio: 'ignore',
      env: { ...process.env, ...environment(port, folder) },
    });
    await untilListening(port);
    return child;
  };
  const mongo = { url: `mongodb://127.0.0.1:${port}/diag`, process: await start(), restart, stop };
  async function restart() {
    mongo.process = await start();
  }
  async function stop() {
    mongo.process.kill('SIGCONT');
    mongo.process.kill('SIGKILL');
    if (mongo.process.exitCode === null && mongo.process.signalCode === null)
      await new Promise((resolve) => mongo.process.once('exit', resolve));
    rmSync(folder, { recursive: true, force: true });
  }
  return mongo;
}

function chooseServer(): Server | undefined {
  if (mongod !== undefined && isExecutable(mongod)) {
    const isScript = !mongod.endsWith('mongod');
    return {
      program: mongod,
      args: (port, folder) =>
        isScript ? [] : ['--port', String(port), '--bind_ip', '127.0.0.1', '--dbpath', folder, '--quiet'],
      environment: (port, folder) => (isScript ? { PORT: String(port), DATA_DIR: folder } : {}),
    };
  }
  if (ferretdb === undefined) return undefined;
  return {
    program: ferretdb,
    args: (port, folder) => [
      '--handler=sqlite',
      `--sqlite-url=file:${folder}/`,
      `--listen-addr=127.0.0.1:${port}`,
      '--telemetry=disable',
      '--debug-addr=-',
      `--state-dir=${folder}`,
    ],
    environment: () => ({}),
  };
}
