import { fileSettingOf } from './secret-files.ts';

const hidden = ['REDIS_URL', 'MONGODB_URL'] as const;

/** The environment of this process without the way to queue and store, for a child that reads what targets send. An empty setting counts as unset. */
export function environmentWithoutBackend(): Readonly<Record<string, string | undefined>> {
  const names = [...hidden, ...hidden.map(fileSettingOf)];
  return { ...process.env, ...Object.fromEntries(names.map((name) => [name, ''])) };
}

/** Options of Node that this process was started with and its children get too: on the command line, and of NODE_OPTIONS. */
export function nodeOptions(): string {
  return [...process.execArgv, process.env['NODE_OPTIONS'] ?? ''].join(' ');
}
