import { familyRules } from '../../redirect-check/families.ts';
import { inGroup } from '../groups.ts';
import { cookieDraft, htmlStandard } from './references.ts';

/** What the answers tell about the machines behind them, and headers that no longer help. */
export const leakageRules = inGroup('leakage', {
  'leak-internal-host': {
    severity: 'medium',
    title: 'A header shows an internal host or address',
    detail: '{header} says "{value}".',
    fix: 'Remove the header at the outermost proxy, or the host from its value.',
    references: [
      'RFC 9110 §7.6.3',
      { title: 'CWE-200', url: 'https://cwe.mitre.org/data/definitions/200.html' },
    ],
  },
  'leak-version': {
    severity: 'low',
    title: 'A header shows a software version',
    detail: '{header} says "{value}". Attackers can look up the vulnerabilities of that version.',
    fix: 'Shorten it to the product name, or remove it.',
    references: ['RFC 9110 §10.2.4', 'RFC 9110 §17.12'],
  },
  'leak-product': {
    severity: 'info',
    title: 'A header shows which software is used',
    detail: '{header} says "{value}".',
    fix: 'Remove it if nothing needs it.',
    references: ['RFC 9110 §10.2.4'],
  },
  'leak-sourcemap': {
    severity: 'info',
    title: 'A header points to the source code',
    detail: '{header} names {value}.',
    fix: 'Do not publish source maps of code that is not public.',
    references: [{ title: 'ECMA-426: source map', url: 'https://tc39.es/ecma426/' }],
  },
  'deprecated-harmful': {
    severity: 'low',
    title: 'An obsolete header is harmful',
    detail: '{header}: {value}. {reason}.',
    fix: 'Remove it. For X-XSS-Protection, the value 0 is harmless.',
    references: [
      {
        title: 'OWASP Secure Headers: deprecated headers',
        url: 'https://owasp.org/www-project-secure-headers/#div-headers',
      },
    ],
  },
  'directory-listing': {
    severity: 'medium',
    title: 'The server lists its files',
    detail: '{url} is a list of files that the server made itself, as there is no start page.',
    fix: 'Put a start page there, or switch the list off (nginx: autoindex off; Apache: Options -Indexes).',
    references: [{ title: 'CWE-548', url: 'https://cwe.mitre.org/data/definitions/548.html' }],
  },
  'deprecated-useless': {
    severity: 'info',
    title: 'A header is obsolete',
    detail: '{header} is no longer of use: {reason}.',
    fix: 'Remove it.',
    references: [
      {
        title: 'OWASP Secure Headers: deprecated headers',
        url: 'https://owasp.org/www-project-secure-headers/#div-headers',
      },
    ],
  },
});

/** How the header section itself is made. No points: it protects from nothing. */
export const hygieneRules = inGroup('hygiene', {
  'headers-too-large': {
    severity: 'medium',
    title: 'The header section is larger than many clients accept',
    detail: '{url} sends {bytes} bytes of headers. Clients with the usual limit of 16 KiB show an error.',
    fix: 'Shorten the longest: {longest}.',
    references: ['RFC 9110 §5.4'],
  },
  'headers-large': {
    severity: 'low',
    title: 'The header section is large',
    detail: '{url} sends {bytes} bytes of headers. Many proxies stop at 8 KiB.',
    fix: 'Shorten the longest: {longest}.',
    references: ['RFC 9110 §5.4'],
  },
  'cookie-attributes-alone': {
    severity: 'low',
    title: 'A Set-Cookie line has attributes and no cookie',
    detail:
      '{url} sends Set-Cookie: {value}. Browsers keep it as a cookie of its own, so the attributes cover no other cookie.',
    fix: 'Write the attributes into the line of the cookie that they are for, behind its value: Set-Cookie: name=value; Path=/; Secure; HttpOnly.',
    references: [cookieDraft('the Set-Cookie field', 'section-5.6')],
  },
  'clear-site-data-skipped': {
    severity: 'low',
    title: 'Clear-Site-Data names something that browsers skip',
    detail: 'Clear-Site-Data has {value}, but {reason}. Browsers do not clear it.',
    fix: 'Write each type in double quotes, as in Clear-Site-Data: "cookies", "storage".',
    references: [
      {
        title: 'Clear Site Data: parsing',
        url: 'https://www.w3.org/TR/clear-site-data/#parsing',
      },
    ],
  },
  'header-malformed': {
    severity: 'low',
    title: 'A header has bytes that are not allowed',
    detail: '{header} has {reason} at position {offset}.',
    fix: 'Send visible ASCII only; encode the rest.',
    references: ['RFC 9110 §5.5'],
  },
});

