import { setTimeout as delay } from 'node:timers/promises';
import type { Request, Response } from 'express';
import { z } from 'zod';
import type { Caller } from '#shared/limits/caller';
import { isRandomId } from '#shared/model/job';
import { Problem } from '#shared/model/problem';
import { type Batch, bytesOfBatch, noneEnded } from '#shared/ports/batch-store';
import { openLeases } from '#shared/stores/batches/leases';
import { giveBack } from '#shared/time/give-back';
import { sendJson } from '../answer/json.ts';
import { makeOnce } from '../request/idempotency.ts';
import { beforeParameter, cursorText, limitParameter, pageOf, readParameters } from '../request/pages.ts';
import { readOwnQuery } from '../request/read-query.ts';
import { readWait } from '../request/read-wait.ts';
import { type BatchServices, requireRoom } from './batch-services.ts';
import { describeBatch } from './describe.ts';
import { type BatchWish, readBatchWish } from './read-batch.ts';

/** Answers POST /api/batches: keeps the list, and feeds it to the queue from now on. */
export async function answerCreate(
  services: BatchServices,
  caller: Caller,
  request: Request,
  response: Response,
): Promise<void> {
  const body = await services.bodies.read({ request, response, caller }, 'batch');
  const wish = readBatchWish(request, body);
  const { store, wake } = services.batches;
  const made = await makeOnce(services.idempotency, caller.account, { request, body }, async (batchId) => {
    await keep(services, caller, batchId, wish);
    wake();
    return '';
  });
  const batch = await store.get(made.resourceId);
  if (!batch) throw unknownBatch();
  response.statusCode = made.isRepeated ? 200 : 201;
  response.setHeader('Location', `${services.site.publicPath}/api/batches/${batch.batchId}`);
  sendBatch(services, batch, response);
}

/** What an account has is judged in the same turn in which it gets more. */
function keep(
  { batches, kept }: BatchServices,
  { account }: Caller,
  batchId: string,
  { targets, ...wish }: BatchWish,
): Promise<void> {
  return kept.take(account, async (room) => {
    const createdAt = Date.now();
    const bytes = bytesOfBatch(targets);
    requireRoom(batches.limits, await batches.store.useOf(account), targets.length);
    const put = await room(bytes, true);
    const batch: Batch = {
      ...wish,
      batchId,
      account,
      total: targets.length,
      createdAt,
      expiresAt: createdAt + batches.keptMs,
      endedAt: null,
      cancelledAt: null,
      running: 0,
      leaseUntil: 0,
      feeder: null,
      bytes,
      ...noneEnded,
    };
    await giveBack();
    await put.batch(batch, targets);
  });
}

/** Answers GET /api/batches: those of the account, newest first, a page at a time. */
export async function answerList(
  services: BatchServices,
  { account }: Caller,
  request: Request,
  response: Response,
): Promise<void> {
  const { limit, before } = readParameters(pageParameters, request);
  const found = await services.batches.store.list(account, {
    limit: limit + 1,
    ...(before === undefined ? {} : { before }),
  });
  const { shown, next } = pageOf(found, limit, ({ createdAt, batchId }) => `${createdAt}-${batchId}`);
  const batches = shown.map((batch) => describe(services, batch));
  response.setHeader('Cache-Control', 'private, no-cache');
  sendJson(response, { batches, next });
}

const pageParameters = z.object({
  limit: limitParameter(),
  before: beforeParameter(cursorText, (text) => {
    const [createdAt = '', batchId = ''] = text.split('-');
    return { createdAt: Number(createdAt), batchId };
  }),
});

const lookEveryMs = 500;

/** Answers GET /api/batches/{id}; `?wait=` holds the answer until all of it has ended. */
export async function answerShow(
  services: BatchServices,
  caller: Caller,
  request: Request,
  response: Response,
): Promise<void> {
  const waitS = readWait(readOwnQuery(request, ['wait']).wait);
  const batchId = String(request.params['batchId']);
  let batch = await findBatch(services, caller, batchId);
  const leave = waitS > 0 ? services.jobs.waits.enter(caller) : undefined;
  const until = performance.now() + (leave ? waitS : 0) * 1000;
  try {
    while (batch.endedAt === null && performance.now() < until && !response.closed) {
      await delay(Math.min(lookEveryMs, until - performance.now()));
      batch = await findBatch(services, caller, batchId);
    }
  } finally {
    leave?.();
  }
  sendBatch(services, batch, response);
}

/** Answers DELETE /api/batches/{id}: what waits is cancelled, what has ended stays readable. */
export async function answerCancel(
  services: BatchServices,
  caller: Caller,
  request: Request,
  response: Response,
): Promise<void> {
  readOwnQuery(request, []);
  const { batchId } = await findBatch(services, caller, String(request.params['batchId']));
  await openLeases(services.batches.store).cancel(batchId, Date.now());
  response.statusCode = 204;
  response.setHeader('Cache-Control', 'no-store');
  response.end();
}

/** A batch of the account. Throws `batch_not_found` for one that is unknown, expired or another's. */
export async function findBatch(
  { batches }: Pick<BatchServices, 'batches'>,
  { account }: Caller,
  batchId: string,
): Promise<Batch> {
  const batch = isRandomId(batchId) ? await batches.store.get(batchId) : undefined;
  if (batch && batch.account === account) return batch;
  throw unknownBatch();
}

function unknownBatch(): Problem {
  return new Problem(
    'batch_not_found',
    'Your account has no such batch: it is unknown or expired. GET /api/batches lists yours.',
  );
}

function sendBatch(services: BatchServices, batch: Batch, response: Response): void {
  response.setHeader('Cache-Control', 'no-store');
  if (batch.endedAt === null) response.setHeader('Retry-After', 2);
  sendJson(response, describe(services, batch));
}

function describe({ site }: BatchServices, batch: Batch) {
  const nowMs = Date.now();
  return describeBatch(batch, { nowMs, publicPath: site.publicPath });
}
