import { findSpec } from '#shared/catalogue/registry';
import type { Severity } from '#shared/model/verdict';
import { jsonText } from '#shared/render/visible-text';
import type { Delivery, Watch, WatchedTarget, WatchRequest } from '../client/diagnostics.ts';
import { readTime } from './check-options.ts';
import { openServer, type ServerOptions } from './connection.ts';
import { say, sayForProgram, show, warn } from './door.ts';
import { UsageError } from './outcome.ts';
import { readTargets } from './targets.ts';

export type ListOptions = ServerOptions & { readonly output: 'table' | 'json' };
export type CreateOptions = ListOptions & {
  readonly every: string;
  readonly file?: string;
  readonly label?: string;
  readonly webhook?: string;
  readonly email?: string;
  readonly minSeverity?: Severity;
  readonly daysBefore?: string;
  readonly option?: readonly string[];
};

/** Begins to watch targets, and prints the watch. */
export async function createWatch(
  check: string,
  args: readonly string[],
  options: CreateOptions,
): Promise<void> {
  const spec = findSpec(check);
  if (!spec) throw new UsageError(`There is no check "${check}". See diag watch create --help.`);
  const everySeconds = readTime('--every', options.every);
  const own = readOptions(options.option ?? []);
  const notify = readNotify(options);
  const targets = await Array.fromAsync(readTargets(args, options.file, spec.targetKind));
  if (targets.length === 0)
    throw new UsageError(`Name a target: diag watch create ${check} example.com --every 1d, or -f FILE.`);
  const { label } = options;
  const watch = await openServer(options).watches.create({
    check: check as WatchRequest['check'],
    targets,
    everySeconds,
    options: own,
    notify,
    ...(label === undefined ? {} : { label }),
  });
  printOne(watch, options);
  if (options.output === 'table' && watch.webhookSecret !== undefined) {
    warn(show`The webhook is signed with this secret. It is shown only once.`);
    say(show`${watch.webhookSecret}`);
  }
  if (options.output === 'table' && options.email !== undefined)
    warn(
      show`${options.email} gets a message with a link. Nothing else is sent until it is confirmed there.`,
    );
}

function readOptions(texts: readonly string[]): Record<string, string | string[]> {
  const own = new Map<string, string[]>();
  for (const text of texts) {
    const [, name, value] = /^([A-Za-z]\w*)=(.*)$/s.exec(text) ?? [];
    if (name === undefined || value === undefined)
      throw new UsageError(`--option: "${text}" is not NAME=VALUE.`);
    own.set(name, [...(own.get(name) ?? []), value]);
  }
  return Object.fromEntries(
    [...own].map(([name, [first = '', ...more]]) => [name, more.length === 0 ? first : [first, ...more]]),
  );
}

function readNotify({
  webhook,
  email,
  minSeverity,
  daysBefore,
}: CreateOptions): WatchRequest['notify'] & object {
  return {
    ...(webhook === undefined ? {} : { webhook: { url: webhook } }),
    ...(email === undefined ? {} : { email: { to: email } }),
    ...(minSeverity === undefined ? {} : { minSeverity }),
    ...(daysBefore === undefined ? {} : { daysBefore: readDays(daysBefore) }),
  };
}

function readDays(text: string): readonly number[] {
  if (/^\d{1,4}(?:,\d{1,4}){0,9}$/.test(text)) return text.split(',').map(Number);
  throw new UsageError(`--days-before: "${text}" is not a list of days such as 30,7,1.`);
}

/** Prints the watches of the account. */
export async function printWatches(options: ListOptions): Promise<void> {
  const all = await Array.fromAsync(openServer(options).watches.list());
  if (options.output === 'json') return sayForProgram(jsonText(all, 2));
  for (const watch of all) say(rowOf(watch));
}

