import { parseExpires } from '#shared/catalogue/expiries/parse-expires';
import { parseCaaIssue } from '../../worker/checks/dns-check/dns/caa/parse-caa-issue.ts';
import { parseMailboxName } from '../../worker/checks/dns-check/dns/soa/parse-mailbox-name.ts';
import { readLogo } from '../../worker/checks/dns-check/mail/bimi/logo.ts';
import { parsePem, readMark } from '../../worker/checks/dns-check/mail/bimi/mark.ts';
import { parseBimi } from '../../worker/checks/dns-check/mail/bimi/parse-bimi.ts';
import { parseXml, readDoctype } from '../../worker/checks/dns-check/mail/bimi/xml.ts';
import { parseDkimKey } from '../../worker/checks/dns-check/mail/dkim/parse-dkim-key.ts';
import { parseDmarc } from '../../worker/checks/dns-check/mail/dmarc/parse-dmarc.ts';
import { parseReportUris } from '../../worker/checks/dns-check/mail/dmarc/parse-report-uris.ts';
import {
  parseDomainSpec,
  parseMacroString,
} from '../../worker/checks/dns-check/mail/spf/parse-domain-spec.ts';
import { parseSpf } from '../../worker/checks/dns-check/mail/spf/parse-spf.ts';
import { parseTerm } from '../../worker/checks/dns-check/mail/spf/parse-term.ts';
import { parseTagList } from '../../worker/checks/dns-check/mail/text/tag-list.ts';
import { parseTlsRpt } from '../../worker/checks/dns-check/mail/transport/facts.ts';
import { findCanonical, parseLinks } from '../../worker/checks/redirect-check/gather/link-field.ts';
import { parseCacheControl } from '../../worker/checks/security-header-check/grammar/cache-control.ts';
import {
  parseDocumentPolicy,
  parseEmbedderPolicy,
  parseOpenerPolicy,
  parseResourcePolicy,
} from '../../worker/checks/security-header-check/grammar/cross-origin-policies.ts';
import { parseCspSource } from '../../worker/checks/security-header-check/grammar/csp-source.ts';
import { parseCsp, parseCspList } from '../../worker/checks/security-header-check/grammar/csp.ts';
import {
  parseBlocksScripts,
  parseIntegrity,
} from '../../worker/checks/security-header-check/grammar/integrity.ts';
import {
  parseNosniff,
  parseXFrameOptions,
} from '../../worker/checks/security-header-check/grammar/one-word-fields.ts';
import { parsePermissionsPolicy } from '../../worker/checks/security-header-check/grammar/permissions-policy.ts';
import {
  parseReferrerMeta,
  parseReferrerPolicy,
} from '../../worker/checks/security-header-check/grammar/referrer-policy.ts';
import {
  parseReportTo,
  parseReportingEndpoints,
} from '../../worker/checks/security-header-check/grammar/reporting-endpoints.ts';
import { parseSecurityTxt } from '../../worker/checks/security-header-check/grammar/security-txt.ts';
import { readDictionary, readItem } from '../../worker/checks/security-header-check/grammar/structured.ts';
import { findInternalHost } from '../../worker/checks/security-header-check/judge/leakage.ts';
import { parseLikeObservatory } from '../../worker/checks/security-header-check/report/observatory/csp-parser.ts';
import { parseName } from '../../worker/dns/name.ts';
import { readKnownServers } from '../../worker/fixes/known-server.ts';
import { parseStsPolicy } from '../../worker/mail/parse-sts-policy.ts';
import { parseStsRecord } from '../../worker/mail/parse-sts-record.ts';
import { parseVersioned } from '../../worker/mail/parse-versioned.ts';
import { readCodings } from '../../worker/probes/http/decode-body.ts';
import { openHeads } from '../../worker/probes/http/rewrite-answer.ts';
import { rewriteHead } from '../../worker/probes/http/rewrite-head.ts';
import { readWait } from '../../worker/probes/rdap/open.ts';
import { readRegisteredDomain } from '../../worker/probes/rdap/read-domain.ts';
import { parseReplyLine } from '../../worker/probes/smtp/reply-line.ts';
import { seeBodySigns } from '../../worker/web/block-page.ts';
import { parseContentType } from '../../worker/web/content-type.ts';
import { openCookieJar } from '../../worker/web/cookie-jar.ts';
import { readCookiePurpose } from '../../worker/web/cookie-purpose.ts';
import { indexFields } from '../../worker/web/fields.ts';
import { parseHsts, readMaxAge } from '../../worker/web/hsts.ts';
import { decodeLocation, resolveLocation } from '../../worker/web/location.ts';
import { maskAttributeValue, maskSetCookie, maskText } from '../../worker/web/mask-cookie.ts';
import { maskHeaders, maskLocation, maskUrls } from '../../worker/web/mask-credentials.ts';
import { parseRefresh } from '../../worker/web/refresh.ts';
import { parseRobots } from '../../worker/web/robots.ts';
import { parseSetCookie } from '../../worker/web/set-cookie.ts';
import { seeLocation } from '../../worker/web/walk.ts';
import type { ContainerName } from './containers.ts';

