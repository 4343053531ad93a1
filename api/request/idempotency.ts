import type { IncomingMessage } from 'node:http';
import { randomId } from '#shared/model/job';
import { Problem } from '#shared/model/problem';
import type { IdempotencyStore } from '#shared/ports/idempotency';
import { type Body, digestOfRequest } from './read-body.ts';

/** What a POST made, or an equal one before it. */
export type Made = {
  readonly resourceId: string;
  /** What an equal request gets beside the resource. */
  readonly kept: string;
  /** An equal request made it before: the answer is 200, not 201. */
  readonly isRepeated: boolean;
};

const keyForm = /^[\x21-\x7e]{1,128}$/;

/**
 * Makes a resource once for all equal requests that carry the same Idempotency-Key; without one, always.
 * @param make makes the resource under this id, where it is not there yet, and gives what equal requests get beside it
 */
export async function makeOnce(
  keys: IdempotencyStore,
  account: string,
  { request, body }: { readonly request: IncomingMessage; readonly body: Body },
  make: (resourceId: string) => Promise<string>,
): Promise<Made> {
  const key = readKey(request);
  if (key === undefined) {
    const resourceId = randomId();
    return { resourceId, kept: await make(resourceId), isRepeated: false };
  }
  const keyed = { account, key, digest: digestOfRequest(request, body) };
  const begun = await keys.begin(keyed, randomId(), Date.now());
  if (begun.state === 'reused') throw reused();
  if (begun.state === 'in-progress') throw inProgress();
  const { resourceId } = begun;
  if (begun.state === 'same') return { resourceId, kept: begun.kept, isRepeated: true };
  try {
    const kept = await make(resourceId);
    await keys.finish(keyed, kept);
    return { resourceId, kept, isRepeated: false };
  } catch (error) {
    // What was refused made nothing. A store that is away may have made it: then the next request with this key finds out.
    if (error instanceof Problem && error.code !== 'store_unavailable') await keys.abandon(keyed);
    throw error;
  }
}

function readKey({ headers }: IncomingMessage): string | undefined {
  const given = headers['idempotency-key'];
  if (given === undefined) return undefined;
  if (typeof given === 'string' && keyForm.test(given)) return given;
  const detail = 'Give 1 to 128 visible ASCII characters, once.';
  throw new Problem('invalid_request', `Idempotency-Key: ${detail}`, {
    errors: [{ in: 'header', name: 'Idempotency-Key', detail }],
  });
}

function reused(): Problem {
  return new Problem(
    'idempotency_key_reused',
    'Another request of your account has this Idempotency-Key. Use a new key for a new request.',
  );
}

function inProgress(): Problem {
  return new Problem(
    'idempotency_in_progress',
    'The first request with this Idempotency-Key is not answered yet. Send this one again.',
    { retryAfterS: 2 },
  );
}
