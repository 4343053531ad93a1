import { domainToUnicode } from 'node:url';
import { catalogue } from '../catalogue/registry.ts';
import { nestedNames } from './nested-names.ts';

/** Words of field names that are written otherwise. */
const words: { readonly [word: string]: string } = Object.fromEntries([
  ...[
    'url',
    'ip',
    'ttl',
    'dns',
    'tls',
    'ssl',
    'spf',
    'dkim',
    'dmarc',
    'hsts',
    'csp',
    'cors',
    'mx',
    'ns',
    'soa',
    'caa',
  ]
    .concat([
      'id',
      'http',
      'https',
      'tcp',
      'udp',
      'ocsp',
      'crl',
      'ds',
      'rtt',
      'sni',
      'alpn',
      'ptr',
      'lcp',
      'cls',
      'tbt',
    ])
    .concat([
      'fcp',
      'ttfb',
      'ipv4',
      'ipv6',
      'dnssec',
      'bimi',
      'dnskey',
      'tlsa',
      'dane',
      'dh',
      'aead',
      'sha256',
      'pem',
      'inp',
      'spki',
    ])
    .map((word) => [word, word.replace('ipv', 'IPv').replace(/^(?!IPv).*/, (other) => other.toUpperCase())]),
  ['ms', '(ms)'],
  ['mta', 'MTA'],
  ['sts', 'STS'],
]);

/** Names of ours: the fields of reports, and what the sentences of rules are filled with. Names that a target chose stay as they are. */
const ownNames: ReadonlySet<string> = new Set(
  catalogue
    .flatMap(({ rules, reportShape }) => [
      ...Object.keys(reportShape),
      ...Object.values(rules).flatMap(({ detail }) =>
        [...detail.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name),
      ),
    ])
    .concat(nestedNames),
);

/** What a reader calls a field: "recordsUnknown" is "Records unknown", "rttMs" is "RTT (ms)". */
export function labelOf(name: string): string {
  if (!ownNames.has(name)) return name;
  const parts = name.replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2').split(' ');
  const label = parts.map((part) => words[part.toLowerCase()] ?? part.toLowerCase()).join(' ');
  return `${label.slice(0, 1).toUpperCase()}${label.slice(1)}`;
}

/** Parts of rules that are written otherwise than their words. */
const partWords: { readonly [part: string]: string } = {
  mtaSts: 'MTA-STS',
  'mta-sts': 'MTA-STS',
  tlsRpt: 'TLS-RPT',
  bimi: 'BIMI',
  starttls: 'STARTTLS',
  seo: 'SEO',
  'best-practices': 'best practices',
  'agentic-browsing': 'agentic browsing',
};

/** What a reader calls the part of a check that a rule belongs to: "MTA-STS" of "mtaSts", "entry points" of "entryPoints". */
export function partLabelOf(part: string): string {
  if (Object.hasOwn(partWords, part)) return partWords[part] ?? part;
  const parts = part.replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2').split(' ');
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
