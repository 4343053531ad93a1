import { Token } from 'structured-headers';
import { isMalformed } from '#shared/model/verdict';
import { readItem } from '../../grammar/structured.ts';
import type { OutcomeOf } from './chart.ts';
import type { ObservatoryChain, ObservatoryView } from './view.ts';

/** Its HSTS test: the joined value, no comma allowed, max-age by parseInt, which reads "31536000abc" and not "oneyear" as short. */
export function testHsts({
  https,
  preloadOf,
  start,
}: ObservatoryView): OutcomeOf<'strict-transport-security'> {
  if (https && preloadOf(start.hostname) === 'listed') return 'hsts-preloaded';
  if (!https) return 'hsts-not-implemented-no-https';
  if (!https.verified) return 'hsts-invalid-cert';
  const value = https.headers.fields.get('strict-transport-security')?.slice(0, 1024);
  return value === undefined ? 'hsts-not-implemented' : readHsts(value);
}

function readHsts(value: string): OutcomeOf<'strict-transport-security'> {
  const ages = value
    .split(';')
    .map((part) => part.trim().toLowerCase())
    .filter((part) => part.startsWith('max-age='));
  const last = ages.at(-1);
  if (value.includes(',') || last === undefined) return 'hsts-header-invalid';
  // NaN is not below the bound, so "oneyear" passes as long enough.
  return Number.parseInt(last.slice(8, 128), 10) < 15_552_000
    ? 'hsts-implemented-max-age-less-than-six-months'
    : 'hsts-implemented-max-age-at-least-six-months';
}

/** Its redirection test, on the chain that begins at http. */
export function testRedirection({ http, preloadOf }: ObservatoryView): OutcomeOf<'redirection'> {
  if (!http) return 'redirection-not-needed-no-http';
  if (!http.verified) return 'redirection-invalid-cert';
  const urls = http.route.map(({ url }) => new URL(url));
  const [first, second] = urls;
  if (urls.every(({ hostname }) => preloadOf(hostname) === 'listed'))
    return 'redirection-all-redirects-preloaded';
  if (!first || !second) return 'redirection-missing';
  if (urls.at(-1)?.protocol !== 'https:') return 'redirection-not-to-https';
  if (second.protocol === 'http:') return 'redirection-not-to-https-on-initial-redirection';
  const leaves = first.protocol === 'http:' && first.hostname !== second.hostname;
  return leaves ? 'redirection-off-host-from-http' : 'redirection-to-https';
}

const privatePolicies = ['no-referrer', 'same-origin', 'strict-origin', 'strict-origin-when-cross-origin'];
const loosePolicies = ['origin', 'origin-when-cross-origin', 'unsafe-url', 'no-referrer-when-downgrade'];

/** Its referrer test: header and last meta element in one list, the last known word counts; legacy words are unknown to it. */
export function testReferrer({ graded, metas }: ObservatoryView): OutcomeOf<'referrer-policy'> {
  const header = graded.headers.fields.get('referrer-policy');
  if (header === undefined && metas.referrer === undefined) return 'referrer-policy-not-implemented';
  const words = [header, metas.referrer]
    .flatMap((text) => text?.split(',') ?? [])
    .map((word) => word.toLowerCase().trim());
  const last = words.findLast((word) => privatePolicies.includes(word) || loosePolicies.includes(word));
  if (last === undefined) return 'referrer-policy-header-invalid';
  return privatePolicies.includes(last) ? 'referrer-policy-private' : 'referrer-policy-unsafe';
}

/** Its sniffing test: a joined "nosniff, nosniff" is invalid to it. */
export function testNosniff({ graded }: ObservatoryView): OutcomeOf<'x-content-type-options'> {
  const value = graded.headers.fields.get('x-content-type-options');
  if (!value) return 'x-content-type-options-not-implemented';
  const isGood = value.slice(0, 256).trim().toLowerCase() === 'nosniff';
  return isGood ? 'x-content-type-options-nosniff' : 'x-content-type-options-header-invalid';
}

/** Its framing test: any frame-ancestors, also *, also in a meta element, passes. */
export function testFraming(
  { graded }: ObservatoryView,
  hasAncestors: boolean,
): OutcomeOf<'x-frame-options'> {
  if (hasAncestors) return 'x-frame-options-implemented-via-csp';
  const sent = graded.headers.fields.get('x-frame-options');
  if (!sent) return 'x-frame-options-not-implemented';
  const value = sent.slice(0, 1024).trim().toLowerCase();
  if (value === 'deny' || value === 'sameorigin') return 'x-frame-options-sameorigin-or-deny';
  return value.startsWith('allow-from')
    ? 'x-frame-options-allow-from-origin'
    : 'x-frame-options-header-invalid';
}

/** Its CORS test; its worst result, for a reflected origin with credentials, compares with a header that is never there. */
export function testCors({ cors }: ObservatoryView): OutcomeOf<'cross-origin-resource-sharing'> {
  const value = cors?.fields.get('access-control-allow-origin');
  if (!value) return 'cross-origin-resource-sharing-not-implemented';
  return value.slice(0, 256).trim() === '*'
    ? 'cross-origin-resource-sharing-implemented-with-public-access'
    : 'cross-origin-resource-sharing-implemented-with-restricted-access';
}

/** Its opener-policy test. */
export function testOpener({ graded }: ObservatoryView): OutcomeOf<'cross-origin-opener-policy'> {
  const known = ['same-origin', 'same-origin-allow-popups', 'noopener-allow-popups', 'unsafe-none'] as const;
  const word = readToken(graded, 'cross-origin-opener-policy');
  if (word === undefined) return 'coop-not-implemented';
  const policy = known.find((each) => each === word);
  return policy ? `coop-implemented-with-${policy}` : 'coop-header-invalid';
}

/** Its embedder-policy test. */
export function testEmbedder({ graded }: ObservatoryView): OutcomeOf<'cross-origin-embedder-policy'> {
  const known = ['require-corp', 'credentialless', 'unsafe-none'] as const;
  const word = readToken(graded, 'cross-origin-embedder-policy');
  if (word === undefined) return 'coep-not-implemented';
  const policy = known.find((each) => each === word);
  return policy ? `coep-implemented-with-${policy}` : 'coep-header-invalid';
}

/** Its resource-policy test, blind to letter case. */
export function testResource({ graded }: ObservatoryView): OutcomeOf<'cross-origin-resource-policy'> {
  const known = ['same-origin', 'same-site', 'cross-origin'] as const;
  const value = graded.headers.fields.get('cross-origin-resource-policy')?.slice(0, 256).trim().toLowerCase();
  if (!value) return 'corp-not-implemented';
  const policy = known.find((each) => each === value);
  return policy ? `corp-implemented-with-${policy}` : 'corp-header-invalid';
}

// undefined where the field is absent or empty, null where it is no token.
function readToken({ headers }: ObservatoryChain, name: string): string | null | undefined {
  const value = headers.fields.get(name);
  if (!value) return undefined;
  const read = readItem(value.slice(0, 1024).trim());
  if (isMalformed(read)) return null;
  const [word] = read.item;
  return word instanceof Token ? word.toString() : null;
}
