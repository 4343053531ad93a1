import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Subject } from './answered.ts';

/** A request whose address has been compared with the routes. */
export type Request = IncomingMessage & {
  readonly url: string;
  readonly method: string;
  /** The path of its address, as it was sent. */
  readonly path: string;
  /** What stands in the path for the `:names` of its route, percent-decoded. */
  readonly params: Readonly<Record<string, string>>;
  /** The pattern of its route, such as "/api/jobs/:id"; "-" without one. */
  readonly route: string;
};

/** An answer on its way. */
export type Response = ServerResponse & {
  /** What its log line tells beside its status. */
  subject: Subject;
};

/** Gives an answer, or throws the Problem that is one. */
export type Answer = (request: Request, response: Response) => Promise<void> | void;