/** A reader of text that a target chose. */
export type TextReader = {
  readonly name: string;
  readonly container: ContainerName;
  readonly read: (text: string) => unknown;
  /** What a text begins with, so that the reader comes to the rest. */
  readonly starts: readonly string[];
  /** What is hostile to this reader alone, beside what is tried on each. */
  readonly pieces: readonly string[];
};

type More = { readonly starts?: readonly string[]; readonly pieces?: readonly string[] };

const url = 'https://a.test/x';

function reader(
  read: { readonly name: string } & ((text: string) => unknown),
  container: ContainerName,
  { starts = [], pieces = [] }: More = {},
): TextReader {
  return { name: read.name, container, read, starts: starts.length === 0 ? [''] : starts, pieces };
}

function readByteByByte(text: string): void {
  const heads = openHeads(65_536);
  for (const byte of Buffer.from(text, 'latin1')) heads.add(Buffer.of(byte));
}

/** A reader that takes the lines of a field: the text in one line, and cut into lines of sixty characters. */
function ofLines(
  read: { readonly name: string } & ((lines: readonly string[]) => unknown),
  more: More = {},
): TextReader {
  const both = (text: string) => [read([text]), read(cutInLines(text))];
  return { ...reader(both, 'header section', more), name: read.name };
}

/** A reader that takes more than the text. */
function named(name: string, container: ContainerName, read: (text: string) => unknown, more: More = {}) {
  return { ...reader(read, container, more), name };
}

function cutInLines(text: string): string[] {
  return text.match(/[^]{1,60}/g) ?? [];
}

const page = new URL('https://a.test/');
const fileOf = (text: string) => ({
  kind: 'response' as const,
  url,
  text,
  sizeBytes: text.length,
});

