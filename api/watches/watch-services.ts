import type { Request, Response } from 'express';
import type { Caller } from '#shared/limits/caller';
import { Problem } from '#shared/model/problem';
import type { Watch } from '#shared/model/watch';
import type { Services } from '../services.ts';

/** What the endpoints of watches take. */
export type WatchServices = Pick<
  Services,
  | 'limits'
  | 'bodies'
  | 'origins'
  | 'idempotency'
  | 'kept'
  | 'questions'
  | 'jobs'
  | 'site'
  | 'streams'
  | 'targetPolicy'
  | 'watches'
  | 'watchLimits'
>;

/** Answers a caller who may watch. */
export type WatchAnswer = (
  services: WatchServices,
  caller: Caller,
  request: Request,
  response: Response,
) => Promise<void>;

/** The watch that a path names. Throws `watch_not_found` for one that is unknown or another account's. */
export async function findWatch(
  { watches }: Pick<WatchServices, 'watches'>,
  caller: Caller,
  request: Request,
): Promise<Watch> {
  const watch = await watches.get(String(request.params['id']));
  if (watch?.account === caller.account) return watch;
  throw new Problem('watch_not_found', 'Your account has no watch with this id.');
}
