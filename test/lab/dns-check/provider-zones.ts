import { readFileSync } from 'node:fs';
import type { DnsCheckCode } from '#shared/catalogue/dns-check/rules';
import type { Setup } from './fresh-world.ts';

/** A domain as a provider sets it up in 2026, and what somebody who knows mail and the DNS says of it. */
export type ProviderZone = {
  readonly name: string;
  readonly setup: Setup;
  /** All findings of medium and above, and of the others at least these. */
  readonly told: readonly DnsCheckCode[];
  /** Findings that would be an accusation. */
  readonly never?: readonly DnsCheckCode[];
  /** The record that a fix offers: of which finding, at which name, with which text. */
  readonly fix?: readonly [code: DnsCheckCode, name: string, value: string];
};

const keys = JSON.parse(
  readFileSync(new URL('../../fixtures/dns-check/mail/dkim-keys.json', import.meta.url), 'utf8'),
) as { readonly [name: string]: string };
const key = `v=DKIM1; k=rsa; p=${keys['rsa2048'] ?? ''}`;

const soa = '@ 3600 SOA ns.invalid hostmaster.invalid 1 7200 900 1209600 3600';
/** What stands at the services, by zone. Hosts get addresses that lead back to them. */
const services: {
  readonly [zone: string]: { readonly hosts?: readonly string[]; readonly lines?: readonly string[] };
} = {
  'google.com': {
    hosts: ['smtp.google.com', 'aspmx.l.google.com', 'alt1.aspmx.l.google.com', 'alt2.aspmx.l.google.com'],
    lines: [
      '_spf.google.com 300 TXT v=spf1 ip4:74.125.0.0/16 ip4:209.85.128.0/17 ip6:2001:4860:4864::/56 ~all',
    ],
  },
  'outlook.com': {
    hosts: ['a-test.mail.protection.outlook.com'],
    lines: [
      'spf.protection.outlook.com 300 TXT v=spf1 ip4:40.92.0.0/15 ip4:52.100.0.0/15 -all',
      'autodiscover.outlook.com 300 A 52.96.0.8',
    ],
  },
  'onmicrosoft.com': { lines: [`selector1-a-test._domainkey.atest.onmicrosoft.com 300 TXT ${key}`] },
  'protonmail.ch': {
    hosts: ['mail.protonmail.ch', 'mailsec.protonmail.ch'],
    lines: ['_spf.protonmail.ch 300 TXT v=spf1 ip4:185.70.40.0/24 ip4:185.70.41.0/24 ~all'],
  },
  'proton.ch': {
    lines: ['', '2', '3'].map((at) => `protonmail${at}.domainkey.dabc.domains.proton.ch 300 TXT ${key}`),
  },
  'messagingengine.com': {
    hosts: ['in1-smtp.messagingengine.com', 'in2-smtp.messagingengine.com'],
    lines: ['spf.messagingengine.com 300 TXT v=spf1 ip4:103.168.172.128/27 ?all'],
  },
  'fmhosted.com': {
    lines: ['fm1', 'fm2', 'fm3'].map((at) => `${at}.a.test.dkim.fmhosted.com 300 TXT ${key}`),
  },
  'zoho.eu': { hosts: ['mx.zoho.eu', 'mx2.zoho.eu', 'mx3.zoho.eu'] },
  'zohomail.eu': { lines: ['zohomail.eu 300 TXT v=spf1 ip4:185.230.212.0/24 -all'] },
  'icloud.com': {
    hosts: ['mx01.mail.icloud.com', 'mx02.mail.icloud.com'],
    lines: ['icloud.com 300 TXT v=spf1 ip4:17.58.0.0/16 ~all'],
  },
  'icloudmailadmin.com': { lines: [`sig1.dkim.a.test.at.icloudmailadmin.com 300 TXT ${key}`] },
  'cloudflare.net': {
    hosts: ['route1.mx.cloudflare.net', 'route2.mx.cloudflare.net', 'route3.mx.cloudflare.net'],
    lines: [
      '_spf.mx.cloudflare.net 300 TXT v=spf1 ip4:104.30.0.0/20 ~all',
      'a.test._report._dmarc.dmarc-reports.cloudflare.net 300 TXT v=DMARC1;',
      'dmarc-reports.cloudflare.net 300 MX 10 route1.mx.cloudflare.net',
    ],
  },
  'ionos.de': {
    hosts: ['mx00.ionos.de', 'mx01.ionos.de'],
    lines: ['dmarc.ionos.de 300 TXT v=DMARC1; p=none;'],
  },
  'ionos.com': {
    lines: [
      '_spf-eu.ionos.com 300 TXT v=spf1 ip4:212.227.126.128/25 ?all',
      `s1.dkim.ionos.com 300 TXT ${key}`,
      `s2.dkim.ionos.com 300 TXT ${key}`,
    ],
  },
  'rzone.de': { hosts: ['smtpin.rzone.de'], lines: [`strato-dkim-0002._domainkey.rzone.de 300 TXT ${key}`] },
  'strato.com': { lines: ['_spf.strato.com 300 TXT v=spf1 ip4:81.169.146.128/25 ?all'] },
  'ovh.net': { hosts: ['mx0.mail.ovh.net', 'mx1.mail.ovh.net', 'mx2.mail.ovh.net'] },
  'ovh.com': { lines: ['mx.ovh.com 300 TXT v=spf1 ip4:46.105.0.0/16 ~all'] },
  'gandi.net': {
    hosts: ['spool.mail.gandi.net', 'fb.mail.gandi.net'],
    lines: ['_mailcust.gandi.net 300 TXT v=spf1 ip4:217.70.183.192/28 ?all'],
  },
  'gandimail.net': { lines: ['gm1', 'gm2', 'gm3'].map((at) => `${at}.gandimail.net 300 TXT ${key}`) },
  'privateemail.com': {
    hosts: ['mx1.privateemail.com', 'mx2.privateemail.com'],
    lines: ['spf.privateemail.com 300 TXT v=spf1 ip4:198.54.122.0/24 ~all'],
  },
  'onsecureserver.net': {
    hosts: ['mail.onsecureserver.net'],
    lines: [
      'onsecureserver.net 300 MX 10 mail.onsecureserver.net',
      '*._report._dmarc.onsecureserver.net 300 TXT v=DMARC1;',
      'a.test._report._dmarc.onsecureserver.net 300 TXT v=DMARC1',
    ],
  },
  'hostinger.com': {
    hosts: ['mx1.hostinger.com', 'mx2.hostinger.com'],
    lines: [
      '_spf.mail.hostinger.com 300 TXT v=spf1 ip4:145.14.150.0/24 ~all',
      ...['a', 'b', 'c'].map((at) => `hostingermail-${at}.dkim.mail.hostinger.com 300 TXT ${key}`),
    ],
  },
  'squarespace.com': { lines: ['ext-sq.squarespace.com 300 A 198.185.159.144'] },
  'myshopify.com': { lines: ['shops.myshopify.com 300 A 23.227.38.74'] },
  'github.io': { lines: ['a.github.io 300 A 185.199.108.153', 'a.github.io 300 AAAA 2606:50c0:8000::153'] },
  'netlify.app': { lines: ['a.netlify.app 300 A 75.2.60.5'] },
  'vercel-dns-017.com': { lines: ['a.vercel-dns-017.com 300 A 216.150.1.1'] },
  'wixdns.net': { lines: ['cdn1.wixdns.net 300 CNAME td.wixdns.net', 'td.wixdns.net 300 A 34.149.87.45'] },
  'amazonaws.com': { hosts: ['inbound-smtp.eu-west-1.amazonaws.com'] },
  'amazonses.com': {
    lines: [
      'amazonses.com 300 TXT v=spf1 ip4:199.255.192.0/22 ip4:54.240.0.0/18 ~all',
      `t1.dkim.amazonses.com 300 TXT ${key}`,
    ],
  },
};

