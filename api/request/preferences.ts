/** What a request says about how it wants to be answered (RFC 7240, RFC 9111 §5.2.1). */
export type Preferences = {
  readonly respondAsync: boolean;
  /** Seconds of Prefer: wait=N. */
  readonly waitS: number | undefined;
  readonly noCache: boolean;
  /** Seconds of Cache-Control: max-age=N. */
  readonly maxAgeS: number | undefined;
  readonly onlyIfCached: boolean;
};

/** Of a request that says nothing. */
export const noPreferences: Preferences = {
  respondAsync: false,
  waitS: undefined,
  noCache: false,
  maxAgeS: undefined,
  onlyIfCached: false,
};

/** Reads Prefer and Cache-Control of a request; what is unknown or malformed in them is ignored, as both RFCs ask. */
export function readPreferences(prefer: string | undefined, cacheControl: string | undefined): Preferences {
  const wishes = readTokens(prefer);
  const cache = readTokens(cacheControl);
  return {
    respondAsync: wishes.has('respond-async'),
    waitS: wholeNumber(wishes.get('wait')),
    noCache: cache.has('no-cache'),
    maxAgeS: wholeNumber(cache.get('max-age')),
    onlyIfCached: cache.has('only-if-cached'),
  };
}

function readTokens(field: string | undefined): ReadonlyMap<string, string> {
  const tokens = new Map<string, string>();
  for (const part of (field ?? '').split(',')) {
    const [first = ''] = part.split(';');
    const [name = '', value = ''] = first.split('=');
    const key = name.trim().toLowerCase();
    if (key !== '' && !tokens.has(key)) tokens.set(key, value.trim().replace(/^"(.*)"$/, '$1'));
  }
  return tokens;
}

function wholeNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}
