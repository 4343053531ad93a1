import type { hygieneRules, leakageRules } from '#shared/catalogue/security-header-check/rules/leakage';
import { brokenBy, type Evidence, notTested, type Verdict, type Verdicts } from '#shared/model/verdict';
import { classifyAddress } from '#shared/targets/classify-address';
import { isDottedQuad } from '../../../web/address-host.ts';
import { type HeaderLine, valuesOf } from '../../../web/fields.ts';
import { maskSetCookie } from '../../../web/mask-cookie.ts';
import { type HopFacts, type PageFacts, whyHeadUnread } from '../facts/page.ts';
import { findSkippedTypes } from '../grammar/clear-site-data.ts';
import { cut, fieldAt, where } from './verdict-tables.ts';

// Headers in which servers, frameworks and content systems name themselves.
const productHeaders: ReadonlySet<string> = new Set(
  `server x-powered-by x-aspnet-version x-aspnetmvc-version x-generator x-php-version x-powered-cms x-cms x-drupal-version
  x-mod-pagespeed x-page-speed x-jenkins x-hudson liferay-portal x-owa-version x-oracle-dms-ecid x-varnish-server x-framework
  x-turbo-charged-by x-litespeed-version microsoftsharepointteamservices x-shopware-version x-umbraco-version x-backend-server-version`.split(
    /\s+/,
  ),
);
// Values that name hosts on purpose, or are policies and not about hosts.
const notScanned: ReadonlySet<string> = new Set(
  `content-security-policy content-security-policy-report-only set-cookie permissions-policy date expires
  last-modified etag`.split(/\s+/),
);

type Harm = { readonly reason: string; readonly isHarmful: (value: string) => boolean };

const always = () => true;
const harmful: ReadonlyMap<string, Harm> = new Map([
  [
    'x-xss-protection',
    {
      reason: 'In old browsers an attacker can use the filter to turn off scripts of the page',
      isHarmful: (value: string) => !value.startsWith('0'),
    },
  ],
  ['public-key-pins', { reason: 'A lost key locks visitors of old browsers out', isHarmful: always }],
]);
const useless: ReadonlyMap<string, string> = new Map([
  ['expect-ct', 'all certificates must be logged today'],
  ['feature-policy', 'Permissions-Policy replaced it'],
  ['p3p', 'the platform was given up'],
  ['pragma', 'Cache-Control says the same since HTTP/1.1'],
  ['x-download-options', 'it spoke to Internet Explorer 8'],
  ['report-to', 'Reporting-Endpoints replaced it'],
  ['x-content-security-policy', 'Content-Security-Policy replaced it'],
  ['x-webkit-csp', 'Content-Security-Policy replaced it'],
  ['public-key-pins-report-only', 'key pinning was given up'],
]);

type LeakingLine = { readonly seen: HopFacts; readonly line: HeaderLine; readonly name: string };

/** Judges what the headers of all hops tell about the machines behind them, and which of them are obsolete. */
export function judgeLeakage(
  hops: readonly HopFacts[],
  page: PageFacts | undefined,
): Verdicts<keyof typeof leakageRules> {
  const lines = uniqueLines(hops);
  const products = lines.filter(({ name, line }) => productHeaders.has(name) && line[1] !== '');
  const versioned = products.filter(({ line }) => hasVersion(line[1]));
  const versionedNames = new Set(versioned.map(({ name }) => name));
  return {
    'directory-listing': judgeListing(page),
    'leak-internal-host': brokenBy(lines.flatMap(findInternal)),
    'leak-version': brokenBy(versioned.map(show)),
    'leak-product': brokenBy(products.filter(({ name }) => !versionedNames.has(name)).map(show)),
    'leak-sourcemap': brokenBy(
      lines.filter(({ name }) => name === 'sourcemap' || name === 'x-sourcemap').map(show),
    ),
    'deprecated-harmful': brokenBy(lines.flatMap(findHarmful)),
    'deprecated-useless': brokenBy(lines.flatMap(findUseless)),
  };
}

function judgeListing(page: PageFacts | undefined): Verdict {
  if (!page || page.unseen) return 'not-applicable';
  if (page.listsFiles) return brokenBy([{ hop: page.index, url: page.hop.url }]);
  const unread = whyHeadUnread(page);
  return unread === null ? 'holds' : notTested(unread);
}

function uniqueLines(hops: readonly HopFacts[]): LeakingLine[] {
  const known = new Set<string>();
  return hops.flatMap((seen) =>
    seen.hop.headers.flatMap((line) => {
      const name = line[0].toLowerCase();
      const key = `${seen.url.host} ${name}: ${line[1]}`;
      if (known.has(key)) return [];
      known.add(key);
      return [{ seen, line, name }];
    }),
  );
}

function show({ seen, line: [header, value] }: LeakingLine): Evidence {
  return { hop: seen.index, url: seen.hop.url, header: cut(header), value: cut(value) };
}

