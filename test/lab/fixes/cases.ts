import type { HeaderCode } from '#shared/catalogue/security-header-check/rules';

/** Header lines of an application: a list sends a header several times, null leaves it out, `$origin` is the Origin that asks. */
type Sent = { readonly [header: string]: string | readonly string[] | null };

export type HeaderCase = {
  readonly code: HeaderCode;
  /** How what the application sends differs from `rightHeaders`. */
  readonly sends: Sent;
  /** The page itself; a plain one where it is left out. */
  readonly body?: string;
  /** What the application answers over http; elsewhere the server redirects to https. */
  readonly http?: 'page' | 'other path' | 'other host';
  /** What it answers over https; the page where it is left out. The other host is that of coop-missing. */
  readonly https?: 'other host';
  /** A script behind CGI or FastCGI cannot bring it about here: it does not see the request, or a header is sent once. */
  readonly notAsScript?: true;
  /** The set-ups that it is for; all of them where it is left out. */
  readonly only?: readonly string[];
  /** A second case of a finding. */
  readonly name?: string;
  /** PHP sets its own session cookie. */
  readonly startsSession?: true;
  /** The host is a registrable domain. */
  readonly isRegistrable?: true;
};

/** A page that breaks no rule above info. */
export const rightHeaders = {
  'Content-Type': 'text/html; charset=utf-8',
  'Strict-Transport-Security': 'max-age=63072000; includeSubDomains',
  'Content-Security-Policy':
    "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'self'",
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'strict-origin-when-cross-origin',
  'Permissions-Policy': 'camera=(), microphone=(), geolocation=()',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cache-Control': 'private, no-store',
} as const satisfies Sent;

const hsts = (value: string | readonly string[] | null) => ({ 'Strict-Transport-Security': value });
const csp = (value: string) => ({ 'Content-Security-Policy': value });
const cookie = (...values: string[]) => ({ 'Set-Cookie': values });

/** Each finding of security-header-check that has lines to paste, as an application brings it about. */
export const headerCases: readonly HeaderCase[] = [
  { code: 'http-not-upgraded', sends: {}, http: 'page', notAsScript: true },
  { code: 'redirect-http-first', sends: {}, http: 'other path', notAsScript: true },
  { code: 'https-upgrade-late', sends: {}, http: 'other host', notAsScript: true },
  { code: 'hsts-not-on-first-hop', sends: hsts(null), https: 'other host', notAsScript: true },
  { code: 'hsts-missing', sends: hsts(null) },
  { code: 'hsts-off', sends: hsts('max-age=0') },
  { code: 'hsts-invalid', sends: hsts('max-age=1 year') },
  { code: 'hsts-short', sends: hsts('max-age=300; includeSubDomains') },
  {
    code: 'hsts-duplicate-conflict',
    sends: hsts(['max-age=63072000; includeSubDomains', 'max-age=600']),
    notAsScript: true,
  },
  { code: 'hsts-no-subdomains', sends: hsts('max-age=63072000') },
  {
    code: 'hsts-preload-ineligible',
    sends: hsts('max-age=300; includeSubDomains; preload'),
    isRegistrable: true,
  },
  { code: 'csp-missing', sends: { 'Content-Security-Policy': null } },
  {
    code: 'csp-script-unrestricted',
    sends: csp("object-src 'none'; base-uri 'none'; frame-ancestors 'self'"),
  },
  {
    code: 'csp-object-unrestricted',
    sends: csp("script-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'self'"),
  },
  {
    code: 'csp-base-uri-missing',
    sends: csp(
      "default-src 'self'; script-src 'nonce-Mjg3ZGYyNTk4ZDY4YTFjMQ=='; object-src 'none'; form-action 'self'; frame-ancestors 'self'",
    ),
  },
  {
    code: 'csp-base-uri-missing-with-hosts',
    sends: csp("default-src 'self'; object-src 'none'; form-action 'self'; frame-ancestors 'self'"),
  },
  {
    code: 'csp-form-action-missing',
    sends: csp("default-src 'self'; object-src 'none'; base-uri 'none'; frame-ancestors 'self'"),
  },
  {
    code: 'framing-open',
    sends: csp("default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'"),
  },
  {
    code: 'framing-allow-all',
    sends: csp(
      "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors *",
    ),
  },
  {
    code: 'xfo-allow-from',
    sends: {
      ...csp("default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'"),
      'X-Frame-Options': 'ALLOW-FROM https://partner.test/',
    },
  },
  {
    code: 'xfo-invalid',
    sends: {
      ...csp("default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'"),
      'X-Frame-Options': 'SAME-ORIGIN',
    },
  },
  {
    code: 'xfo-in-meta',
    sends: csp("default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'"),
    body: '<!doctype html><head><meta http-equiv="X-Frame-Options" content="DENY"><title>x</title></head>',
  },
  {
    code: 'xfo-overridden',
    sends: {
      ...csp("default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors *"),
      'X-Frame-Options': 'SAMEORIGIN',
    },
  },
  {
    code: 'csp-frame-ancestors-missing',
    sends: {
      ...csp("default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'"),
      'X-Frame-Options': 'SAMEORIGIN',
    },
  },
  { code: 'cookie-session-no-secure', sends: cookie('sid=1; Path=/; HttpOnly; SameSite=Lax') },
  { code: 'cookie-session-no-httponly', sends: cookie('sid=1; Path=/; Secure; SameSite=Lax') },
  { code: 'cookie-session-no-samesite', sends: cookie('sid=1; Path=/; Secure; HttpOnly') },
  { code: 'cookie-csrf-no-samesite', sends: cookie('csrftoken=1; Path=/; Secure; HttpOnly') },
  { code: 'cookie-no-secure', sends: cookie('colour=blue; Path=/; SameSite=Lax') },
  { code: 'cookie-no-samesite', sends: cookie('colour=blue; Path=/; Secure') },
  { code: 'cookie-samesite-invalid', sends: cookie('sid=1; Path=/; Secure; HttpOnly; SameSite=Loose') },
  { code: 'xcto-missing', sends: { 'X-Content-Type-Options': null } },
  { code: 'xcto-invalid', sends: { 'X-Content-Type-Options': 'no-sniff' } },
  { code: 'referrer-policy-unsafe', sends: { 'Referrer-Policy': 'unsafe-url' } },
  { code: 'referrer-policy-invalid', sends: { 'Referrer-Policy': 'same_origin' } },
  { code: 'referrer-policy-missing', sends: { 'Referrer-Policy': null } },
  { code: 'permissions-policy-missing', sends: { 'Permissions-Policy': null } },
  { code: 'coop-missing', sends: { 'Cross-Origin-Opener-Policy': null } },
  {
    code: 'coep-without-coop',
    sends: {
      'Cross-Origin-Opener-Policy': 'unsafe-none',
      'Cross-Origin-Embedder-Policy': 'require-corp',
    },
  },
  { code: 'corp-missing', sends: { 'Cross-Origin-Resource-Policy': null } },
  { code: 'cors-vary-missing', sends: { 'Access-Control-Allow-Origin': '$origin' }, notAsScript: true },
  {
    code: 'integrity-policy-missing',
    sends: csp(
      "default-src 'self' https://cdn.test; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'self'",
    ),
    body: '<!doctype html><title>x</title><script src="https://cdn.test/a.js"></script>',
  },
  { code: 'leak-version', sends: { 'X-Powered-By': 'Thing/1.2.3', 'X-AspNet-Version': '4.0.30319' } },
  // nginx sends its own, and Express sends none.
  {
    code: 'leak-version',
    name: 'leak-version-server',
    sends: { Server: 'Thing/1.2.3' },
    only: ['apache', 'caddy', 'haproxy'],
  },
  { code: 'leak-product', sends: { 'X-Generator': 'Thing' } },
  { code: 'leak-sourcemap', sends: { SourceMap: '/a.js.map' } },
  { code: 'leak-internal-host', sends: { 'X-Backend': '10.0.0.7' } },
  { code: 'deprecated-harmful', sends: { 'X-XSS-Protection': '1; mode=block' } },
  { code: 'deprecated-useless', sends: { 'Expect-CT': 'max-age=600', P3P: 'CP="ALL"' } },
];

