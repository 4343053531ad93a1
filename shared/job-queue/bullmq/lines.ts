import type { Redis } from 'ioredis';
import { hostKey } from './gate.ts';

/** The line of one host: who holds its slots, and how many wait for one. */
export type HostLineSeen = {
  readonly host: string;
  /** As "<queue> <job id>". */
  readonly holders: readonly string[];
  readonly waitingNetwork: number;
  readonly waitingBrowser: number;
};

const keysAtOnce = 1000;
/** Hosts that are looked at; more have a line only while more than so many jobs run or wait. */
const hostsMost = 100_000;

/** Reads the lines of all hosts that have one, the longest first. @param most how many are returned */
export async function readLines(redis: Redis, nowMs: number, most: number): Promise<HostLineSeen[]> {
  const hosts = [...(await findHosts(redis))];
  const lines: HostLineSeen[] = [];
  for (let at = 0; at < hosts.length; at += keysAtOnce)
    lines.push(
      ...(await Promise.all(hosts.slice(at, at + keysAtOnce).map((host) => readLine(redis, host, nowMs)))),
    );
  const lengthOf = ({ holders, waitingNetwork, waitingBrowser }: HostLineSeen) =>
    holders.length + waitingNetwork + waitingBrowser;
  return lines
    .filter((line) => lengthOf(line) > 0)
    .sort((a, b) => lengthOf(b) - lengthOf(a))
    .slice(0, most);
}

async function readLine(redis: Redis, host: string, nowMs: number): Promise<HostLineSeen> {
  const key = hostKey(host);
  const [holders, waitingNetwork, waitingBrowser] = await Promise.all([
    redis.zrangebyscore(`${key}:slots`, nowMs, '+inf'),
    redis.zcard(`${key}:parked:network`),
    redis.zcard(`${key}:parked:browser`),
  ]);
  return { host, holders, waitingNetwork, waitingBrowser };
}

async function findHosts(redis: Redis): Promise<ReadonlySet<string>> {
  const [prefix] = hostKey('\n').split('\n');
  const hosts = new Set<string>();
  let cursor = '0';
  do {
    const [next, keys] = await redis.scan(cursor, 'MATCH', `${hostKey('*')}:*`, 'COUNT', keysAtOnce);
    for (const key of keys) {
      const host = /^(.+):(?:slots|parked:network|parked:browser)$/.exec(key.slice(prefix?.length ?? 0))?.[1];
      if (host !== undefined) hosts.add(host);
    }
    cursor = next;
  } while (cursor !== '0' && hosts.size < hostsMost);
  return hosts;
}
