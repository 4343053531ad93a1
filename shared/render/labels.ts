import { domainToUnicode } from 'node:url';
import { type CheckName, catalogue } from '../catalogue/registry.ts';
import { keysOf } from '../model/finding.ts';

/** Words of field names that are written otherwise. */
const words: { readonly [word: string]: string } = Object.fromEntries([
  ...`url ip ttl dns tls ssl spf dkim dmarc hsts csp cors mx ns soa caa id http https tcp udp ocsp crl ds sni alpn ptr lcp cls tbt
fcp dnssec bimi dnskey tlsa dane dh aead pem inp spki ehlo helo edns cds cdnskey ech mime uri cpu mta sts`
    .split(/\s+/)
    .map((word) => [word, word.toUpperCase()]),
  ['ipv4', 'IPv4'],
  ['ipv6', 'IPv6'],
  ['urls', 'URLs'],
  ['ids', 'IDs'],
  ['sha256', 'SHA-256'],
  ['tls13', 'TLS 1.3'],
  ['http3', 'HTTP/3'],
]);

/** Fields whose names do not say what they are, by their whole names or those without a unit. */
const labels: { readonly [name: string]: string } = {
  answeredBy: 'Answered instead of the site',
  blockedRequests: 'Requests held back',
  caa: 'May issue certificates (CAA)',
  certificateCompression: 'Compression of certificates',
  cipherPreference: 'Order of cipher suites',
  cls: 'Cumulative Layout Shift',
  connections: 'Connections made',
  coreWebVitals: 'Core Web Vitals',
  crossOriginIsolated: 'Isolated from other origins',
  dnsScore: 'DNS score',
  earlyData: 'Early data (0-RTT)',
  echAdvertised: 'Encrypted Client Hello',
  ended: 'How it ended',
  environment: 'Measured with',
  exists: 'Exists in the DNS',
  fallbackRefused: 'Fallback to an older version',
  fcp: 'First Contentful Paint',
  finalStatus: 'Final status',
  finalUrl: 'Ends at',
  hostsLeftOut: 'Mail hosts left out',
  http3: 'HTTP/3 over QUIC',
  http3Advertised: 'HTTP/3',
  httpOnly: 'HttpOnly',
  implicit: 'No MX record',
  includeSubDomains: 'Includes subdomains',
  inp: 'Interaction to Next Paint',
  isSigned: 'Signed',
  isThirdParty: 'Of another site',
  itemCount: 'Number of items',
  judgedUrl: 'Judged address',
  laterVisit: 'Next visit begins at',
  lcp: 'Largest Contentful Paint',
  mailMode: 'Mail',
  maxBytes: 'Largest size',
  mname: 'Primary name server',
  mozillaProfile: 'Profile by Mozilla',
  mtaSts: 'MTA-STS',
  namesCount: 'Number of names',
  negotiated: 'A current client gets',
  nonExistentPolicy: 'Policy of names that do not exist',
  nullMx: 'Null MX',
  orgDomain: 'Organizational domain',
  p75: '75th percentile',
  renegotiationByClient: 'Renegotiation by the client',
  rname: 'Mail address of the zone',
  robots: 'Rules for robots (robots.txt)',
  rtt: 'Round trip',
  rua: 'Reports to',
  ruf: 'Failure reports to',
  runs: 'Loads',
  sameSite: 'SameSite',
  securityTxt: 'Security contact (security.txt)',
  sessions: 'Resuming a session',
  si: 'Speed Index',
  sitemapCount: 'Number of sitemaps',
  spkiSha256: 'SHA-256 of the public key',
  sslLabs: 'SSL Labs rating',
  sslLabsEquivalent: 'SSL Labs letter',
  startTls: 'STARTTLS',
  startTlsReason: 'Why STARTTLS fails',
  strategy: 'Device',
  subtreeExists: 'Selectors can exist',
  suitesComplete: 'All suites found',
  tbt: 'Total Blocking Time',
  thirdParties: 'Other origins that the page names',
  thirdPartyBytes: 'From other sites',
  tlsRpt: 'TLS reports',
  totalMs: 'Total time',
  trustError: 'Why not trusted',
  ttfb: 'Time to first byte',
  unicodeDomain: 'Domain in Unicode',
  wholeBytes: 'Size before compression',
};

