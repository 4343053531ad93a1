import { siteOf } from '#shared/targets/parse-target';
import type { BlockKind, BlockSign, Certainty } from './block-sign.ts';
import { blockSigns } from './block-signs.ts';
import { seeDefaultPage } from './default-pages.ts';
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

/** Block pages name themselves at their beginning. */
const bodyLimit = 65_536;
/** A page of one message is short, and has none of what articles are made of. */
const bareLimit = 20_000;
const articleMarkup = /<(?:article|nav|pre|code|blockquote|q|textarea)\b/i;
const quotations = /[“„«][^”“»]{0,300}[”“»]|&ldquo;[^&]{0,300}&rdquo;|&quot;[^&]{0,300}&quot;/g;

/** The sign of a body that does not begin as HTML or XML. Where no Content-Type says what it is, browsers show such a body as text. */
export const noMarkup = 'no-markup';
// MIME Sniffing Standard, "identify an unknown MIME type".
const markup =
  /^\s*(?:<!--|<\?xml|<(?:!doctype html|html|head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p|svg)[\s>])/i;

/**
 * The ids of the signs that a body shows; this is evidence, and says nothing yet of what they mean.
 * @param url of the answer; left out where it is not known
 */
export function seeBodySigns(text: string, url?: string): string[] {
  const beginning = text.slice(0, bodyLimit);
  const isBare = text.length <= bareLimit && !articleMarkup.test(text);
  const said = isBare ? text.replace(quotations, ' ') : '';
  const seen = blockSigns.flatMap(({ id, body, phrase, page }) =>
    body?.test(beginning) === true || (isBare && phrase?.test(said) === true) || page?.(text, url) === true
      ? [id]
      : [],
  );
  const signs = [...seen, ...seeDefaultPage(text)];
  return text === '' || markup.test(beginning) ? signs : [...signs, noMarkup];
}

/** True for a sign by which a block page was told; the others say nothing of who answered. */
export function isBlockSign(sign: string): boolean {
  return blockSigns.some(({ id }) => id === sign);
}

/**
 * Reads who answered instead of the site.
 * @param start the address that the visitor asked for
 * @returns undefined where the answer is the site's own
 */
export function readBlock(answer: LastAnswer, start: string): Block | undefined {
  const fields = indexFields(answer.headers);
  const found = blockSigns.find((sign) => fits(sign, answer, fields)) ?? findElsewhere(answer, start);
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
  consent: 'asks for consent before it shows the page',
  maintenance: 'says that the site is not available at the moment',
  'captive-portal': 'asks for a login to the network',
};

function fits(
  { id, status, field, cookie, body, phrase, page }: BlockSign,
  answer: LastAnswer,
  fields: Fields,
): boolean {
  if (status && !status.includes(answer.status)) return false;
  if (field && !valuesOf(fields, field[0]).some((value) => field[1].test(value))) return false;
  if (cookie && !cookieNames(fields).some((name) => cookie.test(name))) return false;
  return (!body && !phrase && !page) || answer.bodySigns.includes(id);
}

function cookieNames(fields: Fields): string[] {
  return valuesOf(fields, 'set-cookie').map((line) => cookieNameOf(line) ?? '');
}

const loginHost = /^(?:accounts?|auth|idp|login|sign-?in|sso|id|adfs)\./i;
/** Sites have other pages there too: one that says where the visitor is to go back to asks for a login. */
const identityHost = /^(?:identity|passport|iam|keycloak|wayf|discovery|signon|logon)\./i;
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
  'callbackUrl',
  'continue',
  'done',
  'RelayState',
  'SAMLRequest',
];

type BlockSummary = Pick<BlockSign, 'id' | 'vendor' | 'kind' | 'certainty'>;

/** Hosts that visitors are sent to before they may see a page, by the end of their names. */
const gateHosts: readonly (readonly [host: RegExp, sign: BlockSummary])[] = [
  [/(?:^|\.)validate\.perfdrive\.com$/, gate('radware-elsewhere', 'Radware', 'challenge')],
  [/(?:^|\.)captcha-delivery\.com$/, gate('datadome-elsewhere', 'DataDome', 'challenge')],
  [/(?:^|\.)queue-it\.net$/, gate('queue-it-elsewhere', 'Queue-it', 'rate-limit')],
  [/^wait\.crowdhandler\.com$/, gate('crowdhandler-elsewhere', 'CrowdHandler', 'rate-limit')],
  [/(?:^|\.)queue-fair\.net$/, gate('queue-fair-elsewhere', 'Queue-Fair', 'rate-limit')],
  // What Tencent Cloud shows instead of a site without a licence.
  [/^dnspod\.qcloud\.com$/, gate('tencent-elsewhere', 'Tencent Cloud', 'legal')],
];
/** Hosts of waiting rooms, which owners may name as they like. */
const waitingHost = /^(?:waiting-?room|queue|wait|line|warteraum)\./i;
const consentHost = /^(?:consent|consents|guce|cmp|myprivacy|privacy-?mgmt|privacygate)\./i;

function gate(id: string, vendor: string, kind: BlockKind): BlockSummary {
  return { id, vendor, kind, certainty: 'certain' };
}

// A login page of the very host is that site's own page, and can be judged as such.
function findElsewhere({ url, status }: LastAnswer, start: string): BlockSummary | undefined {
  const from = new URL(start);
  const to = new URL(url);
  if (status >= 400 || bareHost(from) === bareHost(to)) return undefined;
  const known = gateHosts.find(([host]) => host.test(to.hostname))?.[1];
  if (known) return known;
  const vendor = to.hostname;
  if (waitingHost.test(vendor) && hasReturn(to))
    return { id: 'waiting-elsewhere', vendor, kind: 'rate-limit', certainty: 'likely' };
  // Yahoo's names a session instead of an address.
  if (consentHost.test(vendor) && (hasReturn(to) || /consent/i.test(to.pathname)))
    return { id: 'consent-elsewhere', vendor, kind: 'consent', certainty: 'likely' };
  return isLogin(from, to)
    ? { id: 'login-elsewhere', vendor, kind: 'login', certainty: 'likely' }
    : undefined;
}

/** A gate says where the visitor comes from or is to go back to; by a known word, or as an address. */
function hasReturn({ searchParams }: URL): boolean {
  return [...searchParams].some(
    ([name, value]) => returnParameters.includes(name) || /^https?:\/\//i.test(value),
  );
}

function isLogin(from: URL, to: URL): boolean {
  const isOtherSite = siteOf(from.hostname) !== siteOf(to.hostname);
  const isLoginHost = loginHost.test(to.hostname);
  if (loginPath.test(to.pathname)) return isOtherSite || isLoginHost;
  if (identityHost.test(to.hostname)) return hasReturn(to);
  return isLoginHost && returnParameters.some((name) => to.searchParams.has(name));
}

function bareHost({ hostname }: URL): string {
  return hostname.replace(/^www\./, '');
}
