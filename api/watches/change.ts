import type { Request, Response } from 'express';
import type { z } from 'zod';
import type { Caller } from '#shared/limits/caller';
import { bytesOfRows, bytesOfTargets, type Room } from '#shared/limits/kept';
import { type InputError, Problem } from '#shared/model/problem';
import type { Json } from '#shared/model/verdict';
import type { Notify, Watch, WatchTarget } from '#shared/model/watch';
import { giveBack } from '#shared/time/give-back';
import { sendJson } from '../answer/json.ts';
import { insufficientScope } from '../request/admit.ts';
import { invalidBody } from '../request/faults.ts';
import { makeOnce } from '../request/idempotency.ts';
import { type ReadFields, readFields } from '../request/read-json.ts';
import { readOwnQuery } from '../request/read-query.ts';
import { applyTurns, newTargets, requireFit, tooOften } from './apply.ts';
import { describeWatch } from './describe.ts';
import { drawSecret } from './keys.ts';
import { requireRoom } from './quotas.ts';
import {
  mergeNotify,
  newWatchSchema,
  readEmail,
  readTargets,
  readWebhook,
  specOf,
  type Understood,
  watchPatchSchema,
} from './read-watch.ts';
import { askingOf, bytesOfAsking, putAsking, testOf } from './tests.ts';
import { findWatch, type WatchServices } from './watch-services.ts';

/** Answers POST /api/watches: begins to watch. */
export async function createWatch(
  services: WatchServices,
  caller: Caller,
  request: Request,
  response: Response,
): Promise<void> {
  readOwnQuery(request, []);
  // Watches go on only while their account may start checks.
  if (!caller.scopes.includes('tools')) throw insufficientScope('tools');
  const body = await services.bodies.read({ request, response, caller }, 'watch');
  const read = readFields(body.text, newWatchSchema);
  await requireSound(services, caller, read);
  const wish = read.fields as z.infer<typeof newWatchSchema>;
  const made = await makeOnce(services.idempotency, caller.account, { request, body }, (watchId) =>
    make(services, caller, wish, watchId),
  );
  const watch = await services.watches.get(made.resourceId);
  if (!watch) throw new Problem('watch_not_found', 'The watch of this key was deleted since.');
  const shown = await describeWatch(services, watch);
  response.statusCode = made.isRepeated ? 200 : 201;
  response.setHeader('Location', shown.links.self);
  sendPrivate(response, { ...shown, ...(made.kept === '' ? {} : { webhookSecret: made.kept }) });
}

/** Rejects with the Problem of all faults of a body, those of its targets and options with the others. */
async function requireSound(
  services: WatchServices,
  { account }: Caller,
  { fields, faults }: ReadFields<typeof newWatchSchema.shape>,
  known?: Watch,
): Promise<void> {
  const { everySeconds, notify, targets = [], options = {} } = fields;
  const all = [
    ...faults,
    ...(everySeconds === undefined ? [] : tooOften(services, everySeconds)),
    ...(notify === undefined ? [] : faultsOfNotify(services, mergeNotify(notify, known?.notify))),
  ];
  if (all.length === 0) return;
  const check = known?.check ?? fields.check;
  if (check !== undefined)
    await readTargets(services, { spec: specOf(check), options, targets, account }, all);
  throw invalidBody(all);
}

function faultsOfNotify(services: WatchServices, notify: Notify): readonly InputError[] {
  try {
    readNotify(services, notify);
    return [];
  } catch (error) {
    if (error instanceof Problem && error.code === 'invalid_request') return error.errors ?? [];
    throw error;
  }
}

