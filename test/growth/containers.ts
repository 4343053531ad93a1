/** What holds a text or bytes of a target: the most of it that reaches a reader, and the place that sees to that. */
export type Container = { readonly most: number; readonly bound: string };

const container = (most: number, bound: string): Container => ({ most, bound });

/** Characters or bytes. */
export const containers = {
  page: container(524_288, 'pageBytes of the walks; taken from the run (worker/probes/work.ts)'),
  attribute: container(524_288, 'pageBytes of the walks'),
  'kept attribute': container(
    16_384,
    'valueLimit of worker/checks/security-header-check/gather/read-document.ts',
  ),
  policies: container(
    65_536,
    'policyLimit of worker/checks/security-header-check/gather/read-document.ts; headerBytes',
  ),
  'header section': container(65_536, 'headerBytes of worker/probes/http/settings.ts'),
  'robots.txt': container(512_000, 'robotsBytes of worker/checks/security-header-check/gather/site-files.ts'),
  'security.txt': container(
    32_768,
    'securityTxtBytes of worker/checks/security-header-check/gather/site-files.ts',
  ),
  'beginning of a page': container(65_536, 'bodyLimit of worker/web/block-page.ts'),
  'DNS message': container(65_535, 'the length field of DNS over TCP (RFC 1035 §4.2.2)'),
  'DNS name': container(
    1024,
    'readName of worker/probes/dns/name.ts: 255 octets, each at most four characters',
  ),
  'DNS record': container(65_535, 'the length field of DNS over TCP (RFC 1035 §4.2.2)'),
  'BIMI file': container(65_536, 'fileLimitBytes of worker/checks/dns-check/mail/bimi/files.ts'),
  'MTA-STS policy': container(65_536, 'policyLimitBytes of worker/mail/fetch-policy.ts'),
  certificate: container(102_400, 'messageLimitBytes of worker/probes/tls/flight-guard.ts'),
  'certificate list': container(
    1_000_000,
    'listLimitBytes of worker/checks/ssl-check/gather/gather-revocation-list.ts',
  ),
  exchange: container(65_536, 'exchangeBytes of worker/probes/tls/open.ts'),
  datagram: container(65_535, 'the length field of UDP'),
  'registry answer': container(262_144, 'bodyBytes of worker/probes/rdap/open.ts'),
  'SMTP line': container(2048, 'lineBytes of worker/probes/smtp/reply-reader.ts'),
  picture: container(65_536, 'the beginning of a picture that a page load gives'),
} as const satisfies { readonly [name: string]: Container };

export type ContainerName = keyof typeof containers;
