import { z } from 'zod';
import type { ZodOpenApiOperationObject, ZodOpenApiPathsObject } from 'zod-openapi';
import { severitySchema } from '#shared/model/finding';
import type { ProblemCode } from '#shared/model/problem';
import { gradeNames } from '#shared/model/score';
import {
  deliveryChannels,
  deliveryStates,
  eventTypes,
  pausedReasons,
  targetStates,
} from '#shared/model/watch';
import { accessProblems, json, nextPage, operationsOf, problemResponses } from '../openapi/answers.ts';
import { limitText, longestBefore } from '../request/pages.ts';
import { keyText } from './feeds.ts';
import { newWatchSchema, watchPatchSchema } from './read-watch.ts';
import { placeText, targetCursorText } from './show.ts';

const count = z.int().min(0);
const time = z.iso.datetime();

const delivery = z
  .looseObject({
    deliveryId: z.string().meta({ description: 'Also the `webhook-id` and the id of the event.' }),
    channel: z.enum(deliveryChannels).meta({
      description: 'feed: only the feed has it. email: the same event, sent to the address.',
    }),
    type: z.enum(eventTypes),
    target: z.string().nullable(),
    createdAt: time,
    state: z.enum(deliveryStates),
    attempts: count,
    nextAttemptAt: time.nullable().meta({
      description:
        'null where it is not sent again, or waits until the receiver has answered a test or the address is confirmed.',
    }),
    httpStatus: z.int().nullable(),
    failure: z.string().nullable(),
  })
  .meta({ id: 'Delivery', description: 'An event of a watch, and how its sending stands.' });

const watch = z
  .looseObject({
    watchId: z.string(),
    label: z.string().nullable(),
    check: z.string(),
    options: z.looseObject({}).meta({ description: 'What differs from the default.' }),
    targetCount: count,
    everySeconds: z.int(),
    scansPerDay: count,
    late: count.meta({ description: 'Targets that are overdue.' }),
    paused: z.boolean(),
    pausedReason: z.enum(pausedReasons).nullable(),
    createdAt: time,
    nextAt: time.nullable().meta({
      description:
        'The next check of any target; null while paused. Of a new watch it is now: a report that is fresh answers a first check at no cost, else it runs as soon as the account’s scans allow.',
    }),
    notify: z.looseObject({
      webhook: z.looseObject({ url: z.string() }).nullable(),
      email: z.looseObject({ to: z.string() }).nullable(),
      minSeverity: severitySchema,
      daysBefore: z.array(z.int()),
    }),
    deliveries: z.array(delivery).meta({ description: 'The newest 20.' }),
    webhookSecret: z.string().optional().meta({
      description: 'Signs what the webhook gets. Only in the answer that sets a webhook.',
    }),
    links: z.looseObject({ self: z.string(), targets: z.string(), deliveries: z.string() }),
  })
  .meta({ id: 'Watch', description: 'Checks of some targets on a schedule, and who is told of changes.' });

const watchedTarget = z
  .looseObject({
    target: z.string(),
    state: z.enum(targetStates),
    reportId: z.string().nullable(),
    checkedAt: time.nullable(),
    score: z.number().nullable(),
    grade: z.enum(gradeNames).nullable(),
    nextAt: time.nullable(),
    problem: z.string().nullable().meta({ description: 'The code of the problem that the last check met.' }),
  })
  .meta({ id: 'WatchedTarget' });

const watchList = z.looseObject({ watches: z.array(watch), next: nextPage }).meta({ id: 'WatchList' });
const targetList = z
  .looseObject({ targets: z.array(watchedTarget), next: nextPage })
  .meta({ id: 'WatchedTargetList' });
const deliveryList = z
  .looseObject({ deliveries: z.array(delivery), next: nextPage })
  .meta({ id: 'DeliveryList' });
const secret = z.looseObject({ webhookSecret: z.string() }).meta({ id: 'WebhookSecret' });
const links = z.looseObject({ feed: z.string(), calendar: z.string() }).meta({ id: 'WatchAddresses' });

const operation = operationsOf('watches', [{ token: ['watch'] }]);

const reading: readonly ProblemCode[] = ['not_acceptable', ...accessProblems];
const writing: readonly ProblemCode[] = ['cross_site_request', ...reading];
const withBody: readonly ProblemCode[] = [
  'target_not_allowed',
  'watch_not_found',
  'watch_too_frequent',
  'quota_exceeded',
  'body_too_large',
  'unsupported_media_type',
  'overloaded',
  ...writing,
];
const creating: readonly ProblemCode[] = ['idempotency_in_progress', 'idempotency_key_reused', ...withBody];

const watchId = z.string().meta({ example: '5f0c1e0b7a9d4c3e8b2a6d1f4e7c9a0b' });
const oneWatch = z.object({ watchId });
const oneDelivery = z.object({
  watchId,
  deliveryId: z.string().meta({ example: 'evt_5f0c1e0b7a9d4c3e8b2a6d1f4e7c9a0b' }),
});
const page = (before: RegExp) =>
  z.object({
    limit: z.string().regex(limitText).optional().meta({ description: '1 to 100; 20.' }),
    before: z
      .string()
      .regex(before)
      .max(longestBefore)
      .optional()
      .meta({ description: '`next` of the page before.' }),
  });