const hosts = Object.values(services).flatMap(({ hosts: own = [] }) => own);
const addressOf = (host: string): string => `8.${hosts.indexOf(host)}.8.25`;
const others = {
  ...Object.fromEntries(
    Object.entries(services).map(([zone, { hosts: own = [], lines = [] }]) => [
      zone,
      [soa, ...lines, ...own.map((host) => `${host} 300 A ${addressOf(host)}`)],
    ]),
  ),
  arpa: [soa, ...hosts.map((host, at) => `25.8.${at}.8.in-addr.arpa 300 PTR ${host}`)],
};

const base = ['@ 3600 MX', 'mail', '@ 3600 TXT', '_dmarc', 'one'];
const zone = (...lines: readonly string[]): Setup => ({ without: base, add: lines, others });
const web = (...lines: readonly string[]): Setup => ({
  ...zone(...lines),
  without: [...base, '@ 3600 A', 'www'],
});
const mx = (...names: readonly string[]): readonly string[] =>
  names.map((name, at) => `@ 3600 MX ${at + 1} ${name}`);
const txt = (text: string): string => `@ 3600 TXT ${text}`;
const dmarc = (text: string): string => `_dmarc.a.test 3600 TXT ${text}`;
const dkim = (selector: string, target: string): string =>
  `${selector}._domainkey.a.test 3600 CNAME ${target}`;
