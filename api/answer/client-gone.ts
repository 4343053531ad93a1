import type { Response } from 'express';

/** A signal that aborts with ClientGone when the caller closes its connection: it stops waiting, and its job goes on for the next one. */
export function abortedByClose(response: Response): AbortSignal {
  const controller = new AbortController();
  const leave = () => {
    if (!response.writableEnded) controller.abort(new ClientGone());
  };
  if (response.closed) leave();
  else response.once('close', leave);
  return controller.signal;
}

/** The caller closed its connection, so no answer can be sent. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
}
