import { type HeaderCode, rules } from '../../../shared/catalogue/security-header-check/rules.ts';
import {
  codesOf,
  type Evidence,
  type Fix,
  isBroken,
  type Verdict,
  type Verdicts,
} from '../../../shared/model/verdict.ts';
import { isToken } from './grammar/fields.ts';

type Snippets = { readonly [server: string]: string };

const hsts = setHeader('Strict-Transport-Security', 'max-age=31536000; includeSubDomains');
const policy = setHeader(
  'Content-Security-Policy',
  "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'self'",
);
// A second policy only takes away, so this one can be added beside any other.
const ancestors = addHeader('Content-Security-Policy', "frame-ancestors 'self'");
const nosniff = setHeader('X-Content-Type-Options', 'nosniff');
const referrer = setHeader('Referrer-Policy', 'strict-origin-when-cross-origin');
const permissions = setHeader('Permissions-Policy', 'camera=(), microphone=(), geolocation=()');
const opener = setHeader('Cross-Origin-Opener-Policy', 'same-origin');
const toHttps: Snippets = {
  header: 'Location: https://',
  nginx: 'return 301 https://$host$request_uri;',
  apache: 'Redirect permanent / https://www.example.com/',
  express:
    'app.use((request, response, next) => (request.secure ? next() : response.redirect(301, `https://${request.hostname}${request.originalUrl}`)));',
};

const snippets: { readonly [C in HeaderCode]?: Snippets } = {
  'redirect-missing': toHttps,
  'redirect-ends-on-http': toHttps,
  'redirect-http-first': toHttps,
  'hsts-missing': hsts,
  'hsts-off': hsts,
  'hsts-invalid': hsts,
  'hsts-short': hsts,
  'hsts-duplicate-conflict': hsts,
  'hsts-not-on-first-hop': hsts,
  'hsts-no-subdomains': hsts,
  'csp-missing': policy,
  'csp-report-only': policy,
  'csp-script-unrestricted': addHeader('Content-Security-Policy', "script-src 'self'"),
  'csp-object-unrestricted': addHeader('Content-Security-Policy', "object-src 'none'"),
  'csp-base-uri-missing': addHeader('Content-Security-Policy', "base-uri 'none'"),
  'csp-base-uri-missing-with-hosts': addHeader('Content-Security-Policy', "base-uri 'none'"),
  'csp-form-action-missing': addHeader('Content-Security-Policy', "form-action 'self'"),
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
  'permissions-policy-invalid': permissions,
  'permissions-policy-legacy-syntax': permissions,
  'coop-missing': opener,
  'coop-invalid': opener,
  'coep-without-coop': opener,
  'coep-invalid': setHeader('Cross-Origin-Embedder-Policy', 'require-corp'),
  'corp-missing': setHeader('Cross-Origin-Resource-Policy', 'same-origin'),
  'corp-invalid': setHeader('Cross-Origin-Resource-Policy', 'same-origin'),
  'cors-vary-missing': addHeader('Vary', 'Origin'),
  'integrity-policy-missing': setHeader('Integrity-Policy', 'blocked-destinations=(script)'),
};

const removals: ReadonlySet<string> = new Set<HeaderCode>([
  'leak-version',
  'leak-product',
  'leak-internal-host',
  'leak-sourcemap',
  'deprecated-harmful',
  'deprecated-useless',
]);

// What each cookie rule asks to be added.
const cookieAttributes: { readonly [C in HeaderCode]?: string } = {
  'cookie-session-no-secure': 'Secure; HttpOnly; SameSite=Lax',
  'cookie-session-no-httponly': 'Secure; HttpOnly; SameSite=Lax',
  'cookie-session-no-samesite': 'Secure; HttpOnly; SameSite=Lax',
  'cookie-csrf-no-samesite': 'Secure; SameSite=Strict',
  'cookie-no-secure': 'Secure; SameSite=Lax',
  'cookie-no-samesite': 'Secure; SameSite=Lax',
  'cookie-samesite-invalid': 'Secure; SameSite=Lax',
};

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
    snippets[code] ??
    (removals.has(code) ? removeHeader(first['header']) : addToCookie(code, first['cookie']));
  return lines ? { text, snippets: lines } : { text };
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

function addToCookie(code: HeaderCode, name: unknown): Snippets | undefined {
  const attributes = cookieAttributes[code];
  if (!attributes || typeof name !== 'string' || name.length > 100 || !isToken(name) || /['`$]/.test(name))
    return undefined;
  const sameSite = attributes.includes('Strict') ? 'strict' : 'lax';
  const httpOnly = attributes.includes('HttpOnly');
  return {
    header: `Set-Cookie: ${name}=…; Path=/; ${attributes}`,
    nginx: `proxy_cookie_flags ${name} secure${httpOnly ? ' httponly' : ''} samesite=${sameSite};`,
    apache: `Header always edit Set-Cookie "^(${name.replaceAll(/[.*+^|\\]/g, '\\$&')}=.*)$" "$1; ${attributes}"`,
    express: `response.cookie('${name}', value, { secure: true, ${httpOnly ? 'httpOnly: true, ' : ''}sameSite: '${sameSite}' });`,
  };
}
