import { inGroup } from '../groups.ts';
import { fetchStandard, htmlStandard } from './references.ts';

const corsCheck = fetchStandard('CORS check', 'concept-cors-check');
const corsHeaders = fetchStandard('HTTP responses', 'http-responses');
const coop = htmlStandard('cross-origin opener policies', 'browsers.html#cross-origin-opener-policies');
const coep = htmlStandard('embedder policies', 'browsers.html#coep');
const documentIsolation = {
  title: 'Document-Isolation-Policy',
  url: 'https://wicg.github.io/document-isolation-policy/',
};
const corp = fetchStandard('Cross-Origin-Resource-Policy', 'cross-origin-resource-policy-header');

/** What other sites' scripts may read of the answers. Asked with an origin that cannot exist, with "null", and with some that look like the page's own. */
export const corsRules = inGroup('cors', {
  'cors-reflects-origin-credentials': {
    severity: 'critical',
    title: 'Sites of strangers may read answers with the visitor’s cookies',
    detail:
      'For a {method} request with the made-up origin {origin}, the server allows that origin and sends Allow-Credentials: true.',
    fix: 'Allow only origins on a list of your own, and compare whole origins.',
    references: [corsCheck, { title: 'CWE-942', url: 'https://cwe.mitre.org/data/definitions/942.html' }],
  },
  'cors-null-credentials': {
    severity: 'critical',
    title: 'Sandboxed frames of every site may read answers with the visitor’s cookies',
    detail: 'The origin "null" is allowed with credentials. Any site can send it from a sandboxed frame.',
    fix: 'Never allow the origin null.',
    references: [corsCheck, { title: 'CWE-942', url: 'https://cwe.mitre.org/data/definitions/942.html' }],
  },
  'cors-reflects-origin': {
    severity: 'medium',
    title: 'Origins of strangers are allowed',
    detail:
      'For a {method} request with the made-up origin {origin}, the server allows that origin, without credentials.',
    fix: 'Send * if the content is public. Otherwise allow only origins on a list.',
    references: [corsCheck],
  },
  'cors-wildcard-credentials': {
    severity: 'low',
    title: 'Credentials are allowed for every origin, which browsers refuse',
    detail: 'Access-Control-Allow-Origin: * and Allow-Credentials: true cannot work together.',
    fix: 'Remove Allow-Credentials, or list the origins.',
    references: [corsCheck],
  },
  'cors-multiple-origins': {
    severity: 'low',
    title: 'Access-Control-Allow-Origin has several values, so no origin matches',
    detail: 'Browsers compare its value "{value}" as a whole. No origin is equal to it.',
    fix: 'Send the one origin that asked, if it is on your list.',
    references: [corsCheck],
  },
  'cors-origin-invalid': {
    severity: 'low',
    title: 'Access-Control-Allow-Origin is no origin, so no origin matches',
    detail:
      'Its value is "{value}". Browsers compare it with the Origin that they send, octet by octet: scheme and host in lower case, no path, no slash at the end, no wildcard, no port that is the scheme’s own.',
    fix: 'Send the one origin that asked, if it is on your list: https://app.example.com.',
    references: [corsCheck, 'RFC 6454 §6.2'],
  },
  'cors-vary-missing': {
    severity: 'low',
    title: 'The response depends on Origin, but caches do not know that',
    detail:
      'Access-Control-Allow-Origin is {value}, without Vary: Origin. A cache gives the response to other origins.',
    fix: 'Send Vary: Origin with every response at this address.',
    references: [
      fetchStandard('CORS protocol and HTTP caches', 'cors-protocol-and-http-caches'),
      corsHeaders,
    ],
  },
});

/** Whether windows and processes of other sites are kept apart from this page. */
export const isolationRules = inGroup('isolation', {
  'coop-missing': {
    severity: 'info',
    title: 'Cross-Origin-Opener-Policy is missing',
    detail: 'A site that opens this page keeps a handle on its window.',
    fix: 'Send Cross-Origin-Opener-Policy: same-origin, or same-origin-allow-popups.',
    references: [coop],
  },
  'coop-invalid': {
    severity: 'low',
    title: 'Cross-Origin-Opener-Policy is not valid, so it has no effect',
    detail: '"{value}": {reason}.',
    fix: 'Send same-origin, same-origin-allow-popups or noopener-allow-popups once, in lower case, without quotes.',
    references: [coop, 'RFC 9651 §3.3.4'],
  },
  'coep-invalid': {
    severity: 'low',
    title: 'Cross-Origin-Embedder-Policy is not valid, so it has no effect',
    detail: '"{value}": {reason}.',
    fix: 'Send require-corp or credentialless once, in lower case, without quotes.',
    references: [coep, 'RFC 9651 §3.3.4'],
  },
  'coep-without-coop': {
    severity: 'info',
    title: 'Cross-Origin-Embedder-Policy is used without Cross-Origin-Opener-Policy',
    detail: 'With Cross-Origin-Embedder-Policy {value} alone the page is not cross-origin isolated.',
    fix: 'Add Cross-Origin-Opener-Policy: same-origin.',
    references: [coop, coep],
  },
  'corp-invalid': {
    severity: 'low',
    title: 'Cross-Origin-Resource-Policy is not valid, so it has no effect',
    detail: '"{value}": {reason}.',
    fix: 'Send same-origin, same-site or cross-origin, once, in lower case.',
    references: [corp],
  },
  'corp-missing': {
    severity: 'info',
    title: 'Cross-Origin-Resource-Policy is missing',
    detail: 'Other sites may load this answer into their pages as an image or script.',
    fix: 'Send Cross-Origin-Resource-Policy: same-origin, or same-site.',
    references: [corp],
  },
  'dip-invalid': {
    severity: 'low',
    title: 'Document-Isolation-Policy is not valid, so it has no effect',
    detail: '"{value}": {reason}.',
    fix: 'Send isolate-and-require-corp or isolate-and-credentialless once, in lower case, without quotes.',
    references: [documentIsolation, 'RFC 9651 §3.3.4'],
  },
  'isolation-ok': {
    severity: 'info',
    title: 'The page is cross-origin isolated',
    detail: '{outcome}',
    fix: 'You do not need to do anything.',
    references: [
      htmlStandard('cross-origin isolation', 'document-sequences.html#cross-origin-isolation-mode'),
    ],
  },
});