/**
 * Evidence and nested fields that no sentence of a rule names; test/unit/render/labels.test.ts finds those that are missing. A list, because names
 * that a target chose stay as they are, and looking through the schemas takes longer than a turn may.
 */
const nestedNames: readonly string[] = `
algorithmName anyHost askedAt atMs authorityKeyId benchmarkIndex browserSource byKind byType cacheLifetimeMs
checkedAt cipherScore cpuSlowdownMultiplier crossOriginIsolated daysLeft decodedBytes dhBits dhPrime
digestType disallowsAll documentIsolation domainEffect downloadThroughputKbps durationMs effectiveFor effectivePolicy ehloName
elementRenderDelay endMs fcpMs finalStatus finalUrl fixedFindings formFactor forwardSecrecy freshUntil
fromCache gradeAfter gradeBefore httpOnly httpVersion includeSubDomains inpMs isSigned isThirdParty itemCount
judgedBy keyExchangeScore keyTag lcpMs lighthouseScore lifetimeDays lifetimeS logoFile longTasks mailHosts matchingType maxBytes
mimeType mustStaple mxHosts mxMatch namesCount nameServers namesNotAsked newFindings notAfter notAsked
notBefore notTested notTried nullOrigin observedPhasesMs oldVersions overNetwork parentServers parentZone parseMs
peakMemoryBytes policyUrl postQuantum preloadEligible previousAt previousReportId protocolScore receivedBytes
registeredAt reportId requestLatencyMs resolverValidates redirectsTo resourceLoadDelay resourceLoadDuration
revocationListUrls rttMs rulesVersion sameSite schemaVersion scoreAfter scoreDelta scoreEffect scriptingMs
sentBytes sentOnTo serialNumber setBy signatureAlgorithm signaturesUntil sitemapCount sizeBytes spkiSha256 startMs
startTime startTls startTlsReason statusText subtreeExists tbtMs thirdPartyBytes throughputKbps
timeToFirstByte tookMs tls13Tickets totalBytes trustError upgradedTo uploadThroughputKbps validFrom validUntil
valueOctets voidLookups waitedMs wastedBytes wastedMs wastedPercent wholeBytes

accepted access aead allowed applied assessment audit authorised authoritative authority basis blocked
browser by category cause certainty certificate chain check child children chosen cls codes comment complete
compressed confidence confirmed connect connects contacts cors critical curve dane data description detail
digest directives disposition disputed distribution dns download edns embedder encryption entries error eval
evaluator evidence exhausted expiration explanation extensions failure faults fcp findings fix flags framing
grade headers helo high history hours href hsts https id ids inception info initiator inline integrity isolation
issue issuewild items judged kept kinds lab label languages letter level lighthouse limits logo look lost low
matches medium mode nosniff note observed of opener origins ours overspent owners p75 parseable part pass
passed path pem performance period periods points policies poor preload presence priority provider queries
reasons receive recursion references referrer registrar report resource result resumed reused revoked role rua ruf
rules sandbox savings scope score scores script scripts secure selector selectors send sender servers
session severity sha256 si sign signatures signed sitemaps sniffing snippet snippets sources spread ssl
state statuses stored stores summary tags tbt tcp terms testing tests text thresholds throttling tickets
timings title tls tlsa total tree trusted ttfb unit usable usage valid vendor void wait weight whole
`
  .trim()
  .split(/\s+/);

/** Names of ours: the fields of reports, and what the sentences of rules are filled with. Names that a target chose stay as they are. */
const ownNames: ReadonlySet<string> = new Set(
  catalogue
    .flatMap(({ rules, reportShape }) => [
      ...Object.keys(reportShape),
      ...Object.values(rules).flatMap(({ detail }) => keysOf(detail)),
    ])
    .concat(nestedNames),
);

const endings = { Ms: 'ms', Bytes: 'bytes', Kbps: 'kbit/s', Percent: '%', Days: 'days', S: 's' } as const;

/** What a number of a field counts, which the field's name says. */
export type Unit = (typeof endings)[keyof typeof endings];