async function make(
  services: WatchServices,
  caller: Caller,
  wish: z.infer<typeof newWatchSchema>,
  watchId: string,
): Promise<string> {
  const { account } = caller;
  const spec = specOf(wish.check);
  const { targets, options } = await readTargets(services, {
    spec,
    options: wish.options ?? {},
    targets: wish.targets,
    account,
  });
  const notify = readNotify(services, mergeNotify(wish.notify));
  const secret = notify.webhook === null ? null : drawSecret();
  const watch: Watch = {
    watchId,
    account,
    label: wish.label ?? null,
    check: wish.check,
    options,
    everySeconds: wish.everySeconds,
    targetCount: targets.length,
    pausedReason: null,
    notify,
    secret,
    oldSecret: null,
    isConfirmed: false,
    createdAt: Date.now(),
    isWhole: true,
  };
  const made = await newTargets(watch, targets);
  const tests = secret === null ? [] : testOf(services, watch, 'first').slice(0, 1);
  await services.kept.take(account, async (room) => {
    await requireFit(services, caller, watch);
    await requireRoom(services.watches, services.watchLimits, {
      account,
      added: targets.map(({ host }) => host),
    });
    const asking = await askingOf(services, watch);
    const put = await room(bytesOfTargets(targets) + bytesOfRows([watch, ...tests]) + bytesOfAsking(asking));
    await put.watch(watch, made);
    await put.deliveries(tests);
    await putAsking(put, asking);
  });
  return secret ?? '';
}

/** A change is understood anew where another came between; so often before its sender has to try again. */
const mostTries = 5;

/** Answers PATCH /api/watches/{watchId}: a JSON merge patch. */
export async function changeWatch(
  services: WatchServices,
  caller: Caller,
  request: Request,
  response: Response,
): Promise<void> {
  readOwnQuery(request, []);
  await findWatch(services, caller, request);
  const body = await services.bodies.read({ request, response, caller }, 'change of a watch');
  const read = readFields(body.text, watchPatchSchema);
  for (let tries = 0; tries < mostTries; tries += 1) {
    const known = await findWatch(services, caller, request);
    await requireSound(services, caller, read as ReadFields<typeof newWatchSchema.shape>, known);
    const wish: Patch = read.fields;
    const found = await readNewTargets(services, known, wish);
    const done = await services.kept.take(known.account, (room) =>
      change(services, { caller, room, known, wish, found }),
    );
    if (!done) continue;
    const shown = await describeWatch(services, done.changed);
    const secret = done.isNewSecret ? { webhookSecret: done.changed.secret } : {};
    return sendPrivate(response, { ...shown, ...secret });
  }
  throw new Problem('overloaded', 'The watch is being changed by other requests. Send this one again.', {
    retryAfterS: 2,
  });
}

type Change = {
  readonly caller: Caller;
  readonly room: Room;
  /** What the wish was understood by. */
  readonly known: Watch;
  readonly wish: Patch;
  readonly found: Understood | undefined;
};

type Changed = { readonly changed: Watch; readonly isNewSecret: boolean };

/**
 * Changes a watch, in its account's turn. What it keeps is judged first; the watch itself is merged as it is at that moment (RFC 7396), and comes
 * after its targets: a process that ends between the two has lost none.
 * @returns undefined where the wish was understood by what has changed since
 */
async function change(services: WatchServices, wanted: Change): Promise<Changed | undefined> {
  const { caller, room, known, wish, found } = wanted;
  const { watches } = services;
  const { watchId, account } = known;
  const now = await watches.get(watchId);
  if (!now) throw deletedMeanwhile();
  if (found && !(await isStill(services, now, wanted))) return undefined;
  const secret = drawSecret();
  const merged = (watch: Watch) => patched(services, watch, { wish, found, secret });
  const next = merged(now);
  await requireFit(services, caller, next);
  if (found) {
    const hosts = found.targets.map(({ host }) => host);
    await requireRoom(watches, services.watchLimits, { account, added: hosts, except: watchId });
  }
  const news = await newsOf(services, now, next);
  // What keeps nothing new passes at the bound: a label, a pause.
  const put = await room(bytesOfTargets(found?.targets.slice(now.targetCount) ?? []) + news.bytes);
  const isAnew = JSON.stringify(now.options) !== JSON.stringify(next.options);
  if (found) await put.targets(watchId, await newTargets(next, found.targets), isAnew);
  let before = now;
  const changed = await watches.change(watchId, (watch) => merged((before = watch)));
  if (!changed) return removeRest(watches, watchId);
  await put.deliveries(news.tests);
  await putAsking(put, news.asking);
  await applyTurns(services, before, changed);
  return { changed, isNewSecret: changed.secret === secret };
}

