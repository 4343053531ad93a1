import { z } from 'zod';
import { beforeParameter, limitParameter, pageOf, readParameters } from '../request/pages.ts';
import { readOwnQuery } from '../request/read-query.ts';
import { renewSecretOf, replayOf, sendTest } from './act.ts';
import { sendPrivate } from './change.ts';
import { describeDelivery, describeTarget, describeWatch, describeWatches } from './describe.ts';
import { findWatch, type WatchAnswer } from './watch-services.ts';

export const placeText = /^[0-9]{1,15}-[0-9a-z_]{1,64}$/;
export const targetCursorText = /^[A-Za-z0-9_-]+$/;
export const pageParameters = z.object({
  limit: limitParameter(),
  before: beforeParameter(placeText, readPlace),
});
export const targetParameters = z.object({
  limit: limitParameter(),
  before: beforeParameter(targetCursorText, (text) => Buffer.from(text, 'base64url').toString()),
});

/** Answers GET /api/watches: those of the account, newest first. */
export const listWatches: WatchAnswer = async (services, caller, request, response) => {
  const page = readParameters(pageParameters, request);
  const found = await services.watches.list(caller.account, { ...page, limit: page.limit + 1 });
  const { shown, next } = pageOf(found, page.limit, ({ createdAt, watchId }) => `${createdAt}-${watchId}`);
  const watches = await describeWatches(services, shown);
  sendPrivate(response, { watches, next });
};

/** Answers GET /api/watches/{watchId}. */
export const showWatch: WatchAnswer = async (services, caller, request, response) => {
  readOwnQuery(request, []);
  sendPrivate(response, await describeWatch(services, await findWatch(services, caller, request)));
};

/** Answers DELETE of the same: the watch is gone with its targets and deliveries. */
export const deleteWatch: WatchAnswer = async (services, caller, request, response) => {
  readOwnQuery(request, []);
  const { watchId } = await findWatch(services, caller, request);
  await services.watches.remove(watchId);
  response.statusCode = 204;
  response.end();
};

/** Answers GET /api/watches/{watchId}/targets, in the order of their names. */
export const listTargets: WatchAnswer = async (services, caller, request, response) => {
  const page = readParameters(targetParameters, request);
  const { watchId } = await findWatch(services, caller, request);
  const found = await services.watches.listTargets(watchId, { limit: page.limit + 1, after: page.before });
  const { shown, next } = pageOf(found, page.limit, ({ target }) =>
    Buffer.from(target).toString('base64url'),
  );
  sendPrivate(response, { targets: shown.map(describeTarget), next });
};

/** Answers GET /api/watches/{watchId}/deliveries, newest first. */
export const listDeliveries: WatchAnswer = async (services, caller, request, response) => {
  const page = readParameters(pageParameters, request);
  const { watchId } = await findWatch(services, caller, request);
  const found = await services.watches.listDeliveries({ watchId }, { ...page, limit: page.limit + 1 });
  const { shown, next } = pageOf(
    found,
    page.limit,
    ({ createdAt, deliveryId }) => `${createdAt}-${deliveryId}`,
  );
  sendPrivate(response, { deliveries: shown.map(describeDelivery), next });
};

/** Answers POST /api/watches/{watchId}/test: sends a test event. */
export const testWatch: WatchAnswer = async (services, caller, request, response) => {
  readOwnQuery(request, []);
  const test = await sendTest(services, caller, await findWatch(services, caller, request), response);
  response.statusCode = 202;
  sendPrivate(response, describeDelivery(test));
};

/** Answers POST /api/watches/{watchId}/secret: draws a new secret; the old one signs beside it for a day. */
export const renewSecret: WatchAnswer = async (services, caller, request, response) => {
  readOwnQuery(request, []);
  const watch = await findWatch(services, caller, request);
  sendPrivate(response, { webhookSecret: await renewSecretOf(services, watch) });
};

/** Answers POST /api/watches/{watchId}/deliveries/{deliveryId}/replay: sends the same event again, under the same id. */
export const replayDelivery: WatchAnswer = async (services, caller, request, response) => {
  readOwnQuery(request, []);
  const watch = await findWatch(services, caller, request);
  const again = await replayOf(services, watch, String(request.params['delivery']));
  response.statusCode = 202;
  sendPrivate(response, describeDelivery(again));
};

function readPlace(text: string): { readonly createdAt: number; readonly id: string } {
  const [createdAt = '', id = ''] = text.split('-');
  return { createdAt: Number(createdAt), id };
}