const singleUnits: { readonly [name: string]: Unit } = { bytes: 'bytes', ttl: 's' };

/** The unit of a field of ours; undefined where its values have none, or say it themselves. */
export function unitOf(name: string): Unit | undefined {
  if (!ownNames.has(name)) return undefined;
  return Object.hasOwn(singleUnits, name) ? singleUnits[name] : splitUnit(name).unit;
}

function splitUnit(name: string): { readonly base: string; readonly unit?: Unit } {
  const [, base, ending] = /^(.*[a-z0-9])(Ms|Bytes|Kbps|Percent|Days|S)$/.exec(name) ?? [];
  return base === undefined ? { base: name } : { base, unit: endings[ending as keyof typeof endings] };
}

/** What a reader calls a field, without its unit: "recordsUnknown" is "Records unknown", "rttMs" is "Round trip". */
export function labelOf(name: string): string {
  if (!ownNames.has(name)) return name;
  const { base } = splitUnit(name);
  const known = [name, base].find((each) => Object.hasOwn(labels, each));
  if (known !== undefined) return labels[known] ?? name;
  const parts = base.replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2').split(' ');
  const label = parts.map((part) => words[part.toLowerCase()] ?? part.toLowerCase()).join(' ');
  return `${label.slice(0, 1).toUpperCase()}${label.slice(1)}`;
}

/** Parts of rules that are written otherwise than their words. */
const partWords: { readonly [part: string]: string } = {
  mtaSts: 'MTA-STS',
  'mta-sts': 'MTA-STS',
  thirdPartyBytes: 'From other sites',
  tlsRpt: 'TLS-RPT',
  bimi: 'BIMI',
  starttls: 'STARTTLS',
  seo: 'SEO',
  'best-practices': 'best practices',
  'agentic-browsing': 'agentic browsing',
};

/** What a reader calls the part of a check that a rule belongs to: "MTA-STS" of "mtaSts", "site files" of "site-files". */
export function partLabelOf(part: string): string {
  if (Object.hasOwn(partWords, part)) return partWords[part] ?? part;
  const parts = part.replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2').split(/[ -]/);
  return parts.map((word) => words[word.toLowerCase()] ?? word.toLowerCase()).join(' ');
}

/** A name or URL as people write it, where it is another than in the DNS: "bücher.test" of "xn--bcher-kva.test"; else undefined. */
export function unicodeOf(target: string): string | undefined {
  const host = /^https?:\/\/([a-z0-9.:-]+)/i.exec(target)?.[1] ?? target;
  if (!/(?:^|\.)xn--/.test(host) || !/^[a-z0-9.-]+(?::\d+)?$/.test(host)) return undefined;
  const [name = '', port] = host.split(':');
  const shown = domainToUnicode(name);
  if (shown === '' || shown === name) return undefined;
  return target.replace(host, port === undefined ? shown : `${shown}:${port}`);
}

/** What a visitor calls each check, and what it looks at. */
export const checkWords: { readonly [check: string]: Words } = {
  'domain-health': {
    name: 'Domain health',
    about: 'DNS, mail, TLS, headers, redirects and speed, in one grade',
  },
  'dns-check': { name: 'DNS and mail', about: 'delegation, DNSSEC, SPF, DKIM, DMARC, mail hosts' },
  'ssl-check': { name: 'TLS', about: 'certificate, chain, protocols, cipher suites' },
  'smtp-check': { name: 'Mail hosts', about: 'encryption, certificates, DANE, MTA-STS' },
  'security-header-check': { name: 'Security headers', about: 'what a browser enforces, and cookies' },
  'redirect-check': { name: 'Redirects', about: 'every hop with its time' },
  'pagespeed-check': { name: 'Page speed', about: 'Core Web Vitals by Lighthouse in a real browser' },
} satisfies { readonly [check in CheckName]: Words };

/** What a visitor calls a check; its own name where it is of another release. */
export function checkNameOf(check: string): string {
  return Object.hasOwn(checkWords, check) ? (checkWords[check]?.name ?? check) : check;
}

type Words = { readonly name: string; readonly about: string };
