import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Processes and threads of Chromium while it loads a page: for a small one 60 were too few and 100 enough, and frames and workers need more. */
const ofChromium = 128;
/** Those of our own processes, which count as well where they have its user. */
const ofOurs = 50;

/** How many processes and threads may run here, where that is too few for a page load; undefined where it is enough, or nobody can say. */
export async function tooFewProcesses(isRoot: boolean): Promise<number | undefined> {
  const [user, group] = await Promise.all([readUserLimit(), readGroupLimit()]);
  // Root itself is not limited, but the user that Chromium has then is.
  if (user !== undefined && user < ofChromium + (isRoot ? 0 : ofOurs)) return user;
  return group !== undefined && group < ofChromium + ofOurs ? group : undefined;
}

/** RLIMIT_NPROC (getrlimit(2)). */
async function readUserLimit(): Promise<number | undefined> {
  return numberIn(/^Max processes\s+(\d+)/m.exec(await read('/proc/self/limits'))?.[1]);
}

/** That of the container or the unit of systemd (the kernel's documentation of cgroups, "PID"), of version 2 or 1. */
async function readGroupLimit(): Promise<number | undefined> {
  const groups = await read('/proc/self/cgroup');
  const [second, first] = [/^0::(\/.*)$/m.exec(groups)?.[1], /^\d+:pids:(\/.*)$/m.exec(groups)?.[1]];
  const folder = first === undefined ? (second ?? '/') : `pids${first}`;
  return numberIn((await read(join('/sys/fs/cgroup', folder, 'pids.max'))).trim());
}

function numberIn(text = ''): number | undefined {
  return /^\d+$/.test(text) ? Number(text) : undefined;
}

/** "" where there is no such file: on other systems, and where it is not shown. */
async function read(file: string): Promise<string> {
  return readFile(file, 'utf8').catch(() => '');
}