/** Every reader of text, by the name of its export. */
export const textReaders: readonly TextReader[] = [
  // Pages.
  reader(parseRefresh, 'attribute', { starts: ['0;url=', '0;url="', '1'] }),
  named('resolveLocation', 'attribute', (text) => resolveLocation(text, url), {
    starts: ['https://', '//', 'https://u:p@', '?'],
    pieces: ['../', './', '%2e/', '@', 'xn--'],
  }),
  reader(parseIntegrity, 'kept attribute', { pieces: ['sha256-a ', 'sha256-'] }),
  reader(seeBodySigns, 'beginning of a page', {
    pieces: ['<title>', 'Just a moment', '<script src="', 'document.cookie=', 'location=', '<!--', '<svg>'],
  }),
  // Header fields.
  named('rewriteHead', 'header section', (text) => rewriteHead(`HTTP/1.1 200 OK\r\n${text}`), {
    pieces: ['\r', '\n', '\r\n', 'a:\r\n', 'a:\r ', ' ', 'Content-Length: 0\r\n', '0,'],
  }),
  named('openHeads', 'header section', readByteByByte, {
    starts: ['HTTP/1.1 200 OK\r\n'],
    pieces: ['\r\n', 'a:\r\n', 'HTTP/1.1 103\r\n\r\n'],
  }),
  named('indexFields', 'header section', (text) =>
    indexFields(cutInLines(text).flatMap((line) => [[line, line] as const, ['Set-Cookie', line] as const])),
  ),
  named(
    'readKnownServers',
    'header section',
    (text) =>
      readKnownServers(
        indexFields(
          cutInLines(text).flatMap((line) =>
            ['Server', 'X-Powered-By', 'X-Served-By', 'Set-Cookie'].map((name) => [name, line] as const),
          ),
        ),
      ),
    { starts: ['nginx/', 'Apache', 'cache-'], pieces: ['cache-', 'PHPSESSID='] },
  ),
  named(
    'maskHeaders',
    'header section',
    (text) => [
      maskHeaders(
        [
          ['Location', text],
          ['Set-Cookie', text],
          ['Link', text],
        ],
        url,
      ),
      maskHeaders(
        cutInLines(text).map((line) => ['Set-Cookie', line] as const),
        url,
      ),
    ],
    { starts: ['a=', 'https://u:p@'], pieces: ['https://u:p@a/', '://', 'a:b@'] },
  ),
  named('maskLocation', 'header section', (text) => maskLocation(text, url), {
    starts: ['//', 'https://u:p@'],
  }),
  reader(maskUrls, 'attribute', {
    pieces: ['https://u:p@a/ ', 'http://', '://', ':@', 'h', 'a:b@', 'http:'],
  }),
  reader(maskText, 'header section'),
  reader(maskSetCookie, 'header section', { starts: ['a=', 'a="'] }),
  reader(maskAttributeValue, 'header section'),
  ofLines(parseContentType, { starts: ['text/html;', 'text/html;charset="'] }),
  ofLines(readCodings),
  reader(parseHsts, 'header section', { starts: ['max-age=', 'max-age="'], pieces: ['max-age=1;'] }),
  reader(readMaxAge, 'header section', { starts: ['max-age='], pieces: ['max-age=1,'] }),
  reader(parseSetCookie, 'header section', {
    starts: ['a=b;', 'a="', 'a=b; expires='],
    pieces: ['; path=/', '; expires=Thu, 01 Jan 1970 00:00:00 GMT'],
  }),
  named(
    'openCookieJar',
    'header section',
    (text) => {
      const jar = openCookieJar();
      jar.keep(
        cutInLines(text).map((line, at) => `${at}${line}`),
        new URL(url),
      );
      jar.keep([text], new URL(url));
      return jar.fieldFor(new URL(url));
    },
    { pieces: ['a=b; path=/x'] },
  ),
  named(
    'readCookiePurpose',
    'header section',
    (text) => [readCookiePurpose({ name: text, value: '1' }), readCookiePurpose({ name: 'a', value: text })],
    { starts: ['SESS', 'a.'], pieces: ['Sess', 'a_', 'eyJ.', '1.'] },
  ),
  reader(decodeLocation, 'header section', { pieces: ['\u00c3', '\u00c3\u00a9'] }),
  named('seeLocation', 'header section', (text) => seeLocation(text, url), {
    starts: ['//', 'https://www.', 'https://a.'],
    pieces: ['a.', 'www.', 'a@', '%2f'],
  }),
  reader(parseLinks, 'header section', {
    starts: ['<', '<a>;', '<a>;rel="'],
    pieces: ['<a>;rel=canonical,', '<a>,', ';rel="'],
  }),
  ofLines(findCanonical, { starts: ['<a>;rel="'], pieces: ['canonical '] }),
  ofLines(parseCacheControl, { pieces: ['no-store,', 'max-age=1,'] }),
  ofLines(parseOpenerPolicy, { starts: ['same-origin;', 'same-origin;report-to="'] }),
  ofLines(parseEmbedderPolicy, { starts: ['require-corp;'] }),
  ofLines(parseDocumentPolicy, { starts: ['isolate-and-require-corp;'] }),
  ofLines(parseResourcePolicy),
  reader(parseCspSource, 'policies', { starts: ['https://', "'nonce-", '*.'], pieces: ['a.', '*.'] }),
  reader(parseCspList, 'policies', {
    starts: ["default-src 'self';"],
    pieces: ['default-src a;', "'self' ", 'a b;'],
  }),
  named('parseCsp', 'policies', (text) => parseCsp(text), {
    starts: ["default-src 'self';"],
    pieces: ['x a;', 'https://a.test '],
  }),
  named('parseLikeObservatory', 'policies', (text) => parseLikeObservatory([text]), {
    starts: ["default-src 'self';"],
    pieces: ['script-src a;', "'nonce-a' "],
  }),
  ofLines(parseBlocksScripts, { starts: ['blocked-destinations=('], pieces: ['script '] }),
  reader(findInternalHost, 'policies', { pieces: ['10.0.0.', 'a.local ', '1.'] }),
  ofLines(parseNosniff, { pieces: ['nosniff,'] }),
  ofLines(parsePermissionsPolicy, { starts: ['camera=('], pieces: ['camera=(),', '"https://a.test" '] }),
  ofLines(parseReferrerPolicy, { pieces: ['no-referrer,'] }),
  reader(parseReferrerMeta, 'kept attribute'),
  named('parseReportingEndpoints', 'header section', (text) => parseReportingEndpoints([text], page), {
    starts: ['a="'],
    pieces: ['a="https://a.test",'],
  }),
  named('parseReportTo', 'header section', (text) => parseReportTo([text], page), {
    starts: ['{"group":"', '['],
    pieces: ['{"group":"a"},', '{"a":'],
  }),
  ofLines(readDictionary, { starts: ['a=(', 'a="', 'a=:'], pieces: ['a=1,', 'a;b=1;', 'a=(1 ', '*a,'] }),
  reader(readItem, 'header section', { starts: ['(', '"', ':', 'a;'], pieces: ['a;b=1;'] }),
  ofLines(parseXFrameOptions, { pieces: ['DENY,'] }),
  // Files.
  reader(parseRobots, 'robots.txt', {
    starts: ['User-agent: *\n'],
    pieces: ['User-agent: a\n', 'Disallow: /\n', 'Disallow: *\n', '#\n', 'Sitemap: https://a.test/\n'],
  }),
  reader(parseSecurityTxt, 'security.txt', {
    starts: ['-----BEGIN PGP SIGNED MESSAGE-----\n\n'],
    pieces: ['Contact: a\n', 'Expires: 2026-01-01T00:00:00Z\n', '- \n'],
  }),
  reader(parseExpires, 'security.txt', { starts: ['2026-01-01T00:00:00.'] }),
  reader(parseStsPolicy, 'MTA-STS policy', {
    starts: ['version: STSv1\n'],
    pieces: ['mx: a.test\n', 'mx: *.a\n', ': \n'],
  }),
  reader(parsePem, 'BIMI file', {
    pieces: ['-----BEGIN CERTIFICATE-----\n', '-----END CERTIFICATE-----\n', '-----'],
  }),
  reader(parseXml, 'BIMI file', {
    starts: ['<svg>', '<svg ', '<!DOCTYPE ', '<!DOCTYPE a ['],
    pieces: [
      '<a>',
      '<a/>',
      ' a=""',
      ' a1="x"',
      '&amp;',
      '&#1;',
      '<![CDATA[',
      ']]>',
      '<?a?>',
      '<a b="',
      '<!ENTITY a "b">',
    ],
  }),
  reader(readDoctype, 'BIMI file', {
    starts: ['svg [', 'svg PUBLIC "'],
    pieces: ['<!ENTITY a "b">', '<!ENTITY % a "b">', '%a;', '<!--', '<!ELEMENT a (b)>'],
  }),
  named(
    'readLogo',
    'BIMI file',
    (text) => readLogo({ ...fileOf(text), status: 200, form: 'text' } as never),
    {
      starts: ['<svg xmlns="http://www.w3.org/2000/svg">'],
      pieces: ['<a>', '<a/>', '<script/>', '<image href="a"/>'],
    },
  ),
  named(
    'readMark',
    'BIMI file',
    (text) => readMark({ ...fileOf(text), status: 200, form: 'text' } as never),
    { pieces: ['-----BEGIN CERTIFICATE-----\nMA==\n-----END CERTIFICATE-----\n'] },
  ),
  // Texts of DNS records.
  reader(parseName, 'DNS name', { pieces: ['a.', '\\.', '\\000'] }),
  reader(parseMailboxName, 'DNS name', { pieces: ['\\.', 'a.', '\\'] }),
  reader(parseCaaIssue, 'DNS record', { starts: ['ca.test;'], pieces: ['a=b;', 'a=b '] }),
  reader(parseSpf, 'DNS record', {
    starts: ['v=spf1 '],
    pieces: ['include:a ', 'a ', '%{d}', 'ip4:1.2.3.4 ', 'redirect=a ', 'exists:%{', '+'],
  }),
  named('parseTerm', 'DNS record', (text) => parseTerm(text, 0), {
    starts: ['include:', 'ip6:', 'a:', 'a/', 'x='],
    pieces: ['%{d}', 'a.', '::', '/'],
  }),
  named('parseDomainSpec', 'DNS record', (text) => parseDomainSpec(text, 0), {
    starts: ['%{'],
    pieces: ['%{d}', '%%', 'a.', '%{d1r-}'],
  }),
  named('parseMacroString', 'DNS record', (text) => parseMacroString(text, 0), {
    starts: ['%{d'],
    pieces: ['%{d}', '%_', '-.'],
  }),
  reader(parseTagList, 'DNS record', { pieces: ['a=b;', ' ;', 'a = b ;'] }),
  reader(parseDkimKey, 'DNS record', {
    starts: ['v=DKIM1; p=', 'v=DKIM1; h='],
    pieces: ['sha256:', 'MA', 'a=b;', ' \r\n '],
  }),
  reader(parseDmarc, 'DNS record', {
    starts: ['v=DMARC1; p=none; rua=', 'v=DMARC1;'],
    pieces: ['mailto:a@b,', 'a=b;', 'p=none;', '!10m,'],
  }),
  named('parseReportUris', 'DNS record', (text) => parseReportUris(text, 0), {
    starts: ['mailto:'],
    pieces: ['mailto:a@b!10m,', '!', ' ,'],
  }),
  reader(parseStsRecord, 'DNS record', { starts: ['v=STSv1; '], pieces: ['id=1;', ' ; '] }),
  reader(parseTlsRpt, 'DNS record', {
    starts: ['v=TLSRPTv1; rua='],
    pieces: ['mailto:a@b,', 'rua=a;', ' , '],
  }),
  named('parseVersioned', 'DNS record', (text) => parseVersioned(text, 'v1'), {
    starts: ['v=v1;'],
    pieces: ['a=b;', ' ; '],
  }),
  reader(parseBimi, 'DNS record', { starts: ['v=BIMI1; l='], pieces: ['l=https://a;', ' ; '] }),
  named('readRegisteredDomain', 'registry answer', (text) => readRegisteredDomain(text, 'good.test'), {
    starts: ['{"objectClassName":"domain","status":["', '{"objectClassName":"domain","events":['],
    pieces: ['{"a":', '[', 'active","', '{"eventAction":"expiration"},'],
  }),
  named('readWait', 'header section', (text) => readWait(text, 0), { pieces: ['1', ' GMT', 'Mon, '] }),
  reader(parseReplyLine, 'SMTP line', { starts: ['250-', '250 '], pieces: ['250-', ' '] }),
];
