import { snippetsOfCookie } from '#shared/catalogue/security-header-check/cookie-snippets';
import { type HeaderCode, rules } from '#shared/catalogue/security-header-check/rules';
import {
  codesOf,
  type Evidence,
  type Fix,
  isBroken,
  isMalformed,
  type Verdict,
  type Verdicts,
} from '#shared/model/verdict';
import { parseHsts, printHsts } from '../../../web/hsts.ts';

type Snippets = { readonly [server: string]: string };

// Subdomains were not looked at: those without https would be lost for a year.
const hsts = setHeader('Strict-Transport-Security', 'max-age=31536000');
// Whatever could stop scripts or forms of the page is to be tried out first.
const reportOnly = 'Content-Security-Policy-Report-Only';
const policy = setHeader(
  reportOnly,
  "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'self'",
);
// A second policy only takes away, so this one can be added beside any other.
const ancestors = addHeader('Content-Security-Policy', "frame-ancestors 'self'");
const nosniff = setHeader('X-Content-Type-Options', 'nosniff');
const referrer = setHeader('Referrer-Policy', 'strict-origin-when-cross-origin');
const baseUri = addHeader('Content-Security-Policy', "base-uri 'self'");
const permissions = setHeader('Permissions-Policy', 'camera=(), microphone=(), geolocation=()');
// With same-origin, windows for signing in or paying lose their opener.
const opener = setHeader('Cross-Origin-Opener-Policy', 'same-origin-allow-popups');
const toHttps: Snippets = {
  header: 'Location: https://',
  nginx: 'return 301 https://$host$request_uri;',
  apache: 'Redirect permanent / https://www.example.com/',
  express:
    'app.use((request, response, next) => (request.secure ? next() : response.redirect(301, `https://${request.hostname}${request.originalUrl}`)));',
};

const snippets: { readonly [C in HeaderCode]?: Snippets } = {
  'http-not-upgraded': toHttps,
  'redirect-http-first': toHttps,
  'hsts-missing': hsts,
  'hsts-off': hsts,
  'hsts-invalid': hsts,
  'hsts-short': hsts,
  'hsts-duplicate-conflict': hsts,
  'hsts-not-on-first-hop': hsts,
  'hsts-no-subdomains': setHeader('Strict-Transport-Security', 'max-age=31536000; includeSubDomains'),
  'csp-missing': policy,
  'csp-script-unrestricted': addHeader(reportOnly, "script-src 'self'"),
  'csp-object-unrestricted': addHeader('Content-Security-Policy', "object-src 'none'"),
  'csp-base-uri-missing': baseUri,
  'csp-base-uri-missing-with-hosts': baseUri,
  'csp-form-action-missing': addHeader(reportOnly, "form-action 'self'"),
  'framing-open': ancestors,
  'framing-allow-all': ancestors,
  'xfo-allow-from': ancestors,
  'xfo-invalid': ancestors,
  'xfo-in-meta': ancestors,
  'xfo-overridden': ancestors,
  'csp-frame-ancestors-missing': ancestors,
  'xcto-missing': nosniff,
  'xcto-invalid': nosniff,
  'referrer-policy-unsafe': referrer,
  'referrer-policy-invalid': referrer,
  'referrer-policy-missing': referrer,
  'permissions-policy-missing': permissions,
  'coop-missing': opener,
  'coep-without-coop': setHeader('Cross-Origin-Opener-Policy', 'same-origin'),
  'corp-missing': setHeader('Cross-Origin-Resource-Policy', 'same-site'),
  'cors-vary-missing': addHeader('Vary', 'Origin'),
  'integrity-policy-missing': setHeader('Integrity-Policy-Report-Only', 'blocked-destinations=(script)'),
};

const removals: ReadonlySet<string> = new Set<HeaderCode>([
  'leak-version',
  'leak-product',
  'leak-internal-host',
  'leak-sourcemap',
  'deprecated-harmful',
  'deprecated-useless',
]);

/** A year, what preloading asks for. */
const yearS = 31_536_000;

