import { type HeaderCode, rules } from '#shared/catalogue/security-header-check/rules';
import { codesOf, type Evidence, isMalformed, type Verdicts } from '#shared/model/verdict';
import type { KnownServers } from '../../../fixes/known-server.ts';
import { mayRemove, webServers } from '../../../fixes/servers.ts';
import {
  add,
  cookieWith,
  set,
  setHsts,
  textOf,
  upgrade,
  type WantOfRule,
  yearS,
} from '../../../fixes/want.ts';
import { withFixes } from '../../../fixes/with-fixes.ts';
import { parseHsts } from '../../../web/hsts.ts';

const csp = 'Content-Security-Policy';
// Whatever could stop scripts or forms of the page is to be tried out first.
const reportOnly = `${csp}-Report-Only`;

const remove =
  (isWhole: boolean): WantOfRule =>
  ({ header, value }) =>
    typeof header === 'string' && mayRemove(header)
      ? { kind: 'remove', header, value: textOf(value), isWhole }
      : undefined;

// A second policy only takes away, so it can be added beside any other.
const ancestors = add(csp, "frame-ancestors 'self'");
const baseUri = add(csp, "base-uri 'self'");
const nosniff = set('X-Content-Type-Options', 'nosniff');
const referrer = set('Referrer-Policy', 'strict-origin-when-cross-origin');

const wants: { readonly [C in HeaderCode]?: WantOfRule } = {
  'http-not-upgraded': upgrade('from'),
  'redirect-http-first': upgrade('from'),
  'https-upgrade-late': upgrade('from'),
  // Subdomains were not looked at: those without https would be lost for a year.
  'hsts-missing': setHsts(),
  'hsts-off': setHsts(),
  'hsts-invalid': setHsts(),
  'hsts-short': setHsts(),
  'hsts-duplicate-conflict': setHsts(),
  'hsts-not-on-first-hop': setHsts(),
  'hsts-no-subdomains': setHsts({ includeSubDomains: true }),
  'hsts-preload-ineligible': (evidence) =>
    isPreloadable(evidence['value']) ? undefined : setHsts({ includeSubDomains: true })(evidence),
  'csp-missing': add(
    reportOnly,
    "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'self'",
  ),
  'csp-script-unrestricted': add(reportOnly, "script-src 'self'"),
  'csp-object-unrestricted': add(csp, "object-src 'none'"),
  'csp-base-uri-missing': baseUri,
  'csp-base-uri-missing-with-hosts': baseUri,
  'csp-form-action-missing': add(reportOnly, "form-action 'self'"),
  'framing-open': ancestors,
  'framing-allow-all': ancestors,
  // It names a site that may frame the page, though browsers do not read it.
  'xfo-allow-from': ({ value }) => ({
    kind: 'add',
    header: csp,
    value: ["frame-ancestors 'self'", ...originIn(value)].join(' '),
  }),
  'xfo-invalid': ancestors,
  'xfo-in-meta': ancestors,
  'xfo-overridden': ancestors,
  'csp-frame-ancestors-missing': ancestors,
  'cookie-session-no-secure': cookieWith('Secure'),
  'cookie-session-no-httponly': cookieWith('HttpOnly'),
  'cookie-session-no-samesite': cookieWith('SameSite=Lax'),
  'cookie-csrf-no-samesite': cookieWith('SameSite=Lax'),
  'cookie-no-secure': cookieWith('Secure'),
  'cookie-no-samesite': cookieWith('SameSite=Lax'),
  'cookie-samesite-invalid': cookieWith('SameSite=Lax'),
  'xcto-missing': nosniff,
  'xcto-invalid': nosniff,
  // A meta element is read after the header and wins.
  'referrer-policy-unsafe': ({ source, ...evidence }) =>
    source === 'the header' ? referrer({ ...evidence, header: 'referrer-policy' }) : undefined,
  'referrer-policy-invalid': referrer,
  'referrer-policy-missing': referrer,
  'permissions-policy-missing': set('Permissions-Policy', 'camera=(), microphone=(), geolocation=()'),
  // With same-origin, windows for signing in or paying lose their opener.
  'coop-missing': set('Cross-Origin-Opener-Policy', 'same-origin-allow-popups'),
  'coep-without-coop': (evidence) =>
    set('Cross-Origin-Opener-Policy', 'same-origin')({ ...evidence, header: 'cross-origin-opener-policy' }),
  'corp-missing': set('Cross-Origin-Resource-Policy', 'same-site'),
  'cors-vary-missing': add('Vary', 'Origin'),
  'integrity-policy-missing': set('Integrity-Policy-Report-Only', 'blocked-destinations=(script)'),
  'leak-version': remove(false),
  'leak-product': remove(true),
  'leak-sourcemap': remove(true),
  // An address may stand in a field that the page needs, as Location and Link: such fields are not taken away.
  'leak-internal-host': (evidence) =>
    /^(?:x-|via$|server$)/i.test(textOf(evidence['header'])) ? remove(true)(evidence) : undefined,
  'deprecated-harmful': remove(true),
  'deprecated-useless': remove(true),
};

/** Findings that can have lines to paste; each of them is tried in real servers. */
export const codesWithLines: readonly HeaderCode[] = codesOf(wants as Required<typeof wants>);

// Where the line itself meets the conditions of preloading, something else is to be fixed.
function isPreloadable(value: Evidence[string] | undefined): boolean {
  const sent = parseHsts(textOf(value));
  return !isMalformed(sent) && sent.includeSubDomains && sent.maxAgeS >= yearS;
}

function originIn(value: Evidence[string] | undefined): string[] {
  const [, address = ''] = /^\s*allow-from\s+(\S+)\s*$/i.exec(textOf(value)) ?? [];
  const origin = URL.canParse(address) ? new URL(address).origin : '';
  return /^https?:\/\/[a-z0-9.-]+(?::\d+)?$/.test(origin) ? [origin] : [];
}

/** The same verdicts; broken ones carry the lines to paste where there are such lines. */
export function withHeaderFixes(verdicts: Verdicts<HeaderCode>, known: KnownServers): Verdicts<HeaderCode> {
  return withFixes(verdicts, { rules, wants, servers: webServers, known });
}
