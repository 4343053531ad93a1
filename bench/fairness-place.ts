import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startMongo } from '../test/kit/mongo.ts';
import { startRedis } from '../test/kit/redis.ts';
import { startService } from '../test/kit/service-process.ts';
import { goodZone, upperZones } from '../test/lab/domain-health/domains.ts';
import { openNameServers } from '../test/lab/domain-health/name-servers.ts';

/** A service with default settings and limits, behind a proxy that it trusts, and two tokens without limits, of two accounts. */
export type FairnessService = {
  readonly url: string;
  readonly token: string;
  readonly otherToken: string;
  close(): Promise<void>;
};

/** Domains with the same two name servers. */
const domains = Array.from({ length: 3000 }, (_, at) => `d${at}.test`);

/** Sites on loopback, each host an address of its own: how late they answer, and how many hops they have, stands in the path. */
export type Targets = {
  /** A site that answers each of its hops after so many ms. @param host any number */
  site(host: number, hopMs: number, hops: number): string;
  /** Requests of sites with so many ms a hop that have been answered. */
  answered(hopMs: number): number;
  /** A domain at the hoster: each other than the last ones. */
  nextDomain(): string;
  readonly settings: Readonly<Record<string, string>>;
  close(): void;
};

/** Opens the sites. */
export async function openTargets(): Promise<Targets> {
  const answers = new Map<number, number>();
  const server = createServer((request, response) => {
    const [, id = '', hopMs = '0', left = '1'] = (request.url ?? '').split('/');
    const answer = () => {
      answers.set(Number(hopMs), (answers.get(Number(hopMs)) ?? 0) + 1);
      if (Number(left) <= 1) return response.writeHead(204).end();
      return response.writeHead(302, { location: `/${id}/${hopMs}/${Number(left) - 1}` }).end();
    };
    setTimeout(answer, Number(hopMs));
  });
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
  const { port } = server.address() as AddressInfo;
  const names = await openNameServers(
    Object.assign({}, upperZones, ...domains.map((domain) => goodZone(domain))),
  );
  let domain = 0;
  return {
    nextDomain: () => domains[domain++ % domains.length] ?? '',
    settings: { ...names.settings, TARGET_PORTS: String(port), TARGET_ALLOW_SUFFIXES: 'test' },
    site(host, hopMs, hops) {
      const address = `127.${1 + ((host >> 16) & 127)}.${(host >> 8) & 255}.${host & 255}`;
      return `http://${address}:${port}/${host}/${hopMs}/${hops}`;
    },
    answered: (hopMs) => answers.get(hopMs) ?? 0,
    close() {
      server.close().closeAllConnections();
      void names.close(); // the bench is over
    },
  };
}

const program = fileURLToPath(new URL('../cli/diag.js', import.meta.url));

const usual = {
  PORT: '0',
  ADMIN_PORT: '0',
  LOG_LEVEL: 'info',
  WORKER_QUEUES: 'network',
  TRUST_PROXY: '1',
  TARGET_ALLOW_CIDRS: '127.0.0.0/8',
  FRESH_SECONDS: '3600',
};

type Settings = Readonly<Record<string, string>>;

/** One process with everything in it. */
export async function openEmbedded({ settings }: Targets, more: Settings = {}): Promise<FairnessService> {
  const folder = mkdtempSync(join(tmpdir(), 'diag-bench-'));
  const environment = { ...usual, ...settings, ...more, DATA_DIR: folder };
  const service = await start('serve', environment);
  return {
    url: service.url,
    token: drawToken(environment, 'bench'),
    otherToken: drawToken(environment, 'other'),
    async close() {
      service.kill('SIGKILL');
      await service.closed;
      rmSync(folder, { recursive: true });
    },
  };
}

/** An API and one worker of 50, over Redis and a store. */
export async function openScaled({ settings }: Targets, more: Settings = {}): Promise<FairnessService> {
  const [redis, mongo] = await Promise.all([startRedis(), startMongo()]);
  const urls = { REDIS_URL: redis.url, MONGODB_URL: mongo.url };
  const environment = { ...usual, ...settings, ...more, ...urls };
  const [api, worker] = await Promise.all([start('api', environment), start('worker', environment)]);
  return {
    url: api.url,
    token: drawToken(environment, 'bench'),
    otherToken: drawToken(environment, 'other'),
    async close() {
      for (const service of [api, worker]) service.kill('SIGKILL');
      await Promise.all([redis.stop(), mongo.stop()]);
    },
  };
}

function start(part: string, environment: Readonly<Record<string, string>>) {
  return startService({ program: process.execPath, args: [program, part], environment });
}

function drawToken(environment: Readonly<Record<string, string>>, name: string): string {
  const limits = [
    '--requests',
    '1000000/60',
    '--scans',
    '1000000/60',
    '--scopes',
    'tools,reports:read,watch',
  ];
  const args = [program, 'token', 'create', '--name', name, '--expires', '1d', ...limits];
  const env = { PATH: process.env['PATH'] ?? '', ...environment };
  return execFileSync(process.execPath, args, { env, encoding: 'utf8', stdio: 'pipe' }).trim();
}
