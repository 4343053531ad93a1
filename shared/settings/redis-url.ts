import type { RedisOptions } from 'ioredis';

export type RedisNode = { readonly host: string; readonly port: number };

/** Where Redis is, and as whom to connect. `nodes`: the server, or the sentinels. */
export type RedisPlace = {
  readonly kind: 'single' | 'sentinel';
  readonly nodes: readonly [RedisNode, ...RedisNode[]];
  /** User, password, TLS and database, as ioredis takes them. */
  readonly access: Pick<RedisOptions, 'username' | 'password' | 'tls' | 'db'>;
  /** For sentinels: the name of the master that they watch, and their own user and password. */
  readonly watched: Pick<RedisOptions, 'name' | 'sentinelUsername' | 'sentinelPassword'>;
};

/** The forms of REDIS_URL, for the one who wrote another. */
export const redisUrlForms =
  'redis://host[:port][/number] or redis+sentinel://host[:port],…/master[/number]; rediss for TLS';

/** Why a Redis Cluster is refused, and what there is instead. */
export const noCluster =
  'a Redis Cluster cannot hold the queue. One Redis does 400 to 1,000 checks a second; docs/operating.md says how to split by domain above that';

/** True for the URL of a Redis Cluster. */
export function isClusterUrl(text: string): boolean {
  return /^rediss?\+cluster:/.test(text);
}

const ports = { single: 6379, sentinel: 26_379 } as const;

const form =
  /^redis(?<tls>s?)(?:\+(?<many>sentinel))?:\/\/(?:(?<user>[^/?\s]*)@)?(?<hosts>[^@/?\s]+)(?<path>\/[^?\s]*)?(?<query>\?\S*)?$/;

/** What may stand after the hosts: `name` of a master, `db` of a server. */
const paths = {
  single: /^(?:\/(?<db>\d*))?$/,
  sentinel: /^\/(?<name>[\w.-]+)(?:\/(?<db>\d+))?$/,
} as const;

/** Reads REDIS_URL; undefined where it has none of the forms. User and password may be percent-encoded. */
export function parseRedisUrl(text: string): RedisPlace | undefined {
  const parts: Parts | undefined = form.exec(text)?.groups;
  if (!parts) return undefined;
  const kind = (parts.many ?? 'single') as RedisPlace['kind'];
  const nodes = readNodes(parts.hosts ?? '', kind);
  const login = readLogin(parts.user ?? '');
  const path: Parts | undefined = paths[kind].exec(parts.path ?? '')?.groups;
  if (!nodes || !login || !path) return undefined;
  const { name, db } = path;
  const tls = parts.tls === 's' ? { tls: {} } : {};
  return {
    kind,
    nodes,
    access: { ...login, ...readDatabase(db), ...tls },
    watched: readWatched(name, parts.query),
  };
}

function readWatched(name: string | undefined, query: string | undefined): RedisPlace['watched'] {
  return { ...(name === undefined ? {} : { name }), ...readSentinelLogin(query) };
}

function readDatabase(digits: string | undefined): Pick<RedisOptions, 'db'> {
  return digits ? { db: Number(digits) } : {};
}

type Parts = {
  readonly [name in 'many' | 'tls' | 'user' | 'hosts' | 'path' | 'query' | 'name' | 'db']?: string;
};

function readNodes(text: string, kind: RedisPlace['kind']): RedisPlace['nodes'] | undefined {
  const [first, ...others] = text.split(',').map((host) => readNode(host, ports[kind]));
  if (!first || (kind === 'single' && others.length > 0)) return undefined;
  const read = others.filter((node) => node !== undefined);
  return read.length < others.length ? undefined : [first, ...read];
}

function readNode(text: string, usualPort: number): RedisNode | undefined {
  const url = URL.parse(`redis://${text}`);
  if (!url || url.hostname === '' || url.pathname !== '') return undefined;
  return { host: url.hostname.replace(/^\[(.+)\]$/, '$1'), port: Number(url.port || usualPort) };
}

function readLogin(text: string): Pick<RedisOptions, 'username' | 'password'> | undefined {
  const [name = '', ...rest] = text.split(':');
  try {
    const [username, password] = [decodeURIComponent(name), decodeURIComponent(rest.join(':'))];
    return { ...(username === '' ? {} : { username }), ...(password === '' ? {} : { password }) };
  } catch {
    return undefined; // a percent sign that encodes nothing
  }
}

function readSentinelLogin(
  query: string | undefined,
): Pick<RedisOptions, 'sentinelUsername' | 'sentinelPassword'> {
  const own = new URLSearchParams(query);
  const [sentinelUsername, sentinelPassword] = [own.get('sentinelUsername'), own.get('sentinelPassword')];
  return {
    ...(sentinelUsername === null ? {} : { sentinelUsername }),
    ...(sentinelPassword === null ? {} : { sentinelPassword }),
  };
}