// A bare number is no version: "573" names a machine. awselb/2.0 is the name of a service that has no other version.
function hasVersion(value: string): boolean {
  return /\d\.\d/.test(value.replace(/^awselb\/2\.0$/, ''));
}

function findInternal(found: LeakingLine): Evidence[] {
  if (notScanned.has(found.name)) return [];
  const host = findInternalHost(found.line[1]);
  // A redirect to the host itself tells nothing.
  return host === undefined || found.seen.url.hostname === host ? [] : [{ ...show(found), host }];
}

function findHarmful(found: LeakingLine): Evidence[] {
  const harm = harmful.get(found.name);
  return harm?.isHarmful(found.line[1].trim()) === true ? [{ ...show(found), reason: harm.reason }] : [];
}

function findUseless(found: LeakingLine): Evidence[] {
  const reason = useless.get(found.name);
  // Network Error Logging has no other way to name its endpoint.
  const isUsed = found.name === 'report-to' && valuesOf(found.seen.fields, 'nel').length > 0;
  return reason === undefined || isUsed ? [] : [{ ...show(found), reason }];
}

/** Judges the size and the bytes of the header sections. */
export function judgeHygiene(
  hops: readonly HopFacts[],
): Verdicts<Exclude<keyof typeof hygieneRules, 'cookie-attributes-alone'>> {
  const sizes = hops.map((seen) => ({ seen, bytes: sectionBytes(seen) }));
  const over = (from: number, to: number) =>
    brokenBy(
      sizes
        .filter(({ bytes }) => bytes > from && bytes <= to)
        .map(({ seen, bytes }) => ({ hop: seen.index, url: seen.hop.url, bytes, longest: longestOf(seen) })),
    );
  return {
    'headers-large': over(8192, 16_384),
    'headers-too-large': over(16_384, Number.POSITIVE_INFINITY),
    'clear-site-data-skipped': judgeClearSiteData(hops),
    'header-malformed': brokenBy(hops.flatMap(findStrangeBytes)),
  };
}

function judgeClearSiteData(hops: readonly HopFacts[]): Verdict {
  const name = 'clear-site-data';
  const sent = hops.filter(({ fields }) => valuesOf(fields, name).length > 0);
  const skipped = sent.flatMap((seen) =>
    findSkippedTypes(valuesOf(seen.fields, name)).map(({ type, reason }) => ({
      ...fieldAt(seen, name, type),
      reason,
    })),
  );
  return where(sent.length > 0, brokenBy(skipped));
}

// Name, colon, blank, value and line end of each field.
function sectionBytes({ hop }: HopFacts): number {
  return hop.headers.reduce((sum, [name, value]) => sum + name.length + value.length + 4, 0);
}

function longestOf({ fields }: HopFacts): string {
  const sizes = [...fields.keys()].map((name) => ({
    name,
    bytes: valuesOf(fields, name).reduce((sum, value) => sum + value.length, 0),
  }));
  return sizes
    .toSorted((one, other) => other.bytes - one.bytes)
    .slice(0, 3)
    .map(({ name, bytes }) => `${cut(name)} (${bytes})`)
    .join(', ');
}

function findStrangeBytes({ index, hop }: HopFacts): Evidence[] {
  return hop.headers.flatMap(([header, value]) => {
    const offset = value.search(/[^\t\u0020-\u007e]/);
    if (offset < 0) return [];
    const reason = value.charCodeAt(offset) > 0x7f ? 'a byte beyond ASCII' : 'a control character';
    const shown = header.toLowerCase() === 'set-cookie' ? maskSetCookie(value) : value;
    return [{ hop: index, url: hop.url, header: cut(header), value: cut(shown), reason, offset }];
  });
}

const internalSuffixes = ['.internal', '.local', '.localdomain', '.lan', '.corp', '.intranet', '.home.arpa'];
const privateRules: ReadonlySet<string> = new Set([
  'private',
  'loopback',
  'link-local',
  'shared-address-space',
]);

/** The first word of a header value that is a private address or a name of an inner network; undefined where there is none. */
export function findInternalHost(text: string): string | undefined {
  if (!/[.-]\d|\.(?:internal|local|lan|corp|intranet|home)/i.test(text)) return undefined;
  // Behind a single slash stands a version or a path: "Server: ATS/10.0.0.1".
  const words = Array.from(text.matchAll(/(?<![\w.-])(?<!(?<!\/)\/)[\w.-]{6,}/g), ([word]) =>
    word.toLowerCase(),
  );
  return words.find(isInternal);
}

function isInternal(word: string): boolean {
  if (internalSuffixes.some((suffix) => word.length > suffix.length && word.endsWith(suffix))) return true;
  const embedded = /^ip-(\d{1,3})-(\d{1,3})-(\d{1,3})-(\d{1,3})(?:\.|$)/.exec(word);
  const address = embedded ? embedded.slice(1, 5).join('.') : word;
  if (!isDottedQuad(address)) return false;
  const verdict = classifyAddress(address, { allow: [], deny: [] });
  return verdict.kind === 'refused' && privateRules.has(verdict.rule);
}
