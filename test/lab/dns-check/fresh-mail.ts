import type { DnsCheckCode } from '#shared/catalogue/dns-check/rules';
import type { Setup } from './fresh-world.ts';

/** A slip of the kinds that the tests of other checkers of mail have, and all findings above info that it should have. */
export type FreshMail = {
  readonly name: string;
  readonly setup: Setup;
  readonly domain?: string;
  readonly told: readonly DnsCheckCode[];
};

const dm = (t: string): Setup => ({ without: ['_dmarc'], add: [`_dmarc.a.test 3600 TXT ${t}`] });
const spf = (...t: readonly string[]): Setup => ({
  without: ['@ 3600 TXT'],
  add: t.map((x) => `@ 3600 TXT ${x}`),
});
const dk = (...t: readonly string[]): Setup => ({ without: ['one'], add: t });
const mx = (...t: readonly string[]): Setup => ({ without: ['@ 3600 MX'], add: t });

export const freshMail: readonly FreshMail[] = [
  {
    name: 'dmarc quotes',
    setup: dm('"v=DMARC1; p=reject; rua=mailto:d@a.test"'),
    told: ['dmarc-record-ignored'],
  },
  {
    name: 'dmarc p quotes',
    setup: dm('v=DMARC1; p="reject"; rua=mailto:d@a.test'),
    told: ['dmarc-policy-fallback'],
  },
  {
    name: 'dmarc P=Reject',
    setup: dm('v=DMARC1; P=Reject; rua=mailto:d@a.test'),
    told: ['dmarc-unknown-tag', 'dmarc-policy-fallback'],
  },
  { name: 'dmarc V=', setup: dm('V=DMARC1; p=reject; rua=mailto:d@a.test'), told: [] },
  {
    name: 'dmarc missing semicolon',
    setup: dm('v=DMARC1 p=reject; rua=mailto:d@a.test'),
    told: ['dmarc-record-ignored'],
  },
  {
    name: 'dmarc commas',
    setup: dm('v=DMARC1, p=reject, rua=mailto:d@a.test'),
    told: ['dmarc-record-ignored'],
  },
  { name: 'dmarc rua no mailto', setup: dm('v=DMARC1; p=reject; rua=d@a.test'), told: ['dmarc-rua-invalid'] },
  {
    name: 'dmarc rua space',
    setup: dm('v=DMARC1; p=reject; rua=mailto: d@a.test'),
    told: ['dmarc-rua-invalid'],
  },
  {
    name: 'dmarc rua semicolon list',
    setup: dm('v=DMARC1; p=reject; rua=mailto:d@a.test; mailto:e@a.test'),
    told: ['dmarc-syntax'],
  },
  {
    name: 'dmarc foreign rua',
    setup: dm('v=DMARC1; p=reject; rua=mailto:d@other.test'),
    told: ['dmarc-rua-unauthorised', 'dmarc-rua-no-mail'],
  },
  {
    name: 'dmarc pct ri rf',
    setup: dm('v=DMARC1; p=reject; pct=50; ri=3600; rf=afrf; rua=mailto:d@a.test'),
    told: [],
  },
  {
    name: 'dmarc fo list',
    setup: dm('v=DMARC1; p=reject; fo=0:1:d:s; rua=mailto:d@a.test'),
    told: ['dmarc-syntax'],
  },
  {
    name: 'dmarc ruf no mailto',
    setup: dm('v=DMARC1; p=reject; rua=mailto:d@a.test; ruf=d@a.test'),
    told: ['dmarc-ruf-invalid'],
  },
  {
    name: 'dmarc sp none',
    setup: dm('v=DMARC1; p=reject; sp=none; rua=mailto:d@a.test'),
    told: ['dmarc-subdomain-weaker'],
  },
  {
    name: 'dmarc np none t=y',
    setup: dm('v=DMARC1; p=reject; np=none; t=y; rua=mailto:d@a.test'),
    told: ['dmarc-nonexistent-weaker', 'dmarc-testing'],
  },
  {
    name: 'dmarc p missing with rua',
    setup: dm('v=DMARC1; rua=mailto:d@a.test'),
    told: ['dmarc-policy-fallback'],
  },
  { name: 'dmarc p missing', setup: dm('v=DMARC1; sp=reject'), told: ['dmarc-no-effect'] },
  {
    name: 'dmarc dup p',
    setup: dm('v=DMARC1; p=none; p=reject; rua=mailto:d@a.test'),
    told: ['dmarc-duplicate-tag'],
  },
  { name: 'dmarc spf at _dmarc', setup: dm('v=spf1 -all'), told: ['dmarc-missing', 'dmarc-foreign-record'] },
  {
    name: 'dmarc two',
    setup: {
      without: ['_dmarc'],
      add: ['_dmarc.a.test 3600 TXT v=DMARC1; p=none', '_dmarc.a.test 3600 TXT v=DMARC1; p=reject'],
    },
    told: ['dmarc-multiple'],
  },
  {
    name: 'dmarc doubled',
    setup: {
      without: ['_dmarc'],
      add: ['_dmarc.a.test.a.test 3600 TXT v=DMARC1; p=reject; rua=mailto:d@a.test'],
    },
    told: ['dmarc-missing', 'dmarc-wrong-place'],
  },
  {
    name: 'dmarc cname dangling',
    setup: { without: ['_dmarc'], add: ['_dmarc.a.test 3600 CNAME gone.test'] },
    told: ['dmarc-alias-dangling'],
  },
  { name: 'spf quotes', setup: spf('"v=spf1 mx -all"'), told: ['spf-record-ignored'] },
  {
    name: 'spf doubled',
    setup: { without: ['@ 3600 TXT'], add: ['a.test.a.test 3600 TXT v=spf1 mx -all'] },
    told: ['spf-missing'],
  },
  { name: 'spf spf1 no version', setup: spf('spf1 mx -all'), told: ['spf-record-ignored'] },
  { name: 'spf v=spf2', setup: spf('v=spf2 mx -all'), told: ['spf-record-ignored'] },
  { name: 'spf space eq', setup: spf('v = spf1 mx -all'), told: ['spf-record-ignored'] },
  { name: 'spf double space', setup: spf('v=spf1  mx   -all'), told: [] },
  { name: 'spf MX caps', setup: spf('V=SPF1 MX -ALL'), told: [] },
  { name: 'spf ip', setup: spf('v=spf1 ip:198.41.0.25 -all'), told: ['spf-syntax'] },
  { name: 'spf ipv4', setup: spf('v=spf1 ipv4:198.41.0.25 -all'), told: ['spf-syntax'] },
  { name: 'spf ip4 host', setup: spf('v=spf1 ip4:mail.a.test -all'), told: ['spf-syntax'] },
  { name: 'spf ip4 space', setup: spf('v=spf1 ip4: 198.41.0.25 -all'), told: ['spf-syntax'] },
  {
    name: 'spf redirect beside all',
    setup: spf('v=spf1 redirect=mail.a.test -all'),
    told: ['spf-senders-shut-out'],
  },
  {
    name: 'spf include behind soft all',
    setup: {
      ...spf('v=spf1 ~all include:spf.a.test'),
      add: ['@ 3600 TXT v=spf1 ~all include:spf.a.test', 'spf.a.test 3600 TXT v=spf1 mx -all'],
    },
    told: ['spf-senders-soft-failed'],
  },
  { name: 'spf include address', setup: spf('v=spf1 include:5.9.10.12 -all'), told: ['spf-syntax'] },
  { name: 'spf all mid', setup: spf('v=spf1 -all mx'), told: ['spf-senders-shut-out'] },
  { name: 'spf include=', setup: spf('v=spf1 include=mail.a.test mx -all'), told: ['spf-mechanism-equals'] },
  { name: 'spf include self', setup: spf('v=spf1 include:a.test -all'), told: ['spf-loop'] },
  { name: 'spf redirect self', setup: spf('v=spf1 redirect=a.test'), told: ['spf-loop'] },
  { name: 'spf +all', setup: spf('v=spf1 mx +all'), told: ['spf-all-pass'] },
  { name: 'spf ?all', setup: spf('v=spf1 mx ?all'), told: ['spf-all-neutral'] },
  { name: 'spf ptr', setup: spf('v=spf1 ptr mx -all'), told: ['spf-ptr'] },
  { name: 'spf dead include', setup: spf('v=spf1 mx include:gone.test -all'), told: ['spf-include-missing'] },
  {
    name: 'spf 11',
    setup: spf('v=spf1 ' + Array.from({ length: 11 }, (_, i) => `a:h${i}.a.test`).join(' ') + ' -all'),
    told: ['spf-too-many-lookups', 'spf-too-many-voids', 'spf-name-missing'],
  },
  { name: 'spf private', setup: spf('v=spf1 ip4:10.0.0.1 mx -all'), told: ['spf-range-private'] },
  { name: 'spf /0', setup: spf('v=spf1 ip4:0.0.0.0/0 -all'), told: ['spf-all-pass'] },
  { name: 'spf exp', setup: spf('v=spf1 mx exp=explain.a.test -all'), told: [] },
  { name: 'spf mx:cname? trailing dot', setup: spf('v=spf1 a:mail.a.test. -all'), told: [] },
  { name: 'spf comma', setup: spf('v=spf1 mx, -all'), told: ['spf-syntax'] },
  {
    name: 'dkim upper',
    setup: dk('default._domainkey.a.test 3600 TXT V=DKIM1; K=rsa; P=MIGf'),
    told: ['dkim-syntax'],
  },
  {
    name: 'dkim quotes',
    setup: dk('default._domainkey.a.test 3600 TXT "v=DKIM1; k=rsa; p=MIGf"'),
    told: ['dkim-syntax'],
  },
  { name: 'dkim none', setup: dk(), told: ['dkim-none-possible'] },
  {
    name: 'dkim doubled',
    setup: dk('default._domainkey.a.test.a.test 3600 TXT v=DKIM1; p=MIGf'),
    told: ['dkim-none-possible'],
  },
  {
    name: 'dkim bad b64',
    setup: dk('default._domainkey.a.test 3600 TXT v=DKIM1; p=MI%%'),
    told: ['dkim-key-invalid'],
  },
  {
    name: 'dkim v late',
    setup: dk('default._domainkey.a.test 3600 TXT k=rsa; v=DKIM1; p='),
    told: ['dkim-syntax'],
  },
  {
    name: 'dkim t=y',
    setup: dk('default._domainkey.a.test 3600 TXT v=DKIM1; t=y; p='),
    told: ['dkim-test-mode'],
  },
  {
    name: 'mx slip google',
    setup: mx('@ 3600 MX 1 aspmx.l.google.com.a.test'),
    told: ['soa-rname-no-mail', 'mx-none-reachable'],
  },
  {
    name: 'mx doubled',
    setup: mx('@ 3600 MX 1 mail.a.test.a.test'),
    told: ['soa-rname-no-mail', 'mx-none-reachable'],
  },
  {
    name: 'mx slip plus good',
    setup: { add: ['@ 3600 MX 1 aspmx.l.google.com.a.test'] },
    told: ['mx-no-address'],
  },
  {
    name: 'mx slip wildcard',
    setup: {
      without: ['@ 3600 MX'],
      add: ['@ 3600 MX 1 aspmx.l.google.com.a.test', '*.a.test 3600 A 192.0.2.80'],
    },
    told: ['record-dot-missing'],
  },
  {
    name: 'ns slip',
    setup: { add: ['@ 3600 NS ns1.provider.com.a.test'] },
    told: ['ns-without-address', 'ns-parent-child-mismatch'],
  },
  {
    name: 'cname slip',
    setup: { without: ['www'], add: ['www.a.test 3600 CNAME shops.myshopify.com.a.test'] },
    told: ['cname-dangling'],
  },
  {
    name: 'ptr slip',
    setup: {
      others: {
        arpa: [
          '@ 3600 SOA ns.test h.a.test 1 1800 900 604800 86400',
          '25.0.41.198.in-addr.arpa 3600 PTR mail.a.test.0.41.198.in-addr.arpa',
        ],
      },
    },
    told: ['ptr-not-confirmed'],
  },
  {
    name: 'mta-sts caps',
    setup: { add: ['_mta-sts.a.test 3600 TXT V=STSv1; id=1'] },
    told: ['mta-sts-record-syntax'],
  },
  {
    name: 'tlsrpt quotes',
    setup: { add: ['_smtp._tls.a.test 3600 TXT "v=TLSRPTv1; rua=mailto:d@a.test"'] },
    told: ['tls-rpt-syntax'],
  },
  { name: 'ent', setup: { add: ['x.sub.a.test 3600 A 192.0.2.1'] }, domain: 'sub.a.test', told: [] },
  { name: 'www', setup: {}, domain: 'www.a.test', told: [] },
  {
    name: 'host without dmarc',
    setup: { without: ['_dmarc'], add: ['h.a.test 3600 A 192.0.2.3'] },
    domain: 'h.a.test',
    told: ['spf-missing-parked', 'dmarc-missing', 'mx-implicit'],
  },
  {
    name: 'parked nothing',
    setup: { without: ['@ 3600 MX', '@ 3600 TXT', '_dmarc', '@ 3600 A', 'one', 'www', 'mail'] },
    told: ['soa-rname-no-mail', 'spf-missing-parked', 'dmarc-missing', 'mx-null-missing'],
  },
  {
    name: 'localhost mx',
    setup: mx('@ 3600 MX 0 localhost'),
    told: ['record-name-not-public', 'soa-rname-no-mail', 'mx-none-reachable'],
  },
  {
    name: 'caa quotes',
    setup: { without: ['@ 3600 CAA'], add: ['@ 3600 CAA 0 issue "letsencrypt.org"'] },
    told: ['caa-value-malformed'],
  },
  {
    name: 'caa url',
    setup: { without: ['@ 3600 CAA'], add: ['@ 3600 CAA 0 issue https://letsencrypt.org'] },
    told: ['caa-value-malformed'],
  },
  {
    name: 'caa vm',
    setup: { without: ['@ 3600 CAA'], add: ['@ 3600 CAA 0 issue letsencrypt.org; validationmethods=http01'] },
    told: ['caa-methods-none-known'],
  },
  {
    name: 'caa email',
    setup: {
      without: ['@ 3600 CAA'],
      add: [
        '@ 3600 CAA 0 issue letsencrypt.org',
        '@ 3600 CAA 0 contactemail a b',
        '@ 3600 CAA 0 contactphone 123',
      ],
    },
    told: ['caa-contact-invalid'],
  },
  {
    name: 'caa Issue',
    setup: { without: ['@ 3600 CAA'], add: ['@ 3600 CAA 0 Issue letsencrypt.org'] },
    told: [],
  },
  {
    name: 'caa flag 1',
    setup: { without: ['@ 3600 CAA'], add: ['@ 3600 CAA 1 issue letsencrypt.org'] },
    told: [],
  },
];
