import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { sketch, unknownIn } from './mongo-manual.ts';
import { openMongoProxy } from './mongo-proxy.ts';
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

/** The first of: MONGOD_BINARY, mongod, ferretdb on the PATH. A script that takes PORT and DATA_DIR will do as well. None where the tests are for the server of MONGODB_URL (npm run test:mongo). */
const server = process.env['TEST_MONGO'] === 'url' ? undefined : chooseServer();

/** Whether there is a server for tests; a part that needs one is skipped loudly without, and fails on CI. */
export const hasMongo = server !== undefined || process.env['MONGODB_URL'] !== undefined;

/** Whether a test may stop and freeze its server. */
export const canStopMongo = server !== undefined;

/** The same address with more options. @param url with one host or several */
export function withOptions(url: string, options: Readonly<Record<string, string>>): string {
  return `${url}${url.includes('?') ? '&' : '?'}${new URLSearchParams(options).toString()}`;
}

/** The same servers, another database. @param url with one host or several */
export function withDatabase(url: string, name: string): string {
  return url.replace(/^(mongodb(?:\+srv)?:\/\/[^/?]+)(?:\/[^?]*)?/, `$1/${name}`);
}

let databases = 0;

/** Starts a server on a free port, or names the one of MONGODB_URL with a database of the test's own. */
export async function startMongo(): Promise<TestMongo> {
  if (!server) {
    databases += 1;
    const name = `diag-test-${process.pid}-${Date.now()}-${databases}`;
    return openRecorded(withDatabase(process.env['MONGODB_URL'] ?? '', name));
  }
  const { program, args, environment } = server;
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'diag-mongo-'));
  const start = async () => {
    // Its own words for a level of its log are not ours.
    const { LOG_LEVEL: _, ...inherited } = process.env;
    const child = spawn(program, args(port, folder), {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...inherited, ...environment(port, folder) },
    });
    await untilListening(port, child);
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

/** A database on a server that is not the test's own. What is sent to it is kept for npm run test:mongo to compare with the manual. */
async function openRecorded(url: string): Promise<TestMongo> {
  const folder = process.env['MONGO_COMMANDS'];
  const proxy = folder === undefined ? undefined : await openMongoProxy(url);
  return {
    url: proxy?.url ?? url,
    process: undefined,
    restart: async () => undefined,
    async stop() {
      await proxy?.close();
      const client = new MongoClient(url);
      await client.db().dropDatabase();
      await client.close();
      if (folder === undefined || !proxy) return;
      const told = {
        sent: [...new Set(proxy.commands.map(sketch))],
        unknown: [...new Set(proxy.commands.flatMap(unknownIn))],
      };
      writeFileSync(join(folder, `${new URL(proxy.url).port}-${Date.now()}.json`), JSON.stringify(told));
    },
  };
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
