import { siteOf } from '#shared/target/parse-target';
import { type BlockKind, type BlockSign, blockSigns, type Certainty } from './block-signs.ts';
import { type Fields, type HeaderLine, indexFields, valuesOf } from './fields.ts';
import { cookieNameOf } from './mask-cookie.ts';

/** Who answered instead of the site, and by what that was told. JSON. */
export type Block = {
  readonly sign: string;
  /** null where nobody in particular can be named. */
  readonly vendor: string | null;
  readonly kind: BlockKind;
  readonly certainty: Certainty;
  /** A clause: "Cloudflare asks the client to prove that it is a browser". */
  readonly reason: string;
};

/** What the last answer of a chain shows of who gave it. `bodySigns` is what was seen in its body. */
export type LastAnswer = {
  readonly url: string;
  readonly status: number;
  readonly headers: readonly HeaderLine[];
  readonly bodySigns: readonly string[];
};

/** Block pages are short, and name themselves at their beginning. */
const bodyLimit = 65_536;

/** The ids of the signs that a body shows; this is evidence, and says nothing yet of what they mean. */
export function seeBodySigns(text: string): string[] {
  const beginning = text.slice(0, bodyLimit);
  return blockSigns.flatMap(({ id, body }) => (body?.test(beginning) === true ? [id] : []));
}

/**
 * Reads who answered instead of the site.
 * @param start the address that the visitor asked for
 * @returns undefined where the answer is the site's own
 */
export function readBlock(answer: LastAnswer, start: string): Block | undefined {
  const fields = indexFields(answer.headers);
  const found = blockSigns.find((sign) => fits(sign, answer, fields)) ?? findLogin(answer, start);
  if (!found) return undefined;
  const { id, vendor, kind, certainty } = found;
  return { sign: id, vendor, kind, certainty, reason: `${vendor ?? 'the server'} ${reasons[kind]}` };
}

const reasons: { readonly [K in BlockKind]: string } = {
  challenge: 'asks the client to prove that it is a browser',
  denial: 'refuses the request',
  'rate-limit': 'limits the number of requests',
  legal: 'refuses the request for legal reasons',
  login: 'asks for a login',
  maintenance: 'says that the site is not available at the moment',
  'captive-portal': 'asks for a login to the network',
};

function fits({ id, status, field, cookie, body }: BlockSign, answer: LastAnswer, fields: Fields): boolean {
  if (status && !status.includes(answer.status)) return false;
  if (field && !valuesOf(fields, field[0]).some((value) => field[1].test(value))) return false;
  if (cookie && !cookieNames(fields).some((name) => cookie.test(name))) return false;
  return !body || answer.bodySigns.includes(id);
}

function cookieNames(fields: Fields): string[] {
  return valuesOf(fields, 'set-cookie').map((line) => cookieNameOf(line) ?? '');
}

const loginHost = /^(?:accounts?|auth|idp|login|sign-?in|sso|id|adfs)\./i;
const loginPath =
  /(?:^|\/)(?:(?:wp-)?log-?in|sign[-_]?in|signon|sso|saml2?|oauth2?|openid-connect|authorize|adfs|cas)(?:$|[/.])/i;
/** What sign-on calls the address that the visitor is to come back to. */
const returnParameters = [
  'redirect_uri',
  'redirect_url',
  'return_to',
  'returnTo',
  'ReturnUrl',
  'return_url',
  'continue',
  'RelayState',
  'SAMLRequest',
];

// A login page of the very host is that site's own page, and can be judged as such.
function findLogin({ url, status }: LastAnswer, start: string): Omit<BlockSign, 'status'> | undefined {
  const from = new URL(start);
  const to = new URL(url);
  if (status >= 400 || bareHost(from) === bareHost(to) || !isLogin(from, to)) return undefined;
  return { id: 'login-elsewhere', vendor: to.hostname, kind: 'login', certainty: 'likely' };
}

function isLogin(from: URL, to: URL): boolean {
  const isOtherSite = siteOf(from.hostname) !== siteOf(to.hostname);
  const isLoginHost = loginHost.test(to.hostname);
  if (loginPath.test(to.pathname)) return isOtherSite || isLoginHost;
  return isLoginHost && returnParameters.some((name) => to.searchParams.has(name));
}

function bareHost({ hostname }: URL): string {
  return hostname.replace(/^www\./, '');
}
