/** One limit of the service as it told it: `points` in each window of `windowS` seconds. */
export type Limit = { readonly points: number; readonly windowS: number };

/** What is left of a limit, and for how many seconds that holds. */
type Left = { readonly remaining: number; readonly resetS: number };

/** Reads the RateLimit-Policy field (draft-ietf-httpapi-ratelimit-headers-10): policy → its limit. Items that are malformed are left out. */
export function readPolicies(field: string | null): ReadonlyMap<string, Limit> {
  return new Map(
    itemsOf(field).flatMap(([name, { q, w }]) =>
      q === undefined || w === undefined ? [] : [[name, { points: q, windowS: w }]],
    ),
  );
}

/** Reads the RateLimit field: policy → what is left. Items that are malformed are left out. */
export function readLeft(field: string | null): ReadonlyMap<string, Left> {
  return new Map(
    itemsOf(field).flatMap(([name, { r, t }]) =>
      r === undefined || t === undefined ? [] : [[name, { remaining: r, resetS: t }]],
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

/** Seconds of a Retry-After field, which may also be a date; undefined where there is none. */
export function readRetryAfter(field: string | null, nowMs: number): number | undefined {
  if (field === null) return undefined;
  if (/^\d{1,9}$/.test(field.trim())) return Number(field);
  const at = Date.parse(field);
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - nowMs) / 1000));
}
