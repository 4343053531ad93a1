import { expect, test } from 'vitest';
import { isRedisAway, refusalOf } from '#shared/backends/redis';

const refusals: readonly (readonly [message: string, word: string])[] = [
  ["OOM command not allowed when used memory > 'maxmemory'. script: 1a2b, on @user_script:41.", 'OOM'],
  ['ERR Error running script (call to f_1a2b): @user_script:41: -OOM command not allowed', 'OOM'],
  ['MISCONF Redis is configured to save RDB snapshots', 'MISCONF'],
  ["READONLY You can't write against a read only replica.", 'READONLY'],
  ['LOADING Redis is loading the dataset in memory', 'LOADING'],
  ['NOSCRIPT No matching script. Please use EVAL.', 'NOSCRIPT'],
  ['CLUSTERDOWN The cluster is down', 'CLUSTERDOWN'],
  ['TRYAGAIN Multiple keys request during rehashing of slot', 'TRYAGAIN'],
];

test.for(refusals)('"%s" says that Redis does no work now', ([message, word]) => {
  expect(refusalOf(new Error(message))).toBe(word);
  expect(isRedisAway(new Error(message))).toBe(true);
});

test.for(['Connection is closed.', 'Command timed out', 'connect ECONNREFUSED 127.0.0.1:6379'])(
  '"%s" says that Redis cannot be reached',
  (message) => {
    expect(isRedisAway(new Error(message))).toBe(true);
    expect(refusalOf(new Error(message))).toBe(undefined);
  },
);

test.for([
  'WRONGTYPE Operation against a key holding the wrong kind of value',
  'ERR unknown command',
  'the ZOOM level is not set',
])('"%s" is a defect and rises', (message) => {
  expect(isRedisAway(new Error(message))).toBe(false);
});
