import { AsyncLocalStorage } from 'node:async_hooks';
import { readFileSync } from 'node:fs';
import type { RedisQueueBackend } from 'bullmq';
import type { AnyRedis } from '../../backends/redis.ts';

/** The keys and words of one of our scripts. */
export type ScriptWords = { readonly keys: readonly string[]; readonly words: readonly (string | number)[] };

/** A script of ours that goes into one exchange with one of BullMQ's. `answer` is there when both have run. */
type Companion = ScriptWords & { readonly hear: (answer: unknown) => void; answer: unknown };

/** BullMQ's scripts that have a companion of ours, and the command that runs both. */
const joints = {
  addStandardJob: 'diagSubmit',
  moveToFinished: 'diagEndJob',
  removeJob: 'diagWithdraw',
} as const;
type JointName = keyof typeof joints;

const companions = new AsyncLocalStorage<Companion>();
const submitJob = readFileSync(new URL('submit.lua', import.meta.url), 'utf8');
const endJob = readFileSync(new URL('end-job.lua', import.meta.url), 'utf8');
const withdrawJob = readFileSync(new URL('withdraw.lua', import.meta.url), 'utf8');

/**
 * Calls BullMQ, whose script runs right after ours in the same exchange: either both run, or none.
 * @param hear is told what ours gave as soon as both have run, also where BullMQ then rejects
 */
export function inOneScript<T>(
  ours: ScriptWords,
  hear: (answer: unknown) => void,
  callBullmq: () => Promise<T>,
): Promise<T> {
  return companions.run({ ...ours, hear, answer: undefined }, callBullmq);
}

/** What our script has answered to the call that is under way; undefined where none goes with it. */
export function answerOfOurs(): unknown {
  return companions.getStore()?.answer;
}

/** The backend, with its scripts joined to ours where a call is made by `inOneScript`. */
export function joinScripts(
  backend: RedisQueueBackend,
  redis: AnyRedis,
  ours: OurScripts,
): RedisQueueBackend {
  const alone = backend.execCommand.bind(backend);
  backend.execCommand = (client, name, words: unknown[]) => {
    const companion = companions.getStore();
    if (!companion || !isJoint(name)) return alone(client, name, words);
    defineJoint(redis, name, ours);
    const { keys } = companion;
    const theirKeys = words.slice(0, keysOf(redis, name));
    const all = [...keys, ...theirKeys, ...companion.words, ...words.slice(theirKeys.length)];
    // The client is a proxy of BullMQ's, typed for the commands of all its databases.
    const told = (client as unknown as CommandRunner).runCommand(joints[name], all);
    return told.then(([answer, given]) => {
      companion.answer = answer;
      companion.hear(answer);
      return given;
    });
  };
  return backend;
}

type CommandRunner = {
  runCommand(name: string, words: unknown[]): Promise<[answer: unknown, given: unknown]>;
};

/** Our scripts, as bodies of Lua functions, and what they need before them. */
export type OurScripts = { readonly before: string; readonly take: string; readonly release: string };

/** Keys of our scripts: those of take.lua and of release.lua. */
const ourKeys = 6;

function defineJoint(redis: AnyRedis, name: JointName, { before, take, release }: OurScripts): void {
  if (joints[name] in redis) return;
  const theirs = `local function theirs(KEYS, ARGV)\n${readScript(redis, name).lua}\nend`;
  const lua =
    name === 'addStandardJob'
      ? `${before}\nlocal function take(KEYS, ARGV)\n${take}\nend\n${theirs}
local function addDelayed(KEYS, ARGV)\n${readScript(redis, 'addDelayedJob').lua}\nend\n${submitJob}`
      : `${before}\nlocal function release(KEYS, ARGV)\n${release}\nend\n${theirs}\n${name === 'removeJob' ? withdrawJob : endJob}`;
  redis.defineCommand(joints[name], { numberOfKeys: ourKeys + keysOf(redis, name), lua });
}

function isJoint(name: string): name is JointName {
  return name in joints;
}

type Script = { readonly lua: string; readonly numberOfKeys: number };

function keysOf(redis: AnyRedis, name: JointName): number {
  return readScript(redis, name).numberOfKeys;
}

/** BullMQ names its scripts with its version behind, so that several versions can share a client. */
function readScript(redis: AnyRedis, name: string): Script {
  const scripts = redis.scriptsSet as { readonly [name: string]: Script | undefined };
  const full = Object.keys(scripts).find((known) => known.startsWith(`${name}:`));
  const script = scripts[full ?? ''];
  if (!script) throw new TypeError(`BullMQ has defined no script ${name}`);
  return script;
}
