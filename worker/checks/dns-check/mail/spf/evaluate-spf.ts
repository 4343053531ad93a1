import { spf } from 'mailauth/lib/spf/index.js';
import type { Asker } from '../../../../dns/asker.ts';
import { exchangesOf, type Sight, textsOf, valuesOf } from '../../../../dns/sight.ts';
import { isAskable } from '../../../../dns/zone.ts';
import { type SpfEvaluation, spfVerdicts } from '../evidence.ts';
import { clip } from '../text/fault.ts';

export type SpfMessage = { readonly ip: string; readonly sender: string; readonly helo: string };

/**
 * What check_host() answers for a message (RFC 7208 §4), to the letter. All its questions go through the asker.
 * @param limitMs longest evaluation; then it is a temperror (§4.6.4)
 */
export async function evaluateSpf(
  asker: Asker,
  message: SpfMessage,
  limitMs: number,
): Promise<SpfEvaluation> {
  const { ip, sender, helo } = message;
  const verdict = await spf({
    ...message,
    // The receiver's own name goes into comments only; without it the machine's would.
    mta: 'receiver',
    strict: true,
    maxElapsedTime: limitMs,
    // MX records are objects, as of node:dns, which the evaluator's own types leave out.
    resolver: async (name: string, type: string) => (await resolve(asker, name, type)) as string[],
  });
  const comment = verdict.status.comment;
  return {
    ip,
    sender,
    helo,
    result: spfVerdicts.find((known) => known === verdict.status.result) ?? 'temperror',
    lookups: verdict.lookups?.count ?? 0,
    ...(verdict.explanation === undefined ? {} : { explanation: clip(verdict.explanation, 500) }),
    ...(typeof comment === 'string' ? { comment: clip(comment.replace(/^receiver: /, ''), 500) } : {}),
  };
}

// The answers in the form of node:dns, which the evaluator expects; an error's code tells "nothing there" from "nobody knows".
async function resolve(asker: Asker, name: string, type: string): Promise<unknown[]> {
  if (!isAskable(name)) throw resolverError('EBADNAME', name);
  const sight = await asker.ask({ name, type });
  if (sight.outcome === 'nxdomain') throw resolverError('ENOTFOUND', name);
  if (sight.outcome === 'nodata') throw resolverError('ENODATA', name);
  if (sight.outcome === 'unknown') throw resolverError('ESERVFAIL', sight.why);
  return listRecords(sight, type);
}

function listRecords(sight: Sight, type: string): unknown[] {
  if (type === 'TXT') return textsOf(sight).map(({ strings }) => strings);
  if (type === 'MX')
    return exchangesOf(sight).map(({ preference, exchange }) => ({ priority: preference, exchange }));
  return valuesOf(sight);
}

function resolverError(code: string, text: string): Error {
  return Object.assign(new Error(`${code} ${clip(text)}`), { code });
}
