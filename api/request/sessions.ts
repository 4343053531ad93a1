import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { type Caller, callerOf } from '#shared/limits/caller';
import { isLive, type TokenStore } from '#shared/ports/token-store';
import type { Config } from '#shared/settings/config';
import { digestOf, isTokenText } from '#shared/stores/tokens/token-text';

/** Sessions of pages where tokens are needed: a cookie that stands for a token and is none. Only pages read it, the API never does. */
export type Sessions = {
  /** Signs in with a token: the Set-Cookie field of a new session; undefined for what is no live token. */
  start(tokenText: string): Promise<string | undefined>;
  /** Who signed in; undefined without a session, and for one that has ended or whose token has. */
  find(request: IncomingMessage): Promise<Caller | undefined>;
  /** Ends the session of a request, and gives the Set-Cookie field that takes the cookie away. */
  end(request: IncomingMessage): Promise<string>;
  /** True for a request with a cookie of ours, whatever it is worth. */
  isSent(request: IncomingMessage): boolean;
};

const longestMs = 12 * 3_600_000;
const textBytes = 16;
const textForm = /^[\w-]{22}$/;

/** Opens the sessions of a service. */
export function openSessions(config: Config, tokenStore: TokenStore): Sessions {
  const { name, attributes } = cookieOf(config.PUBLIC_URL);
  const read = (request: IncomingMessage) => readCookie(request.headers.cookie, name);
  return {
    async start(tokenText) {
      const token = isTokenText(tokenText) ? await tokenStore.find(digestOf(tokenText)) : undefined;
      const now = Date.now();
      if (!token || !isLive(token, now)) return undefined;
      // A new one at each sign-in: a cookie that an attacker planted before is not this session.
      const text = randomBytes(textBytes).toString('base64url');
      const endsAt = Math.min(now + longestMs, token.expiresAt ?? Number.POSITIVE_INFINITY);
      await tokenStore.startSession({ digest: digestOf(text), tokenId: token.tokenId, endsAt }, now);
      return `${name}=${text}; Max-Age=${Math.ceil((endsAt - now) / 1000)}; ${attributes}`;
    },
    async find(request) {
      const text = read(request);
      const now = Date.now();
      const token =
        text && textForm.test(text) ? await tokenStore.findBySession(digestOf(text), now) : undefined;
      return token && isLive(token, now) ? callerOf(token, config) : undefined;
    },
    async end(request) {
      const text = read(request);
      if (text && textForm.test(text)) await tokenStore.endSession(digestOf(text));
      return `${name}=; Max-Age=0; ${attributes}`;
    },
    isSent: (request) => read(request) !== undefined,
  };
}

/** A name with `__Host-` is only taken over https, for the whole host and from this host alone (RFC 6265bis §4.1.3.2). */
function cookieOf(publicUrl: string | undefined): { readonly name: string; readonly attributes: string } {
  const { protocol, pathname } = new URL(publicUrl ?? 'http://localhost/');
  const isHttps = protocol === 'https:';
  const attributes = `Path=${pathname === '/' ? '/' : pathname.replace(/\/$/, '')}; HttpOnly; SameSite=Strict${isHttps ? '; Secure' : ''}`;
  return { name: isHttps && pathname === '/' ? '__Host-diag-session' : 'diag-session', attributes };
}

/** The value of a cookie; undefined where it is not there, and "" where there are several. */
function readCookie(field: string | undefined, name: string): string | undefined {
  const values = (field ?? '').split(';').flatMap((pair) => {
    const [key = '', value = ''] = pair.split('=', 2);
    return key.trim() === name ? [value.trim()] : [];
  });
  return values.length > 1 ? '' : values[0];
}
