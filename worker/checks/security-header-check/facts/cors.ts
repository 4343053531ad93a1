import { type Fields, indexFields, splitValues, valuesOf } from '../../../web/fields.ts';
import type { CorsObservation } from '../evidence.ts';

/** One answer to a made-up Origin, by the Fetch Standard's CORS check. */
export type CorsAnswer = {
  readonly method: 'GET' | 'OPTIONS';
  readonly origin: string;
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
  readonly access: 'none' | 'public' | 'listed' | 'any-origin' | 'any-origin-with-credentials' | 'unknown';
  readonly nullOrigin: boolean;
};

/** What scripts of other origins may read, by the answers to origins that cannot be on any list. */
export function readCors(sights: readonly CorsObservation[]): Cors {
  const answers = sights.flatMap((observation) =>
    observation.kind === 'answered' ? [readAnswer(observation)] : [],
  );
  const failed = sights.flatMap((observation) => (observation.kind === 'failed' ? [observation.reason] : []));
  const nullOrigin = answers.some(({ origin, allowsOrigin }) => origin === 'null' && allowsOrigin);
  return { answers, failed, access: accessOf(answers), nullOrigin };
}

function accessOf(answers: readonly CorsAnswer[]): Cors['access'] {
  const made = answers.filter(({ origin }) => origin !== 'null');
  if (made.length === 0) return 'unknown';
  if (made.some(({ allowsOrigin, credentials }) => allowsOrigin && credentials))
    return 'any-origin-with-credentials';
  if (made.some(({ allowsOrigin }) => allowsOrigin)) return 'any-origin';
  if (made.some(({ allowsAll }) => allowsAll)) return 'public';
  return made.some(({ allowOrigin, isMatchable }) => allowOrigin !== null && isMatchable) ? 'listed' : 'none';
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
    allowOrigin,
    lines: lines.length,
    allowsOrigin: isTaken && allowOrigin === origin,
    allowsAll: isTaken && allowOrigin === '*',
    isMatchable: allowOrigin === '*' || isSerializedOrigin(allowOrigin ?? ''),
    credentials: valuesOf(fields, 'access-control-allow-credentials').join(', ') === 'true',
    variesByOrigin: variesByOrigin(fields),
  };
}

function variesByOrigin(fields: Fields): boolean {
  const names = splitValues(valuesOf(fields, 'vary')).map((name) => name.toLowerCase());
  return names.includes('origin') || names.includes('*');
}
