import type { Redis } from 'ioredis';
import { type AnyRedis, isCluster } from '../../backends/redis.ts';
import type { Keys } from './keys.ts';

/** The line of one host: who holds its slots, and how many wait for one. */
export type ObservedHostLine = {
  readonly host: string;
  /** As "<queue> <job id>". */
  readonly holders: readonly string[];
  readonly waitingNetwork: number;
  readonly waitingBrowser: number;
};

const keysAtOnce = 1000;
/** Hosts that are looked at; more have a line only while more than so many jobs run or wait. */
const hostsMost = 100_000;

/** Where to read lines: every shard of a client. */
export type Shelves = { readonly redis: AnyRedis; readonly shards: readonly Keys[] };

/** Reads the lines of all hosts that have one, the longest first. @param most how many are returned */
export async function readLines(
  { redis, shards }: Shelves,
  nowMs: number,
  most: number,
): Promise<ObservedHostLine[]> {
  const places = await findHosts(redis, shards);
  const lines: ObservedHostLine[] = [];
  for (let at = 0; at < places.length; at += keysAtOnce)
    lines.push(
      ...(await Promise.all(places.slice(at, at + keysAtOnce).map((place) => readLine(redis, place, nowMs)))),
    );
  const lengthOf = ({ holders, waitingNetwork, waitingBrowser }: ObservedHostLine) =>
    holders.length + waitingNetwork + waitingBrowser;
  return lines
    .filter((line) => lengthOf(line) > 0)
    .sort((a, b) => lengthOf(b) - lengthOf(a))
    .slice(0, most);
}

type HostKey = { readonly host: string; readonly key: string };

async function readLine(redis: AnyRedis, { host, key }: HostKey, nowMs: number): Promise<ObservedHostLine> {
  const [holders, waitingNetwork, waitingBrowser] = await Promise.all([
    redis.zrangebyscore(`${key}:slots`, nowMs, '+inf'),
    redis.zcard(`${key}:parked:network`),
    redis.zcard(`${key}:parked:browser`),
  ]);
  return { host, holders, waitingNetwork, waitingBrowser };
}

async function findHosts(redis: AnyRedis, shards: readonly Keys[]): Promise<readonly HostKey[]> {
  const servers = isCluster(redis) ? redis.nodes('master') : [redis];
  const places = new Map<string, HostKey>();
  // A shard is on one server: to ask each server for each shard costs nothing where there is one of both.
  for (const server of servers)
    for (const keys of shards) for (const place of await findOn(server, keys)) places.set(place.key, place);
  return [...places.values()];
}

async function findOn(server: Redis, keys: Keys): Promise<readonly HostKey[]> {
  const before = keys.host('');
  const hosts = new Set<string>();
  let cursor = '0';
  do {
    const [next, found] = await server.scan(cursor, 'MATCH', `${before}*:*`, 'COUNT', keysAtOnce);
    for (const key of found) {
      const host = /^(.+):(?:slots|parked:network|parked:browser)$/.exec(key.slice(before.length))?.[1];
      if (host !== undefined) hosts.add(host);
    }
    cursor = next;
  } while (cursor !== '0' && hosts.size < hostsMost);
  return [...hosts].map((host) => ({ host, key: keys.host(host) }));
}
