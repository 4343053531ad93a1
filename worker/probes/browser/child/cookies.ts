import type { Cookie } from 'puppeteer-core';
import type { CookieObservation, CookiesObservation } from '../port.ts';

/** Of the log of the DevTools protocol what is read here. */
type Log = readonly { readonly method: string; readonly params?: object | undefined }[];

const mostEntries = 100;
const nameLength = 256;

/**
 * The cookies that the browser held when the page had loaded, without their values. One whose name no answer set was set by a script: no
 * answer can be asked for those, so header checks never see them.
 * @param nowS Unix time, in seconds
 */
export function readCookies(held: readonly Cookie[], log: Log, nowS: number): CookiesObservation {
  const answered = new Set(log.flatMap(namesSet));
  const entries = held.slice(0, mostEntries).map((cookie): CookieObservation => {
    const { name, domain, path, secure, httpOnly, sameSite, session, expires } = cookie;
    return {
      name: name.slice(0, nameLength),
      domain: domain.slice(0, nameLength),
      path: path.slice(0, nameLength),
      secure: secure ?? false,
      httpOnly: httpOnly ?? false,
      sameSite: sameSite ?? null,
      lifetimeS: session || expires < 0 ? null : Math.max(0, Math.round(expires - nowS)),
      setBy: httpOnly || answered.has(name) ? 'response' : 'script',
    };
  });
  return { total: held.length, entries };
}

function namesSet({ method, params }: Log[number]): readonly string[] {
  if (method !== 'Network.responseReceivedExtraInfo') return [];
  const { headers = {} } = (params ?? {}) as { readonly headers?: { readonly [name: string]: string } };
  return Object.entries(headers).flatMap(([name, value]) =>
    name.toLowerCase() === 'set-cookie'
      ? value.split('\n').map((line) => (line.split('=', 1)[0] ?? '').trim())
      : [],
  );
}