/** What a change tells: the test of a receiver that is new, and the question to an address. */
async function newsOf(services: WatchServices, now: Watch, next: Watch) {
  const isNew = next.secret !== null && next.secret !== now.secret;
  const tests = isNew ? testOf(services, next).slice(0, 1) : [];
  const asking = next.notify.email?.to === now.notify.email?.to ? undefined : await askingOf(services, next);
  return { tests, asking, bytes: bytesOfRows(tests) + bytesOfAsking(asking) };
}

/** Deletes the targets that were written while the watch was deleted. */
async function removeRest(
  { remove }: Pick<WatchServices['watches'], 'remove'>,
  watchId: string,
): Promise<never> {
  await remove(watchId);
  throw deletedMeanwhile();
}

function deletedMeanwhile(): Problem {
  return new Problem('watch_not_found', 'The watch was deleted meanwhile.');
}

/** True where what new targets and options were understood by is still so. */
async function isStill(
  services: WatchServices,
  now: Watch,
  { known, wish, found }: Change,
): Promise<boolean> {
  if (JSON.stringify(now.options) !== JSON.stringify(known.options)) return false;
  if (wish.targets !== undefined) return true;
  const names = new Set(found?.targets.map(({ target }) => target));
  const all = await allTargets(services, now);
  return all.length === names.size && all.every(({ target }) => names.has(target));
}

type Patch = z.infer<typeof watchPatchSchema>;
type Found = { readonly wish: Patch; readonly found: Understood | undefined; readonly secret: string };

/** The watch after a patch. @param secret of a receiver that is new */
function patched(services: WatchServices, watch: Watch, { wish, found, secret }: Found): Watch {
  const notify = readNotify(services, mergeNotify(wish.notify, watch.notify));
  const isMoved = notify.webhook !== null && originOf(notify) !== originOf(watch.notify);
  const paused = wish.paused === undefined ? watch.pausedReason : wish.paused ? 'owner' : null;
  return {
    ...watch,
    label: wish.label === undefined ? watch.label : wish.label,
    everySeconds: wish.everySeconds ?? watch.everySeconds,
    ...(found ? { options: found.options, targetCount: found.targets.length } : {}),
    pausedReason: paused,
    notify,
    // Another receiver knows nothing of the secret, and is tested first.
    ...(isMoved ? { secret, oldSecret: null, isConfirmed: false } : {}),
    ...(notify.webhook === null ? { secret: null, oldSecret: null, isConfirmed: false } : {}),
  };
}

function originOf({ webhook }: Notify): string | undefined {
  return webhook ? new URL(webhook.url).origin : undefined;
}

async function readNewTargets(
  services: WatchServices,
  watch: Watch,
  wish: Patch,
): Promise<Understood | undefined> {
  if (wish.targets === undefined && wish.options === undefined) return undefined;
  const targets = wish.targets ?? (await allTargets(services, watch)).map(({ target }) => target);
  const options = wish.options === undefined ? textsOf(watch.options) : (wish.options ?? {});
  return readTargets(services, { spec: specOf(watch.check), options, targets, account: watch.account });
}

// As a query has them.
function textsOf(options: Watch['options']): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(options).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.map(textOf) : textOf(value),
    ]),
  );
}

function textOf(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

const targetsAtOnce = 200;

async function allTargets({ watches }: WatchServices, { watchId }: Watch): Promise<WatchTarget[]> {
  const all: WatchTarget[] = [];
  for (let after: string | undefined; ;) {
    const page = await watches.listTargets(watchId, { limit: targetsAtOnce, after });
    all.push(...page);
    after = page.at(-1)?.target;
    if (page.length < targetsAtOnce) return all;
    await giveBack();
  }
}

function readNotify(services: WatchServices, notify: Notify): Notify {
  const { webhook, email } = notify;
  return {
    ...notify,
    webhook: webhook && { url: readWebhook(services, webhook.url) },
    email: email && { to: readEmail(services.site, email.to) },
  };
}

/** Sends what only its owner sees. */
export function sendPrivate(response: Response, body: unknown): void {
  response.setHeader('Cache-Control', 'private, no-store');
  sendJson(response, body);
}
