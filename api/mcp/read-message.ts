import type { IncomingMessage } from 'node:http';
import { Problem } from '#shared/model/problem';
import type { Bodies } from '../request/read-body.ts';

/** Far more than any call needs. */
const mostBytes = 256 * 1024;
/** Deeper than any message is; each level costs stack where a value is compared with a schema. */
const deepest = 32;

/** Reads the one message of a request: an object of JSON. Throws the Problem of anything else. */
export async function readMessage(bodies: Bodies, request: IncomingMessage): Promise<object> {
  const { text } = await bodies.read(request, { types: ['application/json'], mostBytes });
  const message = depthOf(text) > deepest ? undefined : parse(text);
  if (Array.isArray(message))
    throw notAMessage('Send one message, not a list: batches were taken out of the protocol.');
  if (typeof message !== 'object' || message === null)
    throw notAMessage('The body is no JSON object of JSON-RPC 2.0.');
  return message;
}

function parse(text: string): unknown {
  try {
    // A field that every object has is no field of a message, and readers drop it in silence.
    return JSON.parse(text, (name, value: unknown) => {
      if (name === '__proto__') throw new SyntaxError('this name is taken');
      return value;
    });
  } catch {
    return undefined; // The caller is told that it is no JSON; where it breaks off is for their own parser to say.
  }
}

/** How deep brackets are nested outside of texts. */
function depthOf(text: string): number {
  let depth = 0;
  let most = 0;
  for (const [bracket] of text.replace(/"(?:[^"\\]|\\.)*"/gs, '').matchAll(/[[{\]}]/g)) {
    depth += bracket === '[' || bracket === '{' ? 1 : -1;
    most = Math.max(most, depth);
  }
  return most;
}

function notAMessage(detail: string): Problem {
  return new Problem('invalid_request', detail);
}