/** Lines that try something out first: the finding stays until what they report is looked at. */
export const trials: ReadonlySet<HeaderCode> = new Set<HeaderCode>([
  'csp-missing',
  'csp-script-unrestricted',
  'csp-form-action-missing',
  'integrity-policy-missing',
]);

/** nginx and Apache go on sending their name in Server, and so the finding stays for that; what the application sends is gone. */
export const namesServer: ReadonlySet<HeaderCode> = new Set<HeaderCode>(['leak-product']);

/** What a line may leave or bring above info, and why that is no harm. */
export const mayFollow: { readonly [C in HeaderCode]?: readonly HeaderCode[] } = {
  // Subdomains were not looked at, so the line leaves them out.
  'hsts-missing': ['hsts-no-subdomains'],
  'hsts-off': ['hsts-no-subdomains'],
  'hsts-invalid': ['hsts-no-subdomains'],
  // The policy is tried out before it is enforced.
  'csp-missing': ['csp-report-only'],
};

/** A session of PHP, with all its faults at once. */
export const phpSession: HeaderCase = { code: 'cookie-session-no-secure', sends: {}, startsSession: true };

/** Many faults at once: all lines of their cards together. */
export const allAtOnce: HeaderCase = {
  code: 'hsts-short',
  sends: {
    ...hsts('max-age=300'),
    ...csp("script-src 'self'; form-action 'self'"),
    ...cookie('sid=1; Path=/', 'auth_token=2; Path=/; Secure', 'colour=blue; Path=/; HttpOnly'),
    'X-Content-Type-Options': 'no-sniff',
    'Referrer-Policy': 'unsafe-url',
    'Permissions-Policy': null,
    'X-Powered-By': 'Thing/1.2.3',
    'X-AspNet-Version': '4.0.30319',
    'X-Generator': 'Thing',
    'Expect-CT': 'max-age=600',
    P3P: 'CP="ALL"',
    'X-XSS-Protection': '1; mode=block',
  },
};
