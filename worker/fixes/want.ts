import { isToken } from '#shared/model/token';
import type { Evidence } from '#shared/model/verdict';
import { isMalformed } from '#shared/model/verdict';
import { type Hsts, parseHsts, printHsts } from '../web/hsts.ts';

/** What a cookie is to have, as Set-Cookie spells it. */
export type CookieAttribute = 'Secure' | 'HttpOnly' | 'SameSite=Lax';

/** A setting of TLS that a server has lines for. */
export type TlsSetting = 'protocols' | 'suites' | 'groups' | 'no-early-data';

/** What a fix wants of a server. A rule names this, and the table of servers has the lines. */
export type Want =
  /** A header has this one value. `isSent`: something sends it now, which may be the application behind the server. */
  | { readonly kind: 'set'; readonly header: string; readonly value: string; readonly isSent: boolean }
  /** A header is sent beside those of its name that there are: nothing that the application sends is taken away. */
  | { readonly kind: 'add'; readonly header: string; readonly value: string }
  /** `value`: what is sent now. `isWhole`: the name of the product goes too, not its version alone. */
  | { readonly kind: 'remove'; readonly header: string; readonly value: string; readonly isWhole: boolean }
  | { readonly kind: 'cookie'; readonly cookie: string; readonly attributes: readonly CookieAttribute[] }
  /** Requests over http are redirected to the same address at https. */
  | { readonly kind: 'upgrade'; readonly host: string }
  | { readonly kind: 'tls'; readonly setting: TlsSetting }
  /** A mail server offers STARTTLS. */
  | { readonly kind: 'starttls' };

/** One kind of want. */
export type WantOf<Kind extends Want['kind']> = Extract<Want, { readonly kind: Kind }>;

/** What a rule wants, by a piece of its evidence; undefined where no line brings it about. */
export type WantOfRule = (evidence: Evidence) => Want | undefined;

/** A year, what preloading asks for. */
export const yearS = 31_536_000;

/** A text of the evidence; empty where there is none of that name. */
export function textOf(value: Evidence[string] | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** One value of a header, in place of the one that the evidence may have. */
export function set(header: string, value: string): WantOfRule {
  return (evidence) => ({
    kind: 'set',
    header,
    value,
    isSent: textOf(evidence['header']).toLowerCase() === header.toLowerCase(),
  });
}

/** A header beside those of its name. */
export function add(header: string, value: string): WantOfRule {
  return () => ({ kind: 'add', header, value });
}

/** Strict-Transport-Security for a year. It begins with what was sent, and takes nothing away: a longer max-age, includeSubDomains and preload stay. */
export function setHsts(more: Partial<Hsts> = {}): WantOfRule {
  return (evidence) => {
    const sent = parseHsts(textOf(evidence['value']));
    const base = isMalformed(sent) ? noHsts : sent;
    const value = printHsts({ ...base, ...more, maxAgeS: Math.max(base.maxAgeS, yearS) });
    return set('Strict-Transport-Security', value)(evidence);
  };
}

const noHsts: Hsts = { maxAgeS: 0, includeSubDomains: false, preload: false };

/** Attributes for the cookie that the evidence names. Names come from the target: only plain ones get into lines. */
export function cookieWith(...attributes: CookieAttribute[]): WantOfRule {
  return (evidence) => {
    const cookie = textOf(evidence['cookie']);
    // nginx reads a name that begins with ~ as an expression.
    const isPlain = cookie.length <= 100 && isToken(cookie) && !/^~|['`$]/.test(cookie);
    return isPlain ? { kind: 'cookie', cookie, attributes } : undefined;
  };
}

/** A redirect to https at the host of one of the evidence's addresses. */
export function upgrade(name: 'from' | 'url'): WantOfRule {
  return (evidence) => {
    const url = textOf(evidence[name]);
    const host = URL.canParse(url) ? new URL(url).hostname : '';
    return /^[a-z0-9.-]+$/.test(host) ? { kind: 'upgrade', host } : undefined;
  };
}

/** A setting of TLS. */
export function setTls(setting: TlsSetting): WantOfRule {
  return () => ({ kind: 'tls', setting });
}

/** STARTTLS at a mail server. */
export const offerStarttls: WantOfRule = () => ({ kind: 'starttls' });
