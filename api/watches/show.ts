import { z } from 'zod';
import { Problem } from '#shared/model/problem';
import type { Delivery, Notify } from '#shared/model/watch';
import { beforeParameter, limitParameter, pageOf, readParameters } from '../request/pages.ts';
import { readOwnQuery } from '../request/read-query.ts';
import { sendPrivate } from './change.ts';
import { describeDelivery, describeTarget, describeWatch } from './describe.ts';
import { drawSecret } from './keys.ts';
import { testOf } from './tests.ts';
import { findWatch, type WatchAnswer } from './watch-desk.ts';

export const placeText = /^[0-9]{1,15}-[0-9a-z_]{1,64}$/;
export const targetCursorText = /^[A-Za-z0-9_-]{1,8192}$/;
const pageParameters = z.object({ limit: limitParameter(), before: beforeParameter(placeText, readPlace) });
const targetParameters = z.object({
  limit: limitParameter(),
  before: beforeParameter(targetCursorText, (text) => Buffer.from(text, 'base64url').toString()),
});

/** Answers GET /api/watches: those of the account, newest first. */
export const listWatches: WatchAnswer = async (desk, caller, request, response) => {
  const page = readParameters(pageParameters, request);
  const found = await desk.watches.list(caller.account, { ...page, limit: page.limit + 1 });
  const { shown, next } = pageOf(found, page.limit, ({ createdAt, watchId }) => `${createdAt}-${watchId}`);
  const watches = await Promise.all(shown.map((watch) => describeWatch(desk, watch)));
  sendPrivate(response, { watches, next });
};

/** Answers GET /api/watches/{watchId}. */
export const showWatch: WatchAnswer = async (desk, caller, request, response) => {
  readOwnQuery(request, []);
  sendPrivate(response, await describeWatch(desk, await findWatch(desk, caller, request)));
};

/** Answers DELETE of the same: the watch is gone with its targets and deliveries. */
export const deleteWatch: WatchAnswer = async (desk, caller, request, response) => {
  readOwnQuery(request, []);
  const { watchId } = await findWatch(desk, caller, request);
  await desk.watches.remove(watchId);
  response.statusCode = 204;
  response.end();
};

/** Answers GET /api/watches/{watchId}/targets, in the order of their names. */
export const listTargets: WatchAnswer = async (desk, caller, request, response) => {
  const page = readParameters(targetParameters, request);
  const { watchId } = await findWatch(desk, caller, request);
  const found = await desk.watches.listTargets(watchId, { limit: page.limit + 1, after: page.before });
  const { shown, next } = pageOf(found, page.limit, ({ target }) =>
    Buffer.from(target).toString('base64url'),
  );
  sendPrivate(response, { targets: shown.map(describeTarget), next });
};

/** Answers GET /api/watches/{watchId}/deliveries, newest first. */
export const listDeliveries: WatchAnswer = async (desk, caller, request, response) => {
  const page = readParameters(pageParameters, request);
  const { watchId } = await findWatch(desk, caller, request);
  const found = await desk.watches.listDeliveries({ watchId }, { ...page, limit: page.limit + 1 });
  const { shown, next } = pageOf(
    found,
    page.limit,
    ({ createdAt, deliveryId }) => `${createdAt}-${deliveryId}`,
  );
  sendPrivate(response, { deliveries: shown.map(describeDelivery), next });
};

/** Answers POST /api/watches/{watchId}/test: sends a test event. */
export const testWatch: WatchAnswer = async (desk, caller, request, response) => {
  readOwnQuery(request, []);
  const tests = testOf(desk, await findWatch(desk, caller, request));
  const [event, byMail] = tests;
  await desk.watches.keepDeliveries(tests);
  response.statusCode = 202;
  sendPrivate(response, describeDelivery(event.channel === 'feed' && byMail ? byMail : event));
};

const oldSecretMs = 86_400_000;

/** Answers POST /api/watches/{watchId}/secret: draws a new secret; the old one signs beside it for a day. */
export const renewSecret: WatchAnswer = async (desk, caller, request, response) => {
  readOwnQuery(request, []);
  const { watchId, notify } = await findWatch(desk, caller, request);
  if (notify.webhook === null)
    throw new Problem('invalid_request', 'This watch has no webhook, and nothing to sign.');
  const secret = drawSecret();
  const until = Date.now() + oldSecretMs;
  await desk.watches.change(watchId, (watch) => ({
    ...watch,
    secret,
    oldSecret: watch.secret === null ? null : { text: watch.secret, until },
  }));
  sendPrivate(response, { webhookSecret: secret });
};

/** Answers POST /api/watches/{watchId}/deliveries/{deliveryId}/replay: sends the same event again, under the same id. */
export const replayDelivery: WatchAnswer = async (desk, caller, request, response) => {
  readOwnQuery(request, []);
  const { watchId, notify } = await findWatch(desk, caller, request);
  const delivery = await desk.watches.getDelivery(String(request.params['delivery']));
  if (delivery?.watchId !== watchId)
    throw new Problem('delivery_not_found', 'This watch has no delivery with this id.');
  if (!canSend(notify, delivery))
    throw new Problem(
      'invalid_request',
      'This event is told by the feed alone: the watch has no webhook or e-mail address for it.',
    );
  const again: Delivery = {
    ...delivery,
    state: 'pending',
    attempts: 0,
    nextAttemptAt: Date.now(),
    waitsFor: null,
    isExtra: true,
    failure: null,
  };
  await desk.watches.settleDelivery(again);
  response.statusCode = 202;
  sendPrivate(response, describeDelivery(again));
};

function canSend({ webhook, email }: Notify, { channel }: Delivery): boolean {
  return channel === 'webhook' ? webhook !== null : channel === 'email' && email !== null;
}

function readPlace(text: string): { readonly createdAt: number; readonly id: string } {
  const [createdAt = '', id = ''] = text.split('-');
  return { createdAt: Number(createdAt), id };
}
