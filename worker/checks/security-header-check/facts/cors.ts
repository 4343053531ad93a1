import { siteOf } from '#shared/targets/parse-target';
import { isAddressHost } from '../../../web/address-host.ts';
import { type Fields, indexFields, splitValues, valuesOf } from '../../../web/fields.ts';
import type { CorsObservation } from '../evidence.ts';

/** One answer to a made-up Origin, by the Fetch Standard's CORS check. */
export type CorsAnswer = {
  readonly method: 'GET' | 'OPTIONS';
  readonly origin: string;
  readonly isLookAlike: boolean;
  /** Access-Control-Allow-Origin, lines joined; null where it was not sent. */
  readonly allowOrigin: string | null;
  readonly lines: number;
  readonly allowsOrigin: boolean;
  readonly allowsAll: boolean;
  /** It is written like an origin, the word null or *: any other value is equal to no Origin that a browser sends. */
  readonly isMatchable: boolean;
  /** Only the exact word true counts. */
  readonly credentials: boolean;
  readonly variesByOrigin: boolean;
};

export type Cors = {
  /** The answers that came; empty where none did. */
  readonly answers: readonly CorsAnswer[];
  readonly failed: readonly string[];
  /** Why a look-alike gave no answer; undefined where each did, or none was asked. */
  readonly unansweredLookAlike: string | undefined;
  readonly access: 'none' | 'public' | 'listed' | 'any-origin' | 'any-origin-with-credentials' | 'unknown';
  readonly nullOrigin: boolean;
};

/**
 * Origins that a list lets in which is compared badly: a dot of an expression that stands for any character and an end without its dot take
 * the first, a beginning without an end the second. Nobody needs to own them: an Origin is what any page sends.
 * @param stranger an origin that is spelt like nobody's
 */
export function lookAlikesOf({ protocol, hostname, port }: URL, stranger: string): readonly string[] {
  if (isAddressHost(hostname)) return [];
  const site = siteOf(hostname);
  const before = hostname.slice(0, -site.length).replace(/\.$/, '');
  const inside = `${protocol}//${before}x${site}${port === '' ? '' : `:${port}`}`;
  return [inside, `${protocol}//${hostname}.${stranger.replace(/^https:\/\//, '')}`];
}

/** True for an answer that says something of origins, or that it may differ by them. */
export function showsCors(observation: CorsObservation): boolean {
  if (observation.kind === 'failed') return false;
  const fields = indexFields(observation.headers);
  return (
    [...fields.keys()].some((name) => name.startsWith('access-control-')) ||
    variesBy(fields).includes('origin')
  );
}

/** True for an answer that lets a stranger in with credentials; nothing worse can be found. */
export function letsAnyoneIn(observation: CorsObservation): boolean {
  if (observation.kind === 'failed' || observation.origin === 'null') return false;
  const { allowsOrigin, credentials } = readAnswer(observation);
  return allowsOrigin && credentials;
}

/** What scripts of other origins may read, by the answers to origins that cannot be on any list. */
export function readCors(all: readonly CorsObservation[]): Cors {
  // That a page lets itself in says nothing of others.
  const sights = all.filter((observation) => observation.as !== 'own');
  const answers = sights.flatMap((observation) =>
    observation.kind === 'answered' ? [readAnswer(observation)] : [],
  );
  const failed = sights.flatMap((observation) => (observation.kind === 'failed' ? [observation.reason] : []));
  const nullOrigin = answers.some(({ origin, allowsOrigin }) => origin === 'null' && allowsOrigin);
  const unanswered = sights.find(({ as, kind }) => as === 'look-alike' && kind === 'failed');
  const unansweredLookAlike = unanswered?.kind === 'failed' ? unanswered.reason : undefined;
  return { answers, failed, unansweredLookAlike, access: accessOf(answers), nullOrigin };
}

function accessOf(answers: readonly CorsAnswer[]): Cors['access'] {
  const made = answers.filter(({ origin, isLookAlike }) => origin !== 'null' && !isLookAlike);
  if (made.length === 0) return 'unknown';
  if (made.some(({ allowsOrigin, credentials }) => allowsOrigin && credentials))
    return 'any-origin-with-credentials';
  if (made.some(({ allowsOrigin }) => allowsOrigin)) return 'any-origin';
  if (made.some(({ allowsAll }) => allowsAll)) return 'public';
  // A look-alike that is let in is taken for one of the list.
  return answers.some(
    ({ allowOrigin, isMatchable, origin }) => origin !== 'null' && allowOrigin !== null && isMatchable,
  )
    ? 'listed'
    : 'none';
}

/**
 * True for what the Origin field may hold (RFC 6454 §6.2, HTML Standard "serialization of an origin"), which is compared octet by octet: scheme
 * and host in lower case, no path, no port that is the scheme's own. Apps have schemes of their own, of which no more is known.
 */
function isSerializedOrigin(text: string): boolean {
  if (text === 'null' || text === 'file://') return true;
  if (/^https?:/i.test(text)) return !text.includes('*') && URL.parse(text)?.origin === text;
  return /^[a-z][a-z0-9+.-]*:\/\/[a-z0-9._~!$&'()+;=:[\]-]+$/.test(text);
}

function readAnswer({
  method,
  origin,
  as,
  status,
  headers,
}: Extract<CorsObservation, { kind: 'answered' }>): CorsAnswer {
  const fields = indexFields(headers);
  const lines = valuesOf(fields, 'access-control-allow-origin');
  const allowOrigin = lines.length === 0 ? null : lines.join(', ');
  // A preflight with any other status is refused whatever its fields say (Fetch Standard, "CORS-preflight fetch").
  const isTaken = method === 'GET' || (status >= 200 && status <= 299);
  return {
    method,
    origin,
    isLookAlike: as === 'look-alike',
    allowOrigin,
    lines: lines.length,
    allowsOrigin: isTaken && allowOrigin === origin,
    allowsAll: isTaken && allowOrigin === '*',
    isMatchable: allowOrigin === '*' || isSerializedOrigin(allowOrigin ?? ''),
    credentials: valuesOf(fields, 'access-control-allow-credentials').join(', ') === 'true',
    variesByOrigin: variesBy(fields).some((name) => name === 'origin' || name === '*'),
  };
}

function variesBy(fields: Fields): readonly string[] {
  return splitValues(valuesOf(fields, 'vary')).map((name) => name.toLowerCase());
}