const report = 'rua=mailto:dmarc@a.test';
const closed = ['@ 3600 MX 0 ', txt('v=spf1 -all'), dmarc('v=DMARC1; p=reject')];

const google = [
  ...mx('smtp.google.com'),
  txt('v=spf1 include:_spf.google.com ~all'),
  `google._domainkey.a.test 3600 TXT ${key}`,
];
const microsoft = [
  ...mx('a-test.mail.protection.outlook.com'),
  dkim('selector1', 'selector1-a-test._domainkey.atest.onmicrosoft.com'),
  dkim('selector2', 'selector2-a-test._domainkey.atest.onmicrosoft.com'),
  'autodiscover.a.test 3600 CNAME autodiscover.outlook.com',
];

export const providerZones: readonly ProviderZone[] = [
  {
    name: 'Google Workspace, set up to the end',
    setup: zone(...google, dmarc(`v=DMARC1; p=quarantine; ${report}`)),
    told: [],
  },
  {
    name: 'Google Workspace of before, without DMARC',
    setup: zone(
      ...mx('aspmx.l.google.com', 'alt1.aspmx.l.google.com', 'alt2.aspmx.l.google.com'),
      txt('v=spf1 include:_spf.google.com ~all'),
      `google._domainkey.a.test 3600 TXT ${key}`,
    ),
    told: ['dmarc-missing'],
  },
  {
    name: 'Microsoft 365, set up to the end',
    setup: zone(
      ...microsoft,
      txt('v=spf1 include:spf.protection.outlook.com -all'),
      dmarc(`v=DMARC1; p=reject; ${report}`),
    ),
    told: [],
    never: ['dkim-alias-dangling', 'mx-single'],
  },
  {
    name: 'Microsoft 365 without SPF',
    setup: zone(...microsoft, dmarc(`v=DMARC1; p=reject; ${report}`)),
    fix: ['spf-missing', 'a.test', 'v=spf1 include:spf.protection.outlook.com ~all'],
    told: ['spf-missing'],
  },
  {
    name: 'Proton Mail',
    setup: zone(
      ...mx('mail.protonmail.ch', 'mailsec.protonmail.ch'),
      txt('v=spf1 include:_spf.protonmail.ch ~all'),
      dkim('protonmail', 'protonmail.domainkey.dabc.domains.proton.ch'),
      dkim('protonmail2', 'protonmail2.domainkey.dabc.domains.proton.ch'),
      dkim('protonmail3', 'protonmail3.domainkey.dabc.domains.proton.ch'),
      dmarc('v=DMARC1; p=quarantine'),
    ),
    told: ['dmarc-rua-missing'],
  },
  {
    name: 'Fastmail with its own ?all',
    setup: zone(
      ...mx('in1-smtp.messagingengine.com', 'in2-smtp.messagingengine.com'),
      txt('v=spf1 include:spf.messagingengine.com ?all'),
      ...['fm1', 'fm2', 'fm3'].map((at) => dkim(at, `${at}.a.test.dkim.fmhosted.com`)),
      dmarc(`v=DMARC1; p=quarantine; ${report}`),
    ),
    told: ['spf-all-neutral'],
  },
  {
    name: 'Zoho Mail (EU)',
    setup: zone(
      ...mx('mx.zoho.eu', 'mx2.zoho.eu', 'mx3.zoho.eu'),
      txt('v=spf1 include:zohomail.eu ~all'),
      `zmail._domainkey.a.test 3600 TXT ${key}`,
      dmarc(`v=DMARC1; p=none; ${report}`),
    ),
    told: ['dmarc-policy-none'],
  },
  {
    name: 'iCloud Mail',
    setup: zone(
      ...mx('mx01.mail.icloud.com', 'mx02.mail.icloud.com'),
      txt('apple-domain=abc'),
      txt('v=spf1 include:icloud.com ~all'),
      dkim('sig1', 'sig1.dkim.a.test.at.icloudmailadmin.com'),
    ),
    told: ['dmarc-missing'],
  },
  {
    name: 'Cloudflare Email Routing with its DMARC reports',
    setup: zone(
      ...mx('route1.mx.cloudflare.net', 'route2.mx.cloudflare.net', 'route3.mx.cloudflare.net'),
      txt('v=spf1 include:_spf.mx.cloudflare.net ~all'),
      `cf2024-1._domainkey.a.test 3600 TXT ${key}`,
      dmarc('v=DMARC1; p=reject; rua=mailto:abc@dmarc-reports.cloudflare.net'),
    ),
    told: [],
  },
  {
    name: 'IONOS with its own DMARC alias',
    setup: zone(
      ...mx('mx00.ionos.de', 'mx01.ionos.de'),
      txt('v=spf1 include:_spf-eu.ionos.com ~all'),
      dkim('s1-ionos', 's1.dkim.ionos.com'),
      dkim('s2-ionos', 's2.dkim.ionos.com'),
      '_dmarc.a.test 3600 CNAME dmarc.ionos.de',
    ),
    told: ['dmarc-policy-none', 'dmarc-rua-missing'],
  },
  {
    name: 'STRATO with redirect',
    setup: zone(
      ...mx('smtpin.rzone.de'),
      txt('v=spf1 redirect=_spf.strato.com'),
      dkim('strato-dkim-0002', 'strato-dkim-0002._domainkey.rzone.de'),
      dmarc('v=DMARC1;p=reject;'),
    ),
    fix: ['spf-all-neutral', 'a.test', 'v=spf1 include:_spf.strato.com ~all'],
    told: ['spf-all-neutral', 'dmarc-rua-missing'],
  },
  {
    name: 'OVHcloud as delivered',
    setup: zone(
      ...mx('mx0.mail.ovh.net', 'mx1.mail.ovh.net', 'mx2.mail.ovh.net'),
      txt('v=spf1 include:mx.ovh.com -all'),
    ),
    told: ['dkim-none-possible', 'dmarc-missing'],
  },
  {
    name: 'Gandi as delivered',
    setup: zone(
      ...mx('spool.mail.gandi.net', 'fb.mail.gandi.net'),
      txt('v=spf1 include:_mailcust.gandi.net ?all'),
      ...['gm1', 'gm2', 'gm3'].map((at) => dkim(at, `${at}.gandimail.net`)),
    ),
    told: ['spf-all-neutral', 'dmarc-missing'],
  },
  {
    name: 'Namecheap Private Email',
    setup: zone(
      ...mx('mx1.privateemail.com', 'mx2.privateemail.com'),
      txt('v=spf1 include:spf.privateemail.com ~all'),
      `default._domainkey.a.test 3600 TXT ${key}`,
    ),
    told: ['dmarc-missing'],
  },
  {
    name: 'Hostinger',
    setup: zone(
      ...mx('mx1.hostinger.com', 'mx2.hostinger.com'),
      txt('v=spf1 include:_spf.mail.hostinger.com ~all'),
      ...['a', 'b', 'c'].map((at) =>
        dkim(`hostingermail-${at}`, `hostingermail-${at}.dkim.mail.hostinger.com`),
      ),
      dmarc('v=DMARC1; p=none'),
    ),
    told: ['dmarc-policy-none', 'dmarc-rua-missing'],
  },
  {
    name: 'GoDaddy, parked',
    setup: web(
      '@ 600 A 3.33.130.190',
      '@ 600 A 15.197.148.33',
      'www.a.test 3600 CNAME a.test',
      dmarc('v=DMARC1; p=quarantine; adkim=r; aspf=r; rua=mailto:dmarc_rua@onsecureserver.net;'),
    ),
    told: ['spf-missing-parked'],
    never: ['mx-null-missing'],
  },
  {
    name: 'Squarespace, a site alone',
    setup: web(
      '@ 3600 A 198.185.159.144',
      '@ 3600 A 198.49.23.145',
      'www.a.test 3600 CNAME ext-sq.squarespace.com',
    ),
    told: ['spf-missing-parked', 'dmarc-missing'],
    never: ['mx-null-missing'],
  },
  {
    name: 'Shopify with Google Workspace',
    setup: {
      ...zone(
        '@ 3600 A 23.227.38.65',
        'www.a.test 3600 CNAME shops.myshopify.com',
        ...google,
        dmarc('v=DMARC1; p=none;'),
      ),
      without: [...base, '@ 3600 A', 'www'],
    },
    told: ['dmarc-policy-none', 'dmarc-rua-missing'],
  },
  {
    name: 'Wix, a closed domain',
    setup: web(
      '@ 3600 A 185.230.63.107',
      '@ 3600 A 185.230.63.186',
      'www.a.test 3600 CNAME cdn1.wixdns.net',
      ...closed,
    ),
    told: [],
  },
  {
    name: 'GitHub Pages, a closed domain',
    setup: web(
      '@ 3600 A 185.199.108.153',
      '@ 3600 A 185.199.109.153',
      '@ 3600 AAAA 2606:50c0:8000::153',
      'www.a.test 3600 CNAME a.github.io',
      ...closed,
    ),
    told: [],
  },
  {
    name: 'Netlify, without a word on mail',
    setup: web('@ 3600 A 75.2.60.5', 'www.a.test 3600 CNAME a.netlify.app'),
    told: ['spf-missing-parked', 'dmarc-missing'],
  },
  {
    name: 'Vercel, a closed domain',
    setup: web('@ 3600 A 216.150.1.1', 'www.a.test 3600 CNAME a.vercel-dns-017.com', ...closed),
    told: [],
  },
  {
    name: 'Amazon SES with mail to it, and keys of its own choice',
    setup: zone(
      ...mx('inbound-smtp.eu-west-1.amazonaws.com'),
      txt('v=spf1 include:amazonses.com ~all'),
      dkim('t1', 't1.dkim.amazonses.com'),
      dmarc(`v=DMARC1; p=reject; ${report}`),
    ),
    told: ['dkim-not-guessed'],
    never: ['dkim-none-possible'],
  },
  {
    name: 'Amazon Route 53 with its own SOA',
    setup: {
      ...zone(
        '@ 900 SOA ns1.a.test awsdns-hostmaster.amazonses.com 1 7200 900 1209600 86400',
        ...google,
        dmarc(`v=DMARC1; p=reject; ${report}`),
      ),
      without: [...base, '@ 3600 SOA'],
    },
    told: [],
    never: ['soa-minimum-range', 'soa-refresh-range', 'soa-retry-range'],
  },
];
