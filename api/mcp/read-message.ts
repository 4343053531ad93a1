import type { Problem } from '#shared/model/problem';
import { faultAt, invalidBody } from '../request/faults.ts';
import type { Bodies, BodyRequest } from '../request/read-body.ts';
import { parseJson, unsafeNames } from '../request/read-json.ts';

/** Reads the one message of a request: an object of JSON. Throws the Problem of anything else. */
export async function readMessage(bodies: Bodies, asked: BodyRequest): Promise<object> {
  const { text } = await bodies.read(asked, 'message');
  const message = parseJson(text);
  if (Array.isArray(message))
    throw notAMessage('Send one message, not a list: batches were taken out of the protocol.');
  if (typeof message !== 'object' || message === null)
    throw notAMessage('The body is no JSON object of JSON-RPC 2.0.');
  // A field that every object has is no field of a message, and readers drop it in silence.
  const unsafe = unsafeNames(message);
  if (unsafe.length > 0) throw invalidBody(unsafe);
  return message;
}

function notAMessage(detail: string): Problem {
  return invalidBody([faultAt([], detail)]);
}
