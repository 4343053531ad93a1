import type { Request, Response } from 'express';
import { Problem } from '#shared/model/problem';
import type { Watch } from '#shared/model/watch';
import type { Desk } from '../desk.ts';
import type { Caller } from '../request/caller.ts';

/** What the endpoints of watches take. */
export type WatchDesk = Pick<
  Desk,
  | 'accountTurns'
  | 'admission'
  | 'bodies'
  | 'door'
  | 'idempotency'
  | 'kept'
  | 'readAsk'
  | 'runs'
  | 'site'
  | 'targetPolicy'
  | 'watches'
  | 'watchLimits'
>;

/** Answers a caller who may watch. */
export type WatchAnswer = (
  desk: WatchDesk,
  caller: Caller,
  request: Request,
  response: Response,
) => Promise<void>;

/** The watch that a path names. Throws `watch_not_found` for one that is unknown or another account's. */
export async function findWatch(
  { watches }: Pick<WatchDesk, 'watches'>,
  caller: Caller,
  request: Request,
): Promise<Watch> {
  const watch = await watches.get(String(request.params['id']));
  if (watch?.account === caller.account) return watch;
  throw new Problem('watch_not_found', 'Your account has no watch with this id.');
}
