import { existsSync } from 'node:fs';
import { hasMongo } from '../test/kit/mongo.ts';
import { findProgram } from '../test/kit/programs.ts';
import { hasRedisCluster } from '../test/kit/redis-cluster.ts';
import { hasRedis } from '../test/kit/redis.ts';

/** What a machine may lack: whether it is here, and how to get it. */
const things = {
  redis: {
    isHere: hasRedis,
    how: 'Redis: put redis-server on the PATH, or set REDIS_URL to a Redis that the bench may fill and empty',
  },
  cluster: {
    isHere: hasRedisCluster,
    how: 'a Redis cluster of its own: put redis-server and redis-cli on the PATH',
  },
  store: {
    isHere: hasMongo,
    how: 'a server of the MongoDB protocol: put mongod or ferretdb on the PATH, or set MONGOD_BINARY or MONGODB_URL',
  },
  sslscan: { isHere: findProgram('sslscan') !== undefined, how: 'sslscan on the PATH' },
  openssl: { isHere: findProgram('openssl') !== undefined, how: 'openssl on the PATH' },
  curl: { isHere: findProgram('curl') !== undefined, how: 'curl on the PATH' },
  generators: {
    isHere: ['openapi-python-client', 'oapi-codegen', 'go'].every((name) => findProgram(name) !== undefined),
    how: 'openapi-python-client, oapi-codegen and go on the PATH (pip install openapi-python-client==0.29.1, go install github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2)',
  },
  schemathesis: {
    isHere: findProgram('schemathesis') !== undefined,
    how: 'schemathesis on the PATH (python3 -m venv, pip install schemathesis==4.32.5)',
  },
  linux: {
    isHere: existsSync('/proc/self/stat'),
    how: 'Linux: it reads CPU and memory of processes in /proc',
  },
} as const;

export type Need = keyof typeof things;

/** What of these is not on this machine, in one sentence that says how to get it; undefined if nothing lacks. */
export function lackOf(needs: readonly Need[]): string | undefined {
  const hows = needs.filter((need) => !things[need].isHere).map((need) => things[need].how);
  return hows.length === 0 ? undefined : `needs ${hows.join('; and ')}.`;
}