/** Whether there was anything to judge. */
export const targetRules = inGroup('target', {
  'target-unreachable': {
    severity: 'high',
    title: 'The address gave no answer',
    detail: '{url} could not be asked: {reason}.',
    fix: 'Check that the name resolves, that the server listens, and that no firewall blocks visitors from other networks.',
    references: ['RFC 9110 §3.3'],
  },
  'target-address-not-allowed': {
    severity: 'high',
    title: 'The address is not public',
    detail: 'The host of {url} resolves to a private or reserved address. No connection was made.',
    fix: 'Point the name at a public address. Visitors on the internet cannot reach a private one.',
    references: ['RFC 6890 §2.2.2'],
  },
  'target-not-allowed': {
    severity: 'medium',
    title: 'This service does not check the address',
    detail: '{url} was not asked: {reason}.',
    fix: 'Use a public name and a common web port.',
    references: ['RFC 9110 §4.2'],
  },
  'target-blocks-checks': {
    severity: 'medium',
    title: 'Something other than the page answered',
    detail:
      '{url} answered {status}: {reason}. The headers of the page that visitors get were not seen, so there is no score.',
    fix: 'Allow requests whose User-Agent contains "DiagnosticTools" in your firewall or bot protection, then run the check again. If the page needs a login, check an address that does not.',
    references: ['RFC 9110 §15.5', 'RFC 6585 §4'],
  },
  'target-other-site': {
    severity: 'info',
    title: 'The page that was judged is on another site',
    detail: '{from} leads to {url}, which belongs to {site}. The headers judged here are those of that site.',
    fix: 'If the other site is not yours, check a page of your own site instead.',
    references: [{ title: 'Public Suffix List', url: 'https://publicsuffix.org/' }],
  },
  'redirect-client-side': {
    severity: 'low',
    title: 'A page redirects instead of the server',
    detail:
      '{from} sends the visitor on to {to} by {via}. The page at the end is the one that was judged. This one needs the same headers, because it is loaded first.',
    fix: 'Answer with a 301 or 302 status and a Location instead.',
    references: [
      htmlStandard(
        'shared declarative refresh steps',
        'document-lifecycle.html#shared-declarative-refresh-steps',
      ),
    ],
  },
  'target-error-status': {
    severity: 'high',
    title: 'The address answers with an error',
    detail: '{url} answers {status}. The page that visitors want was not seen, so there is no score.',
    fix: 'Check an address that answers 200, or allow the User-Agent of this check.',
    references: ['RFC 9110 §15.5', 'RFC 9110 §15.6'],
  },
  'target-differs-by-visitor': {
    severity: 'info',
    title: 'The answer depends on who asks',
    detail:
      '{url} depends on {subject}: {reason}. Visitors who differ in that may get other headers than this check.',
    fix: 'You do not need to do anything if every variant sends the same security headers.',
    references: ['RFC 9110 §12.5.5', 'RFC 9110 §12.1'],
  },
  'target-is-default-page': {
    severity: 'medium',
    title: 'No site is set up for this name',
    detail: '{url} answers with {shown}. The page says nothing of a site, so there is no score.',
    fix: 'Set up the site for this name at the server, or point the name in DNS at the server that has it.',
    references: ['RFC 9110 §7.2'],
  },
  'target-no-document': {
    severity: 'medium',
    title: 'The front page is not a web page',
    detail: '{url} answers {status} with {type}. There is no page to judge, so there is no score.',
    fix: 'Serve an HTML page with Content-Type: text/html, or check the address of a page.',
    references: ['RFC 9110 §8.3', 'RFC 9110 §15.3.5'],
  },
  ...familyRules,
});
