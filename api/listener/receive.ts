import type { IncomingMessage } from 'node:http';
import type { Outgoing } from '../answer/outgoing.ts';
import type { Desk } from '../desk.ts';
import { logRequest } from '../request/request-log.ts';
import { announceDeprecation } from './deprecations.ts';
import { closeBehindBody, guardHost, sendCors } from './front-door.ts';

/**
 * What is done for every request before it is answered: its id, its log line, the fields that all answers carry.
 * Throws the Problem of a Host that is not ours.
 */
export function receive(
  { witness, door }: Pick<Desk, 'witness' | 'door'>,
  request: IncomingMessage,
  response: Outgoing,
): void {
  closeBehindBody(request, response);
  logRequest(witness, request, response);
  announceDeprecation(door.deprecations, request, response);
  guardHost(door.isKnownHost, request);
  sendCors(door.corsOrigins, request, response);
}
