/** How long a key is remembered, ms (24 h). */
export const keyKeptMs = 86_400_000;
/** So long a request may take that has begun and not ended; then its process has died, and the next with its key goes on. */
export const beginningMs = 60_000;

/** A request that carries an Idempotency-Key. */
export type KeyedRequest = {
  /** Keys of different accounts have nothing to do with each other. */
  readonly account: string;
  readonly key: string;
  /** Of the method, the address and the body. */
  readonly digest: string;
};

/**
 * What is known of a key. `new`: this request is the first, or its process died before it ended; the resource gets this id. `same`: an equal
 * request made the resource. `reused`: another request has this key. `in-progress`: an equal one has begun and not ended.
 */
export type Begun =
  | { readonly state: 'new'; readonly resourceId: string }
  | { readonly state: 'same'; readonly resourceId: string; readonly kept: string }
  | { readonly state: 'reused' }
  | { readonly state: 'in-progress' };

/** Idempotency-Keys, for all APIs together. Times are Unix ms. An unreachable store rejects with Problem `store_unavailable`. */
export interface IdempotencyStore {
  /** Takes the key; of two at once one gets `new`. @param resourceId of what is made where the key is new */
  begin(request: KeyedRequest, resourceId: string, nowMs: number): Promise<Begun>;
  /** The resource is there. @param kept what an equal request gets beside the resource, such as a secret; "" for nothing */
  finish(request: KeyedRequest, kept: string): Promise<void>;
  /** Nothing was made: the key is free again. */
  abandon(request: KeyedRequest): Promise<void>;
  /** Gives how many were deleted. */
  purge(account: string): Promise<number>;
  /** Makes what its calls need, such as indexes, which its first call does else. */
  prepare?(): Promise<void>;
  close(): Promise<void>;
}

/** A key as it is kept. */
export type KeptKey = {
  readonly digest: string;
  readonly resourceId: string;
  /** null until the resource is there. */
  readonly kept: string | null;
  readonly begunAt: number;
};

/** What a key that is kept says of a request; undefined where the request may take it over, as its process has died. */
export function judgeKept(
  { digest, resourceId, kept, begunAt }: KeptKey,
  request: KeyedRequest,
  nowMs: number,
): Begun | undefined {
  if (digest !== request.digest) return { state: 'reused' };
  if (kept !== null) return { state: 'same', resourceId, kept };
  return nowMs - begunAt < beginningMs ? { state: 'in-progress' } : undefined;
}
