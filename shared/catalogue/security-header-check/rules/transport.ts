import { inGroup } from '../groups.ts';
import { preloadList } from './references.ts';

/** Whether the visitor is brought to https. */
export const redirectRules = inGroup('transport', {
  'https-missing': {
    severity: 'critical',
    title: 'The site is not served over HTTPS',
    detail: '{url} gives no answer: {reason}. What visitors send and see can be read and changed in transit.',
    fix: 'Serve the site over https with a certificate from a public CA, and redirect http to it.',
    references: ['RFC 9110 §4.2.2'],
  },
  'certificate-not-trusted': {
    severity: 'critical',
    title: 'The certificate is not trusted',
    detail:
      'Browsers refuse the certificate of {url} ({reason}). Until it is fixed, they ignore Strict-Transport-Security too.',
    fix: 'Install a certificate for this name from a public CA, with its full chain.',
    references: ['RFC 9110 §4.3.4', 'RFC 6797 §8.1'],
    replaces: ['cert-invalid'],
  },
  'http-not-upgraded': {
    severity: 'high',
    title: 'Visitors over http do not get to HTTPS',
    detail: 'A visitor to {from} ends at {url} (status {status}), in clear text.',
    fix: 'Answer every http:// request with 301 to the same address at https://, and stay on https from there.',
    references: ['RFC 6797 §7.2'],
    replaces: ['redirect-missing', 'redirect-ends-on-http'],
  },
  'https-downgrade': {
    severity: 'critical',
    title: 'A redirect leaves HTTPS',
    detail: '{from} redirects to {to}. Anyone on the network can read and change what follows.',
    fix: 'Redirect to the https:// address.',
    references: ['RFC 9110 §4.2.2'],
    replaces: ['redirect-downgrade'],
  },
  'redirect-http-first': {
    severity: 'medium',
    title: 'The first redirect does not use HTTPS',
    detail: '{from} redirects to {to}, and only later to https. Each clear-text hop can be hijacked.',
    fix: 'Redirect to https:// on the same host first.',
    references: ['RFC 6797 §7.2'],
  },
  'https-upgrade-late': {
    severity: 'low',
    title: 'The first redirect leaves the host before it could set HSTS',
    detail: '{from} redirects straight to {to}. The first host never sends Strict-Transport-Security.',
    fix: 'Redirect to https:// on the same host first, then to the other host.',
    references: ['RFC 6797 §7.2', preloadList],
    replaces: ['redirect-off-host'],
  },
  'redirect-no-page': {
    severity: 'critical',
    title: 'The redirects lead to no page',
    detail: 'From {from} the redirects end at {url}: {reason}.',
    fix: 'Follow the redirects one by one, and fix the rule, or the cookie, that leads back or to no page.',
    references: ['RFC 9110 §15.4'],
    replaces: ['redirect-loop'],
  },
  'redirect-chain-long': {
    severity: 'low',
    title: 'There are more redirects than needed before the page',
    detail: 'From {from} there are {redirects} redirects. Each hop must send its own security headers.',
    fix: 'Redirect once to https and once to the final host.',
    references: ['RFC 9110 §15.4'],
    replaces: ['redirect-too-long'],
  },
});

/** Whether browsers keep to https by themselves the next time. */
export const hstsRules = inGroup('transport', {
  'hsts-missing': {
    severity: 'high',
    title: 'Strict-Transport-Security is missing',
    detail: '{url} does not tell browsers to use https only when they come back.',
    fix: 'Send Strict-Transport-Security with every https response. Start with a short max-age and raise it to a year.',
    references: ['RFC 6797 §7.1'],
  },
  'hsts-off': {
    severity: 'high',
    title: 'Strict-Transport-Security turns itself off',
    detail: 'The header that counts says max-age=0, which makes browsers forget the host.',
    fix: 'Send max-age=31536000.',
    references: ['RFC 6797 §6.1.1'],
  },
  'hsts-invalid': {
    severity: 'high',
    title: 'Strict-Transport-Security is not valid, so browsers ignore it',
    detail: 'The header that counts, "{value}", has {reason}.',
    fix: 'Send exactly one max-age in digits, e.g. max-age=31536000, and includeSubDomains without a value.',
    references: ['RFC 6797 §6.1'],
  },
  'hsts-short': {
    severity: 'medium',
    title: 'Strict-Transport-Security does not last long',
    detail: 'max-age is {seconds} s, less than 180 days. A visitor who comes back later is not protected.',
    fix: 'Raise max-age to 31536000, one year.',
    references: ['RFC 6797 §11.2', preloadList],
  },
  'hsts-duplicate': {
    severity: 'low',
    // Every browser is protected.
    share: 0.02,
    title: 'Strict-Transport-Security is sent more than once',
    detail: 'It is sent {count} times with the same meaning. Browsers use the first; other clients use none.',
    fix: 'Send it in one place. Two usually come from the application and a proxy in front of it.',
    references: ['RFC 6797 §8.1'],
  },
  'hsts-duplicate-conflict': {
    severity: 'medium',
    title: 'Strict-Transport-Security is sent with different values',
    detail: 'It is sent {count} times; browsers obey the first, "{value}", and ignore the rest.',
    fix: 'Send it in one place with the value you mean.',
    references: ['RFC 6797 §8.1'],
  },
  'hsts-over-http': {
    severity: 'info',
    title: 'Strict-Transport-Security is sent in clear text',
    detail: '{url} sends it over http, where browsers must ignore it.',
    fix: 'Send it on https answers only.',
    references: ['RFC 6797 §7.2', 'RFC 6797 §8.1'],
  },
  'hsts-not-on-first-hop': {
    severity: 'medium',
    title: 'The first https response sends no Strict-Transport-Security',
    detail:
      '{url} redirects without it, although the last host sends it. The address that people type stays unprotected.',
    fix: 'Send the header on redirects too.',
    references: ['RFC 6797 §7.1', preloadList],
  },
  'hsts-no-subdomains': {
    severity: 'low',
    title: 'Strict-Transport-Security does not cover the subdomains',
    detail: 'Without includeSubDomains a forged clear-text subdomain of {host} can set cookies for it.',
    fix: 'Add includeSubDomains once all subdomains answer over https.',
    references: ['RFC 6797 §14.4'],
  },
  'hsts-preload-ineligible': {
    severity: 'low',
    title: 'The conditions for HSTS preloading are not met',
    detail: 'The preload directive has no effect: {reason}.',
    fix: 'Meet the conditions, or remove the directive.',
    references: [preloadList],
  },
  'hsts-preloaded': {
    severity: 'info',
    title: 'Browsers only use https for this host',
    detail: '{host} is covered by the preload list.',
    fix: 'You do not need to do anything. Keep sending the header: the host needs it to stay on the list.',
    references: [preloadList],
  },
});
