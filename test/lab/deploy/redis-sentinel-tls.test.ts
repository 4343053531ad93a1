import { type ChildProcess, spawn } from 'node:child_process';
import { hash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Guard, makeGuard } from '../../kit/guarded-redis.ts';
import { hasMongo } from '../../kit/mongo.ts';
import { findProgram, freePort } from '../../kit/programs.ts';
import { untilListening } from '../../kit/redis.ts';
import { type GuardedPair, startGuardedPair } from './guarded-pair.ts';

const program = findProgram('redis-server') ?? '';
const sentinelWord = 'se&nti=nel';

describe.skipIf(program === '' || !hasMongo)(
  'a watched master; servers and sentinels speak TLS only, to users',
  () => {
    let guard: Guard;
    let pair: GuardedPair;
    let master: ChildProcess;
    const children: ChildProcess[] = [];
    const start = async (port: number, words: readonly string[]) => {
      const child = spawn(program, words, { stdio: 'ignore', cwd: guard.folder });
      children.push(child);
      await untilListening(port);
      return child;
    };
    const startServer = (port: number, more: Readonly<Record<string, string>> = {}) => {
      const settings = { ...guard.settings(port), save: '', dbfilename: `dump-${port}.rdb`, ...more };
      return start(
        port,
        Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]),
      );
    };
    const startSentinel = (port: number, masterPort: number) => {
      const { aclfile: _, masteruser, masterauth, ...tls } = guard.settings(port);
      const lines = [
        ...Object.entries(tls).map(([name, value]) => `${name} ${value}`),
        'user default off',
        `user watcher on #${hash('sha256', sentinelWord)} allchannels +@all`,
        `sentinel monitor main 127.0.0.1 ${masterPort} 1`,
        `sentinel auth-user main ${masteruser}`,
        `sentinel auth-pass main ${masterauth}`,
        'sentinel down-after-milliseconds main 500',
        'sentinel failover-timeout main 2000',
      ];
      const file = join(guard.folder, 'sentinel.conf');
      writeFileSync(file, `${lines.join('\n')}\n`);
      return start(port, [file, '--sentinel']);
    };
    beforeAll(async () => {
      // Sentinels tell addresses.
      guard = await makeGuard(['localhost', '127.0.0.1']);
      const [first, second, sentinel] = [await freePort(), await freePort(), await freePort()];
      master = await startServer(first);
      await startServer(second, { replicaof: `127.0.0.1 ${first}` });
      await startSentinel(sentinel, first);
      const file = join(guard.folder, 'redis-url');
      const [diag, word] = [guard.users.diag, sentinelWord].map(encodeURIComponent);
      writeFileSync(
        file,
        `rediss+sentinel://diag:${diag}@localhost:${sentinel}/main?sentinelUsername=watcher&sentinelPassword=${word}\n`,
      );
      pair = await startGuardedPair({ REDIS_URL_FILE: file, NODE_EXTRA_CA_CERTS: guard.authorityFile });
    }, 60_000);
    afterAll(async () => {
      await pair?.close();
      for (const child of children) child.kill('SIGKILL');
      guard?.remove();
    });

    test('an API and a worker find it; nothing they ask for is forbidden to their user', async () => {
      await expect.poll(() => pair.statuses()).toEqual(['ready', 'ready']);
      await expect.poll(() => pair.answers()).toBe(true);
      expect(pair.complaints()).toEqual([]);
    });

    test('the replica that takes its place is found as well', async () => {
      master.kill('SIGKILL');
      await expect.poll(() => pair.answers(), { timeout: 40_000 }).toBe(true);
      expect(pair.complaints()).toEqual([]);
    });
  },
);
