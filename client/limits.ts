/** One limit of the service as it told it: `points` in each window of `windowS` seconds. */
export type Limit = { readonly points: number; readonly windowS: number };

/** What is left of a limit, and for how many seconds that holds. */
type Left = { readonly remaining: number; readonly resetS: number };

/** A day: a service that tells a longer window or wait would stop its client for good. */
const longestS = 86_400;

/** Reads the RateLimit-Policy field (draft-ietf-httpapi-ratelimit-headers-10): policy → its limit. Items that are malformed are left out. */
export function readPolicies(field: string | null): ReadonlyMap<string, Limit> {
  return new Map(
    itemsOf(field).flatMap(([name, { q, w }]) =>
      q === undefined || w === undefined ? [] : [[name, { points: q, windowS: Math.min(w, longestS) }]],
    ),
  );
}

/** Reads the RateLimit field: policy → what is left. Items that are malformed are left out. */
export function readLeft(field: string | null): ReadonlyMap<string, Left> {
  return new Map(
    itemsOf(field).flatMap(([name, { r, t }]) =>
      r === undefined || t === undefined ? [] : [[name, { remaining: r, resetS: Math.min(t, longestS) }]],
    ),
  );
}

function itemsOf(field: string | null): [string, { readonly [parameter: string]: number | undefined }][] {
  return (field ?? '').split(',').flatMap((item) => {
    const [, name, parameters] = /^\s*"([^"]+)"((?:;[a-z]+=\d{1,15})+)\s*$/.exec(item) ?? [];
    if (name === undefined || parameters === undefined) return [];
    const pairs = parameters
      .slice(1)
      .split(';')
      .map((pair) => pair.split('='));
    return [[name, Object.fromEntries(pairs.map(([key, digits]) => [key, Number(digits)]))]];
  });
}

/** An HTTP-date in the form that is sent (RFC 9110 §5.6.7). Date.parse alone takes almost anything with a digit. */
const httpDate = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** Seconds of a Retry-After field, which may also be a date; undefined where there is none, or another text. */
export function readRetryAfter(field: string | null, nowMs: number): number | undefined {
  if (field === null) return undefined;
  if (/^\d{1,9}$/.test(field.trim())) return Number(field);
  const at = httpDate.test(field.trim()) ? Date.parse(field) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - nowMs) / 1000));
}