/** Prints a watch, and where each of its targets stands. */
export async function printWatch(watchId: string, options: ListOptions): Promise<void> {
  const { watches } = openServer(options);
  const watch = await watches.get(watchId);
  const targets = await Array.fromAsync(watches.targets(watchId));
  if (options.output === 'json') return sayForProgram(jsonText({ ...watch, targets }, 2));
  say(rowOf(watch));
  for (const target of targets) say(targetRow(target));
}

/** Pauses a watch, or goes on with it. */
export async function pauseWatch(watchId: string, paused: boolean, options: ListOptions): Promise<void> {
  printOne(await openServer(options).watches.update(watchId, { paused }), options);
}

/** Deletes a watch. */
export async function deleteWatch(watchId: string, options: ServerOptions): Promise<void> {
  await openServer(options).watches.delete(watchId);
  warn(show`Watch ${watchId} is deleted.`);
}

/** Prints what a watch told. */
export async function printDeliveries(watchId: string, options: ListOptions): Promise<void> {
  const all = await Array.fromAsync(openServer(options).watches.deliveries(watchId));
  if (options.output === 'json') return sayForProgram(jsonText(all, 2));
  for (const delivery of all) say(deliveryRow(delivery));
}

/** Sends a test event. */
export async function testWatch(watchId: string, options: ListOptions): Promise<void> {
  printDelivery(await openServer(options).watches.test(watchId), options);
}

/** Draws and prints a new secret of a webhook. */
export async function drawSecret(watchId: string, options: ListOptions): Promise<void> {
  const webhookSecret = await openServer(options).watches.secret(watchId);
  if (options.output === 'json') return sayForProgram(jsonText({ webhookSecret }, 2));
  warn(
    show`The webhook is signed with this secret, and with the one before for a day. It is shown only once.`,
  );
  say(show`${webhookSecret}`);
}

/** Draws and prints new addresses of the feed and the calendar. */
export async function drawLinks(options: ListOptions): Promise<void> {
  const { feed, calendar } = await openServer(options).watches.links();
  if (options.output === 'json') return sayForProgram(jsonText({ feed, calendar }, 2));
  warn(
    show`Whoever has these addresses reads what the watches tell. They are shown only once, and the old ones end.`,
  );
  say(show`${feed}`);
  say(show`${calendar}`);
}

/** Sends an event again. */
export async function replayDelivery(
  watchId: string,
  deliveryId: string,
  options: ListOptions,
): Promise<void> {
  printDelivery(await openServer(options).watches.replay(watchId, deliveryId), options);
}

function printOne(watch: Watch, { output }: ListOptions): void {
  if (output === 'json') sayForProgram(jsonText(watch, 2));
  else say(rowOf(watch));
}

function printDelivery(delivery: Delivery, { output }: ListOptions): void {
  if (output === 'json') sayForProgram(jsonText(delivery, 2));
  else say(deliveryRow(delivery));
}

function rowOf(watch: Watch) {
  const { watchId, createdAt, check, targetCount, everySeconds, late, pausedReason, label } = watch;
  const state = pausedReason === null ? 'active' : `paused (${pausedReason})`;
  const overdue = late === 0 ? '' : `, ${late} overdue`;
  return show`${watchId}  ${createdAt}  ${state.padEnd(14)}  ${check.padEnd(21)}  ${targetCount} targets every ${everySeconds} s${overdue}  ${label ?? ''}`;
}

function targetRow({ target, state, checkedAt, score, grade, problem }: WatchedTarget) {
  const result = problem ?? `${grade ?? '-'} ${score ?? '-'}`;
  return show`${state.padEnd(9)}  ${(checkedAt ?? '-').padEnd(24)}  ${result.padEnd(6)}  ${target}`;
}

function deliveryRow(delivery: Delivery) {
  const { deliveryId, createdAt, state, type, channel, attempts, target, failure } = delivery;
  const why = failure === null ? '' : `  ${failure}`;
  return show`${deliveryId}  ${createdAt}  ${state.padEnd(9)}  ${type.padEnd(15)}  ${channel.padEnd(7)}  ${attempts} attempts  ${target ?? ''}${why}`;
}
