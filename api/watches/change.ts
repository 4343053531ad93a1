import type { Request, Response } from 'express';
import type { z } from 'zod';
import type { Caller } from '#shared/limits/caller';
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
import { askAddress, testOf } from './tests.ts';
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
  // What an account has is judged in the same turn in which it gets more.
  await services.accountTurns.take(account, async () => {
    await requireFit(services, caller, watch);
    await requireRoom(services.watches, services.watchLimits, {
      account,
      added: targets.map(({ host }) => host),
    });
    await services.kept.require(account, bytesOf(targets));
    await services.watches.create(watch, made);
  });
  if (secret !== null) await services.watches.keepDeliveries(testOf(services, watch, 'first').slice(0, 1));
  await askAddress(services, watch);
  return secret ?? '';
}

/** Answers PATCH /api/watches/{watchId}: a JSON merge patch. */
export async function changeWatch(
  services: WatchServices,
  caller: Caller,
  request: Request,
  response: Response,
): Promise<void> {
  readOwnQuery(request, []);
  const known = await findWatch(services, caller, request);
  const body = await services.bodies.read({ request, response, caller }, 'change of a watch');
  const read = readFields(body.text, watchPatchSchema);
  await requireSound(services, caller, read as ReadFields<typeof newWatchSchema.shape>, known);
  const wish: Patch = read.fields;
  const found = await readNewTargets(services, known, wish);
  const notify = readNotify(services, mergeNotify(wish.notify, known.notify));
  const changed = await services.accountTurns.take(known.account, () =>
    change(services, caller, known, { wish, found, notify }),
  );
  const isNewSecret = changed.secret !== null && changed.secret !== known.secret;
  if (isNewSecret) await services.watches.keepDeliveries(testOf(services, changed).slice(0, 1));
  if (changed.notify.email?.to !== known.notify.email?.to) await askAddress(services, changed);
  const shown = await describeWatch(services, changed);
  sendPrivate(response, { ...shown, ...(isNewSecret ? { webhookSecret: changed.secret } : {}) });
}

/** About what is kept of a watched target before its first report. */
const targetBytes = 700;

function bytesOf(targets: Understood['targets']): number {
  return targets.reduce((sum, { target }) => sum + 3 * target.length + targetBytes, 0);
}

/** Changes a watch, in its account's turn. */
async function change(
  services: WatchServices,
  caller: Caller,
  known: Watch,
  { wish, found, notify }: Found & { readonly wish: Patch },
): Promise<Watch> {
  const next = patched(known, wish, { found, notify });
  await requireFit(services, caller, next);
  if (found) {
    const added = found.targets.map(({ host }) => host);
    const { account, watchId: except } = known;
    await requireRoom(services.watches, services.watchLimits, { account, added, except });
    await services.kept.require(account, bytesOf(found.targets.slice(known.targetCount)));
  }
  const changed = await services.watches.change(known.watchId, (watch) =>
    patched(watch, wish, { found, notify }, next),
  );
  if (!changed) throw new Problem('watch_not_found', 'The watch was deleted meanwhile.');
  await applyTurns(services, { known, changed, found });
  return changed;
}

type Patch = z.infer<typeof watchPatchSchema>;
type Found = { readonly found: Understood | undefined; readonly notify: Notify };

/** The watch after a patch. @param drawn the same made before, whose secret is kept */
function patched(watch: Watch, wish: Patch, { found, notify }: Found, drawn?: Watch): Watch {
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
    ...(isMoved ? { secret: drawn?.secret ?? drawSecret(), oldSecret: null, isConfirmed: false } : {}),
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
