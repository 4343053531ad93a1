/** What a reader calls each test of the HTTP Observatory; headers by their own names. */
const testWords: { readonly [test: string]: string } = {
  'content-security-policy': 'Content-Security-Policy',
  cookies: 'Cookies',
  'cross-origin-embedder-policy': 'Cross-Origin-Embedder-Policy',
  'cross-origin-opener-policy': 'Cross-Origin-Opener-Policy',
  'cross-origin-resource-policy': 'Cross-Origin-Resource-Policy',
  'cross-origin-resource-sharing': 'Cross-origin resource sharing (CORS)',
  redirection: 'Redirect to https',
  'referrer-policy': 'Referrer-Policy',
  'strict-transport-security': 'Strict-Transport-Security',
  'subresource-integrity': 'Subresource Integrity',
  'x-content-type-options': 'X-Content-Type-Options',
  'x-frame-options': 'X-Frame-Options',
};

/** Results whose names do not end as those of other tests do. */
const resultWords: { readonly [result: string]: string } = {
  'csp-implemented-with-no-unsafe-default-src-none': "nothing unsafe, and default-src 'none'",
  'csp-implemented-with-no-unsafe': 'nothing unsafe',
  'csp-implemented-with-unsafe-inline-in-style-src-only': "'unsafe-inline' for styles only",
  'csp-implemented-but-duplicate-directives': 'set, with directives that are repeated',
  'csp-implemented-with-insecure-scheme-in-passive-content-only': 'allows http for images and media',
  'csp-implemented-with-unsafe-eval': "allows 'unsafe-eval'",
  'csp-implemented-with-unsafe-inline': "allows 'unsafe-inline'",
  'csp-implemented-with-insecure-scheme': 'allows scripts or other active content over http',
  'csp-not-implemented-but-reporting-enabled': 'only reports, nothing is enforced',
  'cookies-secure-with-httponly-sessions-and-samesite': 'all Secure, sessions HttpOnly and SameSite',
  'cookies-secure-with-httponly-sessions': 'all Secure, sessions HttpOnly',
  'cookies-not-found': 'none set',
  'cookies-without-secure-flag-but-protected-by-hsts': 'some without Secure, protected by HSTS',
  'cookies-session-without-secure-flag-but-protected-by-hsts': 'a session without Secure, protected by HSTS',
  'cookies-without-secure-flag': 'some without Secure',
  'cookies-samesite-flag-invalid': 'SameSite is not valid',
  'cookies-anticsrf-without-samesite-flag': 'an anti-CSRF token without SameSite',
  'cookies-session-without-httponly-flag': 'a session without HttpOnly',
  'cookies-session-without-secure-flag': 'a session without Secure',
  'cross-origin-resource-sharing-not-implemented': 'not open to other origins',
  'cross-origin-resource-sharing-implemented-with-public-access': 'open to everybody, without credentials',
  'cross-origin-resource-sharing-implemented-with-restricted-access': 'open to some origins',
  'redirection-to-https': 'leads to https',
  'redirection-all-redirects-preloaded': 'every redirect is of a preloaded host',
  'redirection-not-needed-no-http': 'not needed, nothing answers over http',
  'redirection-off-host-from-http': 'the first redirect leads to another host',
  'redirection-not-to-https-on-initial-redirection': 'leads to https, but not with the first redirect',
  'redirection-not-to-https': 'does not end at https',
  'redirection-missing': 'does not redirect to https',
  'redirection-invalid-cert': 'the certificate is not valid',
  'referrer-policy-private': 'keeps addresses private',
  'referrer-policy-unsafe': 'gives whole addresses away',
  'hsts-preloaded': 'preloaded',
  'hsts-implemented-max-age-at-least-six-months': 'for six months or more',
  'hsts-implemented-max-age-less-than-six-months': 'for less than six months',
  'hsts-not-implemented-no-https': 'not set, as there is no https',
  'hsts-invalid-cert': 'does not count, as the certificate is not valid',
  'sri-implemented-and-all-scripts-loaded-securely': 'set, and all scripts come over https',
  'sri-implemented-and-external-scripts-loaded-securely': 'set, and scripts of others come over https',
  'sri-not-implemented-response-not-html': 'not needed, the page is not HTML',
  'sri-not-implemented-but-no-scripts-loaded': 'not needed, the page loads no scripts',
  'sri-not-implemented-but-all-scripts-loaded-from-secure-origin': 'not needed, all scripts are of the site',
  'sri-not-implemented-but-external-scripts-loaded-securely': 'not set, scripts of others come over https',
  'sri-implemented-but-external-scripts-not-loaded-securely': 'set, but scripts of others come over http',
  'sri-not-implemented-and-external-scripts-not-loaded-securely':
    'not set, and scripts of others come over http',
  'x-content-type-options-nosniff': 'nosniff',
  'x-frame-options-implemented-via-csp': 'set by frame-ancestors of the Content-Security-Policy',
  'x-frame-options-sameorigin-or-deny': 'SAMEORIGIN or DENY',
  'x-frame-options-allow-from-origin': 'ALLOW-FROM',
};

const endings: readonly (readonly [pattern: RegExp, words: string])[] = [
  [/-not-implemented$/, 'not set'],
  [/-header-invalid$/, 'not valid'],
];

/** What a reader calls a test of the HTTP Observatory; its own name, where it is of another release. */
export function observatoryTestOf(test: string): string {
  return Object.hasOwn(testWords, test) ? (testWords[test] ?? test) : test;
}

/** The result of a test in words: "not set" of "csp-not-implemented"; the result itself, where it is of another release. */
export function observatoryResultOf(result: string): string {
  if (Object.hasOwn(resultWords, result)) return resultWords[result] ?? result;
  const [, words] = endings.find(([pattern]) => pattern.test(result)) ?? [];
  // "coep-implemented-with-require-corp": what is set is the value of the header.
  return words ?? result.replace(/^co[eor]p-implemented-with-/, '');
}
