import type { Rule } from '../../model/verdict.ts';
import { familyRules } from './families.ts';

const fetchStandard = (title: string, anchor: string) => ({
  title: `Fetch Standard: ${title}`,
  url: `https://fetch.spec.whatwg.org/#${anchor}`,
});
const htmlStandard = {
  title: 'HTML Standard: refresh pragma',
  url: 'https://html.spec.whatwg.org/multipage/semantics.html#attr-meta-http-equiv-refresh',
};
const locationInterface = {
  title: 'HTML Standard: the Location interface',
  url: 'https://html.spec.whatwg.org/multipage/nav-history-apis.html#the-location-interface',
};
const manyRedirects = {
  title: 'Lighthouse: Avoid multiple page redirects',
  url: 'https://developer.chrome.com/docs/lighthouse/performance/redirects',
};
const crawlerRedirects = {
  title: 'Google: how HTTP status codes affect Google’s crawlers',
  url: 'https://developers.google.com/search/docs/crawling-indexing/http-network-errors',
};
const linkDecoration = {
  title: 'Navigational-Tracking Mitigations: link decoration',
  url: 'https://privacycg.github.io/nav-tracking-mitigations/#terminology',
};

/** Everything that can be wrong with a redirect chain. Points: 50 the visitor does not arrive, gets a warning or leaves https; 15–40 ends in clear text or may be misled; 3–15 it costs trust or time; 0 informs, or leaves nothing to score. */
export const rules = {
  'https-downgrade': {
    severity: 'critical',
    points: 50,
    title: 'The chain leaves HTTPS',
    detail:
      'Hop {hop} sends the visitor from {from} to {to}. Anyone on the network can read and change what follows.',
    fix: 'Redirect to the https:// address.',
    references: ['RFC 9110 §4.2.2'],
  },
  'redirect-loop': {
    severity: 'critical',
    points: 50,
    title: 'The redirects form a loop',
    detail: 'Hop {hop} leads back to {to}: {reason}.',
    fix: 'Correct what keeps visitors in the loop: {advice}.',
    references: ['RFC 9110 §15.4'],
  },
  'redirect-too-many': {
    severity: 'critical',
    points: 50,
    title: 'The chain is longer than browsers follow',
    detail: 'There are {redirects} redirects in the chain. {outcome}',
    fix: 'Redirect straight to the final address.',
    references: [fetchStandard('HTTP-redirect fetch', 'http-redirect-fetch')],
  },
  'location-invalid': {
    severity: 'critical',
    points: 50,
    title: 'A redirect leads to an invalid URL',
    detail: 'Hop {hop} answers {status} with Location {location}. Browsers show an error page.',
    fix: 'Send an absolute URL, or a path that begins with /.',
    references: ['RFC 9110 §10.2.2'],
  },
  'location-ambiguous': {
    severity: 'critical',
    points: 50,
    title: 'A redirect names several addresses',
    detail:
      'Hop {hop} sends {count} different Location headers. Browsers show an error page; other clients follow the first.',
    fix: 'Send one Location. Two usually come from the application and a proxy in front of it.',
    references: ['RFC 9110 §5.3', fetchStandard('location URL', 'concept-response-location-url')],
  },
  'location-scheme-not-allowed': {
    severity: 'critical',
    points: 50,
    title: 'A redirect leads to a scheme that browsers refuse',
    detail: 'Hop {hop} leads to the scheme {scheme}. Browsers refuse such a redirect and show an error.',
    fix: 'Redirect to an http or https address.',
    references: [fetchStandard('HTTP-redirect fetch', 'http-redirect-fetch')],
  },
  'location-app-scheme': {
    severity: 'low',
    points: 5,
    title: 'A redirect leads to an app',
    detail:
      'Hop {hop} leads to the scheme {scheme}. Browsers offer it to an app that has registered this scheme. A visitor without the app gets no page.',
    fix: 'Redirect to an https address that the app claims (App Links, Universal Links). It opens a page if the app is missing.',
    references: [
      {
        title: 'HTML Standard: hand-off to external software',
        url: 'https://html.spec.whatwg.org/multipage/browsing-the-web.html#hand-off-to-external-software',
      },
    ],
  },
  'certificate-not-trusted': {
    severity: 'critical',
    points: 50,
    title: 'A hop’s certificate is not trusted',
    detail:
      'Browsers refuse the certificate at {url} ({reason}). Visitors see a warning instead of the redirect.',
    fix: 'Install a certificate for this name from a public CA, with its full chain. A redirect needs a valid certificate on both hosts.',
    references: ['RFC 9110 §4.3.4'],
  },
  'http-not-upgraded': {
    severity: 'high',
    points: 30,
    title: 'The chain ends without HTTPS',
    detail: 'The visitor ends at {url}, over unencrypted HTTP.',
    fix: 'Serve the site over https and answer every http:// request with 301 to the same path at https://.',
    references: ['RFC 9110 §4.2.2', 'RFC 6797 §7.2'],
    replaces: ['https-missing'],
  },
  'target-error-status': {
    severity: 'high',
    points: 0,
    title: 'The last page answers with an error',
    detail:
      'The chain ends at {url} with status {status}. The redirects up to there were judged. The page was not seen, so there is no score.',
    fix: 'Redirect to a page that exists, or fix the page.',
    references: ['RFC 9110 §15.5', 'RFC 9110 §15.6'],
    replaces: ['target-broken'],
  },
  'target-is-default-page': {
    severity: 'medium',
    points: 0,
    title: 'No site is set up for this name',
    detail:
      '{url} answers with {shown}. The redirects up to there were judged. There is no page of a site, so there is no score.',
    fix: 'Set up the site for this name at the server, or point the name in DNS at the server that has it.',
    references: ['RFC 9110 §7.2'],
  },
  'target-no-document': {
    severity: 'medium',
    points: 0,
    title: 'The front page is not a web page',
    detail:
      '{url} answers {status} with {type}. The redirects up to there were judged. There is no page, so there is no score.',
    fix: 'Serve an HTML page with Content-Type: text/html, or check the address of a page.',
    references: ['RFC 9110 §8.3', 'RFC 9110 §15.3.5'],
  },
  'target-blocks-checks': {
    severity: 'medium',
    points: 0,
    title: 'Something other than the page answered',
    detail:
      '{url} answered {status}: {reason}. The redirects up to there were judged. The page itself was not seen, so there is no score.',
    fix: 'Allow requests whose User-Agent contains "DiagnosticTools" in your firewall or bot protection, then run the check again. If the page needs a login, check an address that does not.',
    references: ['RFC 9110 §15.5', 'RFC 6585 §4'],
  },
  'target-body-broken': {
    severity: 'medium',
    points: 15,
    title: 'The last page cannot be read to its end',
    detail: 'The body of {url} {reason}.',
    fix: 'Send the whole body, with the length in Content-Length and the coding in Content-Encoding.',
    references: ['RFC 9110 §8.4', 'RFC 9112 §6.3'],
  },
  'redirect-to-nowhere': {
    severity: 'high',
    points: 50,
    title: 'A redirect leads nowhere',
    detail: 'Hop {hop} sends the visitor from {from} to {url}: {reason}. Browsers show an error page.',
    fix: 'Correct the rule that makes this address. Look for a variable that is empty, an address that is put behind another one, a missing slash behind the host, and an address of a developer’s machine.',
    references: ['RFC 9110 §10.2.2', 'RFC 1123 §2.1', 'RFC 6761 §6.3'],
  },
  'target-unreachable': {
    severity: 'high',
    points: 0,
    title: 'A hop gave no answer',
    detail: '{url} could not be asked: {reason}.',
    fix: 'Check that the name resolves, that the server listens on this port, and that no firewall blocks visitors from other networks.',
    references: ['RFC 9110 §7.3.3'],
  },
  'target-address-not-allowed': {
    severity: 'high',
    points: 0,
    title: 'A hop leads to an address that is not public',
    detail: 'The host of hop {hop} resolves to a private or reserved address. No connection was made.',
    fix: 'Point the name at a public address, or redirect elsewhere. Visitors on the internet cannot reach a private one.',
    references: ['RFC 6890 §2.2.2'],
  },
  'target-not-allowed': {
    severity: 'medium',
    points: 0,
    title: 'A hop leads to an address that this service does not check',
    detail: 'Hop {hop} was not asked: {reason}. {outcome}',
    fix: 'Redirect to a public name, at a common web port.',
    references: ['RFC 6761 §6', fetchStandard('port blocking', 'port-blocking')],
  },
  'answer-malformed': {
    severity: 'medium',
    points: 10,
    title: 'An answer breaks the grammar of HTTP',
    detail:
      'The answer of hop {hop} breaks the grammar of HTTP ({reason}). Browsers read it all the same, and so did this check at a second try. Stricter clients, proxies and delivery networks refuse it.',
    fix: 'Begin with a status line such as "HTTP/1.1 200 OK", end each header line with CR LF, send only fields of the form "name: value", and Content-Length once. Such answers usually come from scripts or devices that write HTTP by hand.',
    references: ['RFC 9112 §2.2', 'RFC 9112 §5'],
  },
  'location-credentials': {
    severity: 'high',
    points: 20,
    title: 'A redirect contains a user name or password',
    detail:
      'The Location of hop {hop} contains credentials. They end up in browser histories, logs and Referer headers.',
    fix: 'Remove the user information from the URL.',
    references: ['RFC 9110 §4.2.4'],
  },
  'location-lure': {
    severity: 'high',
    points: 30,
    title: 'A redirect names another host than the one it leads to',
    detail:
      'The Location of hop {hop} begins with {lure}, but that is a user name. The redirect leads to {host}. Phishing uses such addresses, because readers take the first name for the host. Browsers follow them.',
    fix: 'Remove everything before the @. If you did not write this address, look for an open redirect or a changed configuration.',
    references: ['RFC 3986 §7.6', 'RFC 9110 §4.2.4'],
  },
  'location-missing': {
    severity: 'medium',
    points: 15,
    title: 'A redirect has no Location',
    detail: 'Hop {hop} answers {status} without a Location. Browsers show its body, which is often empty.',
    fix: 'Send a Location, or a status that does not redirect.',
    references: ['RFC 9110 §15.4'],
  },
  'location-empty': {
    severity: 'medium',
    points: 15,
    title: 'A redirect has an empty Location',
    detail:
      'Hop {hop} answers {status} with an empty Location. Browsers show its body as if there were none.',
    fix: 'Send the intended address.',
    references: ['RFC 9110 §10.2.2'],
  },
  'location-too-long': {
    severity: 'medium',
    points: 10,
    title: 'A redirect leads to a very long address',
    detail:
      'Hop {hop} leads to an address of {length} characters. Many servers and proxies refuse addresses of more than 8,000 characters. {outcome}',
    fix: 'Keep state in a cookie, or on the server under a short key.',
    references: ['RFC 9110 §4.1'],
  },
  'location-slashes': {
    severity: 'low',
    points: 5,
    title: 'A Location lacks a slash, or has one too many',
    detail:
      'Hop {hop} sends Location {location}. A scheme is followed by two slashes. Browsers go to {to}; other clients may read it differently.',
    fix: 'Send https:// and the host, or a path that begins with one slash.',
    references: [
      'RFC 9110 §4.2.2',
      {
        title: 'URL Standard: special authority slashes state',
        url: 'https://url.spec.whatwg.org/#special-authority-slashes-state',
      },
    ],
  },
  'location-not-encoded': {
    severity: 'low',
    points: 3,
    title: 'A Location is not a valid URI reference',
    detail:
      'The Location of hop {hop} has characters that are not allowed in a URL. Each client repairs them in its own way.',
    fix: 'Percent-encode spaces, non-ASCII characters (as UTF-8), and each percent sign that is not part of an escape.',
    references: ['RFC 3986 §2.1', 'RFC 9110 §10.2.2'],
  },
  'redirect-status-not-followed': {
    severity: 'medium',
    points: 15,
    title: 'A status that browsers do not follow carries a Location',
    detail: 'Hop {hop} answers {status}. Browsers only follow 301, 302, 303, 307 and 308.',
    fix: 'Answer 301 or 308 for a permanent move, 302 or 307 for a temporary one.',
    references: [fetchStandard('redirect status', 'redirect-status')],
  },
  'redirect-cookie-required': {
    severity: 'medium',
    points: 15,
    title: 'The page cannot be reached without cookies',
    detail:
      '{url} redirects to itself until a cookie comes back. Crawlers and visitors without cookies never get the page.',
    fix: 'Serve the page even if the cookie is missing.',
    references: ['RFC 6265 §7.1'],
  },
  'redirect-open-suspected': {
    severity: 'medium',
    points: 10,
    title: 'The server may redirect to any address in its query',
    detail: 'Hop {hop} leads to {host}, which was in the query of the request as {parameter}.',
    fix: 'Redirect only to addresses on a list, or to paths of your own site. Attackers use open redirects for phishing.',
    references: [{ title: 'CWE-601', url: 'https://cwe.mitre.org/data/definitions/601.html' }],
  },
  'redirect-chain-slow': {
    severity: 'high',
    points: 0,
    title: 'The chain takes too long',
    detail: 'The chain had not ended after {seconds} s, at hop {hop}. The rest was not checked.',
    fix: 'Shorten the chain. `hops` shows which hop is slow.',
    references: [manyRedirects],
  },
  'redirect-chain-long': {
    severity: 'low',
    points: 10,
    title: 'The chain has more redirects than needed',
    detail:
      'There are {redirects} redirects. Two are enough: one for https and one for the host. Each redirect costs a round trip, and a new connection where the host changes.',
    fix: 'Redirect to the final address at once.',
    references: ['RFC 9110 §15.4'],
  },
  'redirect-chain-very-long': {
    severity: 'medium',
    points: 15,
    title: 'The chain is longer than some clients follow',
    detail:
      'There are {redirects} redirects. Some clients give up after five, as an early version of HTTP asked them to. Browsers wait a round trip for each, and for a new connection where the host changes.',
    fix: 'Redirect to the final address at once.',
    references: ['RFC 9110 §15.4', 'RFC 9309 §2.3.1.2', manyRedirects],
  },
  'redirect-chain-past-crawlers': {
    severity: 'high',
    points: 40,
    title: 'The chain is longer than search engines follow',
    detail:
      'There are {redirects} redirects. Google’s crawlers give up after ten, so the page is not indexed by this address. Browsers give up after 20.',
    fix: 'Redirect to the final address at once.',
    references: ['RFC 9110 §15.4', crawlerRedirects],
  },
  'redirect-temporary': {
    severity: 'low',
    points: 5,
    title: 'A permanent redirect is sent as a temporary one',
    detail:
      'Hop {hop} only changes {change}, with status {status}. Browsers and search engines ask again each time.',
    fix: 'Answer 301, or 308 if the method must be kept.',
    references: ['RFC 9110 §15.4.2', 'RFC 9110 §15.4.9'],
  },
  'https-upgrade-late': {
    severity: 'low',
    points: 5,
    title: 'The chain changes the host before it changes to HTTPS',
    detail: '{from} leads to {to} still in clear text. The first host never sends Strict-Transport-Security.',
    fix: 'Redirect http to https on the same host first, then to the other host.',
    references: ['RFC 6797 §7.2'],
  },
  'redirect-client-side': {
    severity: 'low',
    points: 5,
    title: 'A page redirects instead of the server',
    detail:
      'Hop {hop} sends the visitor on by {via}. It needs the whole page first, and breaks the back button.',
    fix: 'Answer with a 301 or 302 status and a Location instead.',
    references: [htmlStandard],
  },
  'redirect-client-side-delayed': {
    severity: 'info',
    points: 0,
    title: 'The page redirects after a delay',
    detail: 'The last page sends the visitor to {to} after {seconds} s. It was not followed.',
    fix: 'If the page has moved, redirect by status. A page that changes while someone reads it fails WCAG 2.2.1.',
    references: [
      htmlStandard,
      { title: 'WCAG 2.2: 2.2.1', url: 'https://www.w3.org/TR/WCAG22/#timing-adjustable' },
    ],
  },
  'redirect-javascript-suspected': {
    severity: 'info',
    points: 0,
    title: 'The page may redirect by script',
    detail:
      'A script of {url} seems to send the visitor to {to} as the page loads. The script was not run, so this is a guess.',
    fix: 'Redirect by status. Clients without scripts stay on this page.',
    references: [locationInterface],
  },
  'redirect-path-not-kept': {
    severity: 'low',
    points: 3,
    title: 'A redirect drops the path',
    detail: 'Hop {hop} leads from {from} to the front page of {host}.',
    fix: 'Keep path and query when the scheme or host changes. Otherwise deep links and search results break.',
    references: ['RFC 9110 §15.4.2'],
  },
  'redirect-cross-site': {
    severity: 'info',
    points: 0,
    title: 'The chain leads to another site',
    detail: 'Hop {hop} leads from {from} to {to}.',
    fix: 'You do not need to do anything if both sites are yours.',
    references: [{ title: 'Public Suffix List', url: 'https://publicsuffix.org/' }],
  },
  'redirect-tracking-parameters': {
    severity: 'info',
    points: 0,
    title: 'A redirect adds tracking parameters',
    detail:
      'Hop {hop} adds {parameters} to the address. Shared links and caches then differ by these parameters.',
    fix: 'Remove the parameters at the last hop, or count visits on the server.',
    references: ['RFC 9111 §2', linkDecoration],
  },
  'hsts-over-http': {
    severity: 'info',
    points: 0,
    title: 'Strict-Transport-Security is sent in clear text',
    detail: '{url} sends it over http, where browsers must ignore it.',
    fix: 'Send it on https answers.',
    references: ['RFC 6797 §8.1'],
  },
  'hsts-upgrades-browser': {
    severity: 'low',
    points: 5,
    title: 'A redirect leads to http, and only HSTS keeps browsers on https',
    detail:
      'Hop {hop} leads to {url}. Browsers request {to} instead, because {reason}, and this chain was followed as they do. Clients that do not keep HSTS, such as many crawlers and apps, send this request in clear text.',
    fix: 'Redirect to the https address.',
    references: ['RFC 6797 §8.3', 'RFC 9110 §4.2.2'],
  },
  'canonical-differs': {
    severity: 'info',
    points: 0,
    title: 'The last page names another address as canonical',
    detail: 'The chain ends at {url}. Its canonical link is {canonical}.',
    fix: 'Redirect to the canonical address, or correct the link.',
    references: ['RFC 6596 §3'],
  },
  ...familyRules,
  'client-dependent': {
    severity: 'info',
    points: 0,
    title: 'The answer depends on the User-Agent',
    detail:
      '{url} answers {status} {location} to the chosen client, and {ownStatus} {ownLocation} to our own User-Agent. Each was asked once.',
    fix: 'You do not need to do anything if this is intended. Otherwise serve the same page to all clients, and send Vary: User-Agent where answers differ.',
    references: ['RFC 9110 §10.1.5', 'RFC 9110 §12.5.5'],
  },
  'target-rate-limits': {
    severity: 'info',
    points: 0,
    title: 'The target limits our requests',
    detail: '{url} answers 429, so what visitors see was not checked.',
    fix: 'Allow the User-Agent of this check, or run it again later.',
    references: ['RFC 6585 §4'],
  },
} as const satisfies Record<string, Rule>;

export type RedirectCode = keyof typeof rules;
