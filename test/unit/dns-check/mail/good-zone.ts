import keys from '../../../fixtures/dns-check/mail/dkim-keys.json' with { type: 'json' };
import type { ZoneLiteral } from './zone-literal.ts';

const digest = (sign: string) => sign.repeat(64);

/** A domain with nothing to say against it. */
export const goodZone: ZoneLiteral = {
  ' SOA': 'root',
  'good.test A': '192.0.2.80',
  'good.test AAAA': '2001:db8::80',
  'good.test NS': ['ns1.good.test', 'ns2.good.test'],
  'ns1.good.test A': '192.0.2.53',
  'ns2.good.test A': '192.0.2.54',
  'good.test TXT @192.0.2.53': 'v=spf1 mx -all',
  'good.test TXT @192.0.2.54': ['other', 'v=spf1 mx -all'],
  'good.test TXT': ['v=spf1 mx -all', 'some-service-verification=1'],
  'good.test MX': ['10 mx1.good.test', '20 mx2.good.test'],
  'mx1.good.test A': '192.0.2.25',
  'mx1.good.test AAAA': '2001:db8::25',
  'mx2.good.test A': '192.0.2.26',
  '25.2.0.192.in-addr.arpa PTR': 'mx1.good.test',
  '26.2.0.192.in-addr.arpa PTR': 'mx2.good.test',
  '5.2.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa PTR': 'mx1.good.test',
  '_25._tcp.mx1.good.test TLSA': [`3 1 1 ${digest('a')}`, `2 1 1 ${digest('b')}`],
  '_25._tcp.mx2.good.test TLSA': [`3 1 1 ${digest('c')}`, `2 1 1 ${digest('b')}`],
  '_dmarc.good.test TXT': 'v=DMARC1; p=reject; rua=mailto:reports@good.test',
  'default._domainkey.good.test TXT': `v=DKIM1; k=rsa; p=${keys.rsa2048}`,
  '_mta-sts.good.test TXT': 'v=STSv1; id=1',
  'mta-sts.good.test A': '192.0.2.80',
  '_smtp._tls.good.test TXT': 'v=TLSRPTv1; rua=mailto:tls@good.test',
  'default._bimi.good.test TXT': 'v=BIMI1; l=https://good.test/logo.svg; a=https://good.test/mark.pem',
};

export const goodPolicy = 'version: STSv1\nmode: enforce\nmx: *.good.test\nmax_age: 604800\n';

/** A domain that neither takes nor sends mail, and says so. */
export const parkedZone: ZoneLiteral = {
  ' SOA': 'root',
  'good.test A': '192.0.2.80',
  'good.test TXT': 'v=spf1 -all',
  'good.test MX': '0 .',
  '_dmarc.good.test TXT': 'v=DMARC1; p=reject',
};
