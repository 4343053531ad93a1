/** The day when the table was written. */
export const serversListedOn = '2026-11-22';

/**
 * Where large providers of DNS have their name servers: a name that is one of these or below it. Only names that the provider alone
 * gives out, so none below which customers have hosts. Written from what is generally known of these providers; the page beside each
 * is where its own customers read of it: compare a row with it when you touch it.
 */
const wellKnownDomains: { readonly [provider: string]: readonly string[] } = {
  'root servers': ['root-servers.net'], // https://root-servers.org
  Verisign: ['gtld-servers.net', 'verisigndns.com'], // https://www.verisign.com
  Akamai: ['akam.net'], // https://techdocs.akamai.com/edge-dns
  Alibaba: ['alidns.com', 'hichina.com'], // https://www.alibabacloud.com/help/en/dns
  Cloudflare: ['ns.cloudflare.com', 'foundationdns.com', 'foundationdns.net', 'foundationdns.org'], // https://developers.cloudflare.com/dns/nameservers
  DigitalOcean: ['ns1.digitalocean.com', 'ns2.digitalocean.com', 'ns3.digitalocean.com'], // https://docs.digitalocean.com/products/networking/dns
  'DNS Made Easy': ['dnsmadeeasy.com'], // https://support.dnsmadeeasy.com
  DNSimple: ['dnsimple.com', 'dnsimple-edge.net', 'dnsimple-edge.org'], // https://support.dnsimple.com
  GoDaddy: ['domaincontrol.com'], // https://www.godaddy.com/help
  Google: ['googledomains.com', 'ns1.google.com', 'ns2.google.com', 'ns3.google.com', 'ns4.google.com'], // https://cloud.google.com/dns/docs
  Hetzner: ['ns.hetzner.com', 'ns.hetzner.de', 'ns.second-ns.com', 'ns.second-ns.de'], // https://docs.hetzner.com/dns-console
  Hostinger: ['dns-parking.com'], // https://www.hostinger.com/support
  IONOS: ['ui-dns.biz', 'ui-dns.com', 'ui-dns.de', 'ui-dns.org'], // https://www.ionos.com/help/domains
  Microsoft: [
    'azure-dns.com',
    'azure-dns.info',
    'azure-dns.net',
    'azure-dns.org',
    'bdm.microsoftonline.com',
    'msft.net',
  ], // https://learn.microsoft.com/azure/dns
  Namecheap: ['registrar-servers.com'], // https://www.namecheap.com/support/knowledgebase
  'Network Solutions': ['worldnic.com'], // https://www.networksolutions.com/help
  NS1: ['nsone.net'], // https://www.ibm.com/docs/en/ns1-connect
  Oracle: ['dynect.net'], // https://docs.oracle.com/iaas/Content/DNS
  OVHcloud: ['anycast.me'], // https://help.ovhcloud.com
  Squarespace: ['squarespacedns.com'], // https://support.squarespace.com
  STRATO: ['rzone.de'], // https://www.strato.de/faq
  Tencent: ['dnspod.net'], // https://docs.dnspod.com
  UltraDNS: ['ultradns.biz', 'ultradns.com', 'ultradns.info', 'ultradns.net', 'ultradns.org'], // https://vercara.digicert.com
  Vercel: ['vercel-dns.com'], // https://vercel.com/docs/domains
  Wix: ['wixdns.net'], // https://support.wix.com
};

/** Amazon Route 53 has a domain of its own for each of 64 numbers (https://docs.aws.amazon.com/Route53). */
const route53 = /^ns-\d{1,4}\.awsdns-\d{2}\.(?:com|net|org|co\.uk)$/;

const providers: ReadonlyMap<string, string> = new Map(
  Object.entries(wellKnownDomains).flatMap(([provider, domains]) => domains.map((name) => [name, provider])),
);

/** Who runs a name server of this name, in lower case without the last dot; undefined for one that the table does not know. */
export function providerOf(name: string): string | undefined {
  if (route53.test(name)) return 'Amazon Route 53';
  const labels = name.split('.');
  const found = labels.map((_, at) => providers.get(labels.slice(at).join('.')));
  return found.find((provider) => provider !== undefined);
}
