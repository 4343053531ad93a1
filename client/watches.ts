import type {
  Delivery,
  DeliveryList,
  Watch,
  WatchAddresses,
  WatchedTarget,
  WatchedTargetList,
  WatchList,
  WatchPatch,
  WatchRequest,
  WebhookSecret,
} from './api-types.ts';
import { type Answer, type Connection, notTheService, readJson, send, type Wish } from './exchange.ts';
import { readPages } from './pages.ts';
import {
  isAddresses,
  isDelivery,
  isDeliveryList,
  isSecret,
  isTargetList,
  isWatch,
  isWatchList,
  type Shape,
} from './shapes.ts';

type Stoppable = { readonly signal?: AbortSignal };

/** How a watch is made. */
export type WatchOptions = Stoppable & {
  /** The same request with the same key makes one watch; drawn where left out, so that a repeat after a broken connection makes no second one. */
  readonly idempotencyKey?: string;
};

/** The watches of this token's account: targets that are checked again on a schedule. The token needs the scope `watch`. */
export type Watches = {
  /** Begins to watch. Where it has a webhook, the answer has its secret. The token needs the scope `tools` too. */
  create(wish: WatchRequest, options?: WatchOptions): Promise<Watch>;
  /** All of them, newest first. */
  list(options?: Stoppable): AsyncGenerator<Watch, void, void>;
  get(watchId: string, options?: Stoppable): Promise<Watch>;
  /** Changes the fields that are given; null takes one back to its default. `{ paused: true }` pauses it. */
  update(watchId: string, patch: WatchPatch, options?: Stoppable): Promise<Watch>;
  /** Deletes it with its targets and deliveries. */
  delete(watchId: string, options?: Stoppable): Promise<void>;
  /** Where each target stands, by name. */
  targets(watchId: string, options?: Stoppable): AsyncGenerator<WatchedTarget, void, void>;
  /** What it told, newest first. */
  deliveries(watchId: string, options?: Stoppable): AsyncGenerator<Delivery, void, void>;
  /** Sends a test event. */
  test(watchId: string, options?: Stoppable): Promise<Delivery>;
  /** Sends an event again, under the same id. */
  replay(watchId: string, deliveryId: string, options?: Stoppable): Promise<Delivery>;
  /** Draws a new secret of its webhook; the old one signs beside it for a day. */
  secret(watchId: string, options?: Stoppable): Promise<string>;
  /** Draws new addresses of the account's feed and calendar, which need no token; the old ones end. */
  links(options?: Stoppable): Promise<WatchAddresses>;
};

const base = '/api/watches';

/** The methods of watches. */
export function watchMethods(connection: Connection): Watches {
  return { ...writingMethods(connection), ...readingMethods(connection) };
}

type WatchReads = Pick<Watches, 'list' | 'get' | 'targets' | 'deliveries'>;

function readingMethods(connection: Connection): WatchReads {
  const rowsOf =
    <Row>(path: string, shape: Shape, rows: (page: unknown) => readonly Row[]) =>
    ({ signal }: Stoppable = {}) =>
      readPages(
        connection,
        async (query) =>
          readJson(connection, await ask(connection, { path: `${path}?${query}` }, signal), shape),
        { filter: {}, rowsOf: rows },
      );
  return {
    list: rowsOf(base, isWatchList, (page) => (page as WatchList).watches),
    get: async (watchId, { signal } = {}) =>
      readWatch(connection, await ask(connection, { path: pathOf(watchId) }, signal)),
    targets: (watchId, options) =>
      rowsOf(
        `${pathOf(watchId)}/targets`,
        isTargetList,
        (page) => (page as WatchedTargetList).targets,
      )(options),
    deliveries: (watchId, options) =>
      rowsOf(
        `${pathOf(watchId)}/deliveries`,
        isDeliveryList,
        (page) => (page as DeliveryList).deliveries,
      )(options),
  };
}

function writingMethods(connection: Connection): Omit<Watches, keyof WatchReads> {
  const post = (path: string, signal: AbortSignal | undefined, to = connection) =>
    ask(to, { path, method: 'POST' }, signal);
  // Sent once: a repeat after a lost answer would end what the first one drew, which somebody may have.
  const draw = (path: string, signal: AbortSignal | undefined) =>
    post(path, signal, { ...connection, retryForMs: 0 });
  const readSent = (answer: Answer) => readJson(connection, answer, isDelivery, 202) as Delivery;
  return {
    create: async (wish, { signal, idempotencyKey = crypto.randomUUID() } = {}) => {
      const headers = { ...json, 'idempotency-key': idempotencyKey };
      const { status, text } = await ask(
        connection,
        { path: base, method: 'POST', body: JSON.stringify(wish), headers },
        signal,
      );
      return readWatch(connection, { status: status === 201 ? 200 : status, text });
    },
    update: async (watchId, patch, { signal } = {}) => {
      const body = JSON.stringify(patch);
      const wish = { path: pathOf(watchId), method: 'PATCH', body, headers: json } as const;
      return readWatch(connection, await ask(connection, wish, signal));
    },
    delete: async (watchId, { signal } = {}) => {
      const { status } = await ask(connection, { path: pathOf(watchId), method: 'DELETE' }, signal);
      if (status !== 204) throw notTheService(connection, `It answered ${status} to a deletion.`);
    },
    test: async (watchId, { signal } = {}) => readSent(await post(`${pathOf(watchId)}/test`, signal)),
    replay: async (watchId, deliveryId, { signal } = {}) =>
      readSent(await post(`${pathOf(watchId)}/deliveries/${encodeURIComponent(deliveryId)}/replay`, signal)),
    secret: async (watchId, { signal } = {}) => {
      const answer = await draw(`${pathOf(watchId)}/secret`, signal);
      return (readJson(connection, answer, isSecret) as WebhookSecret).webhookSecret;
    },
    links: async ({ signal } = {}) =>
      readJson(connection, await draw(`${base}/links`, signal), isAddresses) as WatchAddresses,
  };
}

const json = { 'content-type': 'application/json' };

function ask(
  connection: Connection,
  wish: Pick<Wish, 'path' | 'method' | 'body' | 'headers'>,
  signal: AbortSignal | undefined,
): Promise<Answer> {
  return send(connection, { ...wish, points: 0, signal, onProgress: undefined });
}

function readWatch(connection: Connection, answer: Pick<Answer, 'status' | 'text'>): Watch {
  return readJson(connection, answer, isWatch) as Watch;
}

function pathOf(watchId: string): string {
  return `${base}/${encodeURIComponent(watchId)}`;
}