// A fix begins with what was sent, and takes nothing away: a longer max-age, includeSubDomains and preload stay.
function hstsFrom(code: HeaderCode, { header, value }: Evidence): Snippets | undefined {
  if (!code.startsWith('hsts-') || header !== 'strict-transport-security' || typeof value !== 'string')
    return undefined;
  const sent = parseHsts(value);
  if (isMalformed(sent)) return undefined;
  const maxAgeS = Math.max(sent.maxAgeS, yearS);
  const isPreload = code === 'hsts-preload-ineligible';
  const includeSubDomains = sent.includeSubDomains || isPreload || code === 'hsts-no-subdomains';
  // Where the line itself meets the conditions of preloading, something else is to be fixed.
  if (isPreload && sent.includeSubDomains && sent.maxAgeS >= yearS) return undefined;
  return setHeader('Strict-Transport-Security', printHsts({ ...sent, maxAgeS, includeSubDomains }));
}

/** As many pieces of evidence as a finding shows. */
const evidenceLimit = 50;

/** The same verdicts; broken ones carry the lines to paste where there are such lines. */
export function withFixes(verdicts: Verdicts<HeaderCode>): Verdicts<HeaderCode> {
  return Object.fromEntries(
    codesOf(verdicts).map((code): [HeaderCode, Verdict] => {
      const verdict = verdicts[code];
      return [code, isBroken(verdict) ? fixed(code, verdict.broken) : verdict];
    }),
  ) as Verdicts<HeaderCode>;
}

function fixed(code: HeaderCode, broken: readonly Evidence[]): Verdict {
  return { broken: broken.slice(0, evidenceLimit), fix: fixOf(code, broken) };
}

function fixOf(code: HeaderCode, [first = {}]: readonly Evidence[]): Fix {
  const text = fill(rules[code].fix, first);
  const lines =
    hstsFrom(code, first) ??
    snippets[code] ??
    (isRemoval(code, first) ? removeHeader(first['header']) : snippetsOfCookie([code], first['cookie']));
  return lines ? { text, snippets: lines } : { text };
}

// An address may stand in a field that the page needs, as Location and Link: such fields are not named.
function isRemoval(code: HeaderCode, { header }: Evidence): boolean {
  if (!removals.has(code)) return false;
  return (
    code !== 'leak-internal-host' || (typeof header === 'string' && /^(?:x-|via$|server$)/i.test(header))
  );
}

// The few fixes that name what was sent.
function fill(text: string, evidence: Evidence): string {
  return text.replace(/\{(\w+)\}/g, (whole, key: string) => {
    const value = Object.hasOwn(evidence, key) ? evidence[key] : undefined;
    return typeof value === 'string' ? value.slice(0, 200) : whole;
  });
}

function setHeader(name: string, value: string): Snippets {
  return {
    header: `${name}: ${value}`,
    nginx: `add_header ${name} "${value}" always;`,
    apache: `Header always set ${name} "${value}"`,
    express: `response.set('${name}', ${JSON.stringify(value)});`,
  };
}

// Beside what is sent already: policies add up, so the one that is there must stay.
function addHeader(name: string, value: string): Snippets {
  return {
    header: `${name}: ${value}`,
    nginx: `add_header ${name} "${value}" always;`,
    apache: `Header always add ${name} "${value}"`,
    express: `response.append('${name}', ${JSON.stringify(value)});`,
  };
}

// Names come from the target: only plain ones are put into configuration lines.
function removeHeader(name: unknown): Snippets | undefined {
  if (typeof name !== 'string' || !/^[A-Za-z0-9-]{1,60}$/.test(name)) return undefined;
  if (name.toLowerCase() === 'server') return { nginx: 'server_tokens off;', apache: 'ServerTokens Prod' };
  return {
    nginx: `proxy_hide_header ${name};`,
    apache: `Header always unset ${name}`,
    express:
      name.toLowerCase() === 'x-powered-by'
        ? "app.disable('x-powered-by');"
        : `response.removeHeader('${name}');`,
  };
}
