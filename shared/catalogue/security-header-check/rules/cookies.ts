import { inGroup } from '../groups.ts';
import { cookieDraft } from './references.ts';

const storage = cookieDraft('storage model', 'section-5.7');
const sameSite = cookieDraft('the SameSite attribute', 'section-4.1.2.7');

/** Who can read, forge or steal the cookies that a browser would keep. Cookies that it refuses are told apart. */
export const cookieRules = inGroup('cookies', {
  'cookie-session-no-secure': {
    severity: 'high',
    title: 'A session cookie may travel in clear text',
    detail: '{cookie} lacks Secure. One request over http shows it to anyone on the network.',
    fix: 'Add Secure.',
    references: ['RFC 6265 §8.3', cookieDraft('the Secure attribute', 'section-4.1.2.5')],
  },
  'cookie-session-no-httponly': {
    severity: 'high',
    title: 'Scripts can read a session cookie',
    detail: '{cookie} lacks HttpOnly. An injected script can steal the session.',
    fix: 'Add HttpOnly.',
    references: [cookieDraft('the HttpOnly attribute', 'section-4.1.2.6')],
  },
  'cookie-session-on-http': {
    severity: 'high',
    title: 'A session cookie is set in clear text',
    detail: '{url} sets {cookie} over http. Anyone on the network can read it and take over the session.',
    fix: 'Redirect to https before any cookie is set.',
    references: ['RFC 6265 §8.3'],
  },
  'cookie-on-http': {
    severity: 'low',
    title: 'A cookie is set in clear text',
    detail: '{url} sets {cookie} over http, where anyone on the network can read and replace it.',
    fix: 'Redirect to https before any cookie is set.',
    references: ['RFC 6265 §8.3'],
  },
  'cookie-session-no-samesite': {
    severity: 'medium',
    title: 'A session cookie does not say whether other sites may send it',
    detail: '{cookie} lacks SameSite. Some browsers send it with every cross-site request.',
    fix: 'Add SameSite=Lax, or Strict.',
    references: [sameSite],
  },
  'cookie-csrf-no-samesite': {
    severity: 'medium',
    title: 'A CSRF token cookie lacks SameSite',
    detail:
      '{cookie} protects against forged requests, but some browsers send it with them when SameSite is missing.',
    fix: 'Add SameSite=Strict, or Lax.',
    references: [sameSite],
  },
  'cookie-no-secure': {
    severity: 'low',
    title: 'A cookie may travel in clear text',
    detail: '{cookie} lacks Secure.',
    fix: 'Add Secure.',
    references: ['RFC 6265 §8.3', cookieDraft('the Secure attribute', 'section-4.1.2.5')],
  },
  'cookie-samesite-invalid': {
    severity: 'medium',
    title: 'A cookie has a SameSite value that does not exist',
    detail: '{cookie} has SameSite={value}. Browsers treat it as if SameSite were missing.',
    fix: 'Use Strict, Lax, or None with Secure.',
    references: [sameSite],
  },
  'cookie-refused': {
    severity: 'medium',
    title: 'Browsers refuse a cookie',
    detail: '{cookie} is not stored: {reason}.',
    fix: 'Correct what is named above, or remove the cookie. Each cookie needs a Set-Cookie line of its own.',
    references: [storage],
  },
  'cookie-comma': {
    severity: 'low',
    title: 'A cookie’s value holds what looks like a second cookie',
    detail: '{cookie} is not stored: {reason}.',
    fix: 'If it is a cookie of its own, send it in a Set-Cookie line of its own. If it is a part of the value, percent-encode the comma.',
    references: [storage],
  },
  'cookie-cacheable': {
    severity: 'medium',
    title: 'A cookie comes with a response that shared caches may keep',
    detail: '{cookie} is set together with Cache-Control: {value}. A cache may give it to other visitors.',
    fix: 'Send Cache-Control: private or no-store with Set-Cookie.',
    references: ['RFC 9111 §7.3', 'RFC 9111 §5.2.2.9'],
  },
  'cookie-no-samesite': {
    severity: 'low',
    title: 'A cookie does not say whether other sites may send it',
    detail: '{cookie} lacks SameSite. Browsers handle this differently.',
    fix: 'Add SameSite=Lax, Strict, or None with Secure.',
    references: [sameSite],
  },
  'cookie-wide-domain': {
    severity: 'low',
    title: 'A session cookie is sent to all subdomains',
    detail: '{cookie} has Domain={domain}. Every subdomain receives it, including forgotten ones.',
    fix: 'Remove Domain, and use the __Host- prefix.',
    references: [cookieDraft('the Domain attribute', 'section-4.1.2.3')],
  },
  'cookie-no-prefix': {
    severity: 'info',
    title: 'A session cookie could use the __Host- prefix',
    detail:
      '{cookie} meets the conditions of the __Host- prefix, which keeps subdomains and clear-text hosts from replacing it.',
    fix: 'Rename it to __Host-….',
    references: [cookieDraft('cookie name prefixes', 'section-4.1.3')],
  },
});