const key = z.object({
  key: z
    .string()
    .regex(keyText)
    .optional()
    .meta({ description: 'In place of a token: POST /api/watches/links draws it.' }),
});
const bodyOf = (schema: z.ZodType, types: readonly string[]) => ({
  required: true,
  content: Object.fromEntries(types.map((type) => [type, { schema }])),
});

/** The endpoints of watches. */
export const watchPaths: ZodOpenApiPathsObject = {
  '/api/watches': {
    get: operation('listWatches', 'The watches of this account, newest first.', {
      requestParams: { query: page(placeText) },
      responses: answers({ 200: ['A page.', watchList] }, reading),
    }),
    post: operation('createWatch', 'Begins to check targets on a schedule. Needs the scope tools too.', {
      requestParams: {
        header: z.object({
          'idempotency-key': z
            .string()
            .regex(/^[!-~]{1,128}$/)
            .optional()
            .meta({ description: 'The same request with the same key makes one watch, for 24 h.' }),
        }),
      },
      requestBody: bodyOf(newWatchSchema, ['application/json']),
      responses: answers(
        {
          201: ['The watch. Its address is in Location.', watch],
          200: ['An equal request made it before.', watch],
        },
        creating,
      ),
    }),
  },
  '/api/watches/links': {
    post: operation('drawWatchLinks', 'New addresses of the feed and the calendar; the old ones end.', {
      responses: answers({ 200: ['Shown this once.', links] }, writing),
    }),
  },
  '/api/watches/feed.atom': {
    get: operation('getWatchFeed', 'The newest 100 events of all watches of an account, as Atom.', {
      requestParams: { query: key },
      responses: fileOf('application/atom+xml'),
    }),
  },
  '/api/watches/expiries.ics': {
    get: operation('getWatchCalendar', 'When domains, certificates and others expire, as a calendar.', {
      requestParams: { query: key },
      responses: fileOf('text/calendar'),
    }),
  },
  '/api/watches/{watchId}': {
    get: operation('getWatch', 'A watch, with its newest deliveries.', {
      requestParams: { path: oneWatch },
      responses: answers({ 200: ['The watch.', watch] }, ['watch_not_found', ...reading]),
    }),
    patch: operation('changeWatch', 'Changes a watch by a JSON merge patch (RFC 7396).', {
      requestParams: { path: oneWatch },
      requestBody: bodyOf(watchPatchSchema, ['application/json', 'application/merge-patch+json']),
      responses: answers({ 200: ['The watch as it is now.', watch] }, withBody),
    }),
    delete: operation('deleteWatch', 'Deletes a watch with its targets and deliveries.', {
      requestParams: { path: oneWatch },
      responses: {
        204: { description: 'It is deleted.' },
        ...problemResponses(['watch_not_found', ...writing]),
      },
    }),
  },
  '/api/watches/{watchId}/targets': {
    get: operation('listWatchedTargets', 'Where each target of a watch stands, by name.', {
      requestParams: { path: oneWatch, query: page(targetCursorText) },
      responses: answers({ 200: ['A page.', targetList] }, ['watch_not_found', ...reading]),
    }),
  },
  '/api/watches/{watchId}/deliveries': {
    get: operation('listDeliveries', 'What a watch told in the last 30 days, newest first.', {
      requestParams: { path: oneWatch, query: page(placeText) },
      responses: answers({ 200: ['A page.', deliveryList] }, ['watch_not_found', ...reading]),
    }),
  },
  '/api/watches/{watchId}/test': {
    post: operation('testWatch', 'Sends a test event.', {
      requestParams: { path: oneWatch },
      responses: answers({ 202: ['It is sent soon.', delivery] }, ['watch_not_found', ...writing]),
    }),
  },
  '/api/watches/{watchId}/secret': {
    post: operation('renewWebhookSecret', 'Draws a new secret; the old one signs beside it for 24 h.', {
      requestParams: { path: oneWatch },
      responses: answers({ 200: ['Shown this once.', secret] }, ['watch_not_found', ...writing]),
    }),
  },
  '/api/watches/{watchId}/deliveries/{deliveryId}/replay': {
    post: operation('replayDelivery', 'Sends an event again, under the same id.', {
      requestParams: { path: oneDelivery },
      responses: answers({ 202: ['It is sent soon.', delivery] }, [
        'watch_not_found',
        'delivery_not_found',
        ...writing,
      ]),
    }),
  },
};

type Responses = ZodOpenApiOperationObject['responses'];
type ResponseTable = Readonly<Record<number, readonly [description: string, schema: z.ZodType]>>;

function answers(good: ResponseTable, codes: readonly ProblemCode[]): Responses {
  const told = Object.entries(good).map(([status, [description, schema]]) => [
    status,
    { description, content: json(schema) },
  ]);
  return { ...Object.fromEntries(told), ...problemResponses(codes) } as Responses;
}

function fileOf(type: string): Responses {
  return {
    200: { description: 'The file.', content: { [type]: { schema: z.string() } } },
    304: { description: 'The caller has it.' },
    ...problemResponses(accessProblems),
  };
}
