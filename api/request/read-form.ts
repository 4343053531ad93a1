import type { IncomingMessage } from 'node:http';
import { Problem } from '#shared/model/problem';
import { describeFaults, readQuery } from './read-query.ts';
import { readText } from './read-text.ts';

/** Longest form: a URL of 2,048 characters, each of them percent-encoded, and some room. */
const longestForm = 8192;
const formType = /^application\/x-www-form-urlencoded\s*(?:;|$)/i;

/**
 * Reads the fields of a form of our own pages: one of each of these names, as text. Call it last, when everything else about the request has been
 * judged.
 * Throws a Problem for another type of content, a coded or long body, and fields that the form does not have.
 */
export async function readForm<Name extends string>(
  request: IncomingMessage,
  names: readonly Name[],
): Promise<{ readonly [name in Name]?: string }> {
  const { headers } = request;
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
  if (!hasBody) return {};
  if (headers['content-encoding'] !== undefined || !formType.test(headers['content-type'] ?? ''))
    throw refuse(
      'Content-Type',
      'Send the form as application/x-www-form-urlencoded, without a Content-Encoding.',
    );
  const text = await readText(request, longestForm);
  if (text === undefined) throw refuse('Content-Length', `The form is longer than ${longestForm} bytes.`);
  // A form sends every field that it has, also one that is empty.
  const filled = text
    .split('&')
    .filter((pair) => !pair.endsWith('='))
    .join('&');
  const { values, faults } = readQuery(filled, names, []);
  if (faults.length > 0) throw new Problem('invalid_request', describeFaults(faults), { errors: faults });
  return Object.fromEntries([...values].map(([name, [value = '']]) => [name, value])) as {
    [name in Name]?: string;
  };
}

function refuse(name: string, detail: string): Problem {
  return new Problem('invalid_request', `${name}: ${detail}`, { errors: [{ in: 'header', name, detail }] });
}
