import { silentAddress } from './names.ts';
import type { NetworkSpec, Places } from './network.ts';
import { program } from './network.ts';
import type { World } from './world.ts';

/** Both transports of DNS. */
const port53 = 'meta l4proto { tcp, udp } th dport 53';
const fromLan = 'iifname "lan"';
/** Octets 10 and 11 of a message count its additional records: EDNS is one, and a question has no other. */
const withEdns = 'udp dport 53 @th,144,16 != 0 drop';

const untilListening = (port: number) =>
  `for try in $(seq 100); do ss -Hltn 'sport = :${port}' | grep -q . && break; sleep 0.05; done`;

/** Drops what is longer, and tells nobody. */
const blackHole = (octets: number): NetworkSpec => ({
  forward: [`ip length > ${octets} drop`, `ip6 length > ${octets - 40} drop`],
});

const behindProxy = (places: Places) => {
  const proxy = `http://${places.router4}:3128`;
  return { HTTP_PROXY: proxy, HTTPS_PROXY: proxy, http_proxy: proxy, https_proxy: proxy };
};

/** Also where it is not trusted: browsers of the company have its authority, Node has not. */
const intercepted: NetworkSpec = {
  redirect: [`${fromLan} tcp dport 443 redirect to :8443`],
  programs: (_, { folder }) => [program('tls-proxy.ts', folder)],
  inRouter: untilListening(8443),
};

/** Translates by tayga (a package of Debian), from an address pool that is then hidden behind the router's own address. */
const translator = ({ client6 }: Places, { folder }: World) => {
  const prefix = client6.split(':').slice(0, 3).join(':');
  const config = `${folder}/tayga-${prefix.replaceAll(':', '-')}.conf`;
  const text = `tun-device nat64\\nipv4-addr 192.168.255.1\\nipv6-addr ${prefix}:64::1\\nprefix 64:ff9b::/96\\ndynamic-pool 192.168.255.0/24\\n`;
  return [
    [
      'sh',
      '-ec',
      `printf '${text}' > ${config}\ntayga -c ${config} --mktun\nip link set nat64 up\nip route add 192.168.255.0/24 dev nat64\nip -6 route add 64:ff9b::/96 dev nat64\nexec tayga -n -c ${config}`,
    ],
  ];
};

const dns64 = '  module-config: "dns64 validator iterator"\n  dns64-prefix: 64:ff9b::/96\n';

/** A machine whose clock is wrong by so much (libfaketime, a package of Debian). */
const clock = (offset: string) => () => ({
  LD_PRELOAD: '/usr/$LIB/faketime/libfaketime.so.1',
  FAKETIME: offset,
  FAKETIME_DONT_FAKE_MONOTONIC: '1',
});

/** Networks as people have them. */
export const networks = {
  good: {},
  'port 53 redirected to the resolver': { redirect: [`${fromLan} ${port53} redirect to :53`] },
  'port 53 dropped': { forward: [`${port53} drop`] },
  'port 53 rejected': { forward: [`${port53} reject with icmpx type admin-prohibited`] },
  'TCP 53 blocked': { forward: ['tcp dport 53 drop'], input: [`${fromLan} tcp dport 53 drop`] },
  'TCP 53 blocked, longer than 1280 lost': {
    forward: ['tcp dport 53 drop', 'ip length > 1280 drop', 'ip6 length > 1240 drop'],
    input: [`${fromLan} tcp dport 53 drop`],
  },
  'EDNS dropped': { forward: [withEdns], input: [`${fromLan} ${withEdns}`] },
  'resolver knows no new types (NOTIMP)': { proxy: 'notimp' },
  'resolver knows no new types (empty)': { proxy: 'nodata' },
  'resolver of 512 octets without TCP': { proxy: 'small' },
  'resolver without EDNS over UDP': { proxy: '+strips' },
  'resolver without EDNS over UDP, no new types (NOTIMP)': { proxy: 'notimp+strips' },
  'resolver without EDNS over UDP, no new types (empty)': { proxy: 'nodata+strips' },
  'resolver without EDNS, of 512 octets without TCP': { proxy: 'small+strips' },
  'NXDOMAIN rewritten': { proxy: 'nxdomain' },
  'resolver denies every name': { proxy: 'denies-all' },
  'resolver blocks the domain (NXDOMAIN)': { proxy: 'blocks' },
  'resolver blocks the domain (0.0.0.0)': { proxy: 'sinkhole' },
  'resolver blocks the domain (REFUSED)': { proxy: 'refuses' },
  'resolver blocks the domain, port 53 dropped': { proxy: 'blocks', forward: [`${fromLan} ${port53} drop`] },
  'resolver proves nothing': { proxy: 'proves-nothing' },
  'resolver proves nothing, port 53 dropped': {
    proxy: 'proves-nothing',
    forward: [`${fromLan} ${port53} drop`],
  },
  'IPv6 only, with DNS64 and NAT64': {
    families: 'v6',
    unbound: dns64,
    programs: translator,
    masquerade: ['ip saddr 192.168.255.0/24 oifname "wan" masquerade'],
  },
  'IPv4 only': { families: 'v4', inClient: 'sysctl -qw net.ipv6.conf.eth0.disable_ipv6=1' },
  'IPv6 leads nowhere': { forward: ['meta nfproto ipv6 drop'] },
  'slow and lossy': { line: { delayMs: 150, loss: 0.03 } },
  'longer than 1400 lost': blackHole(1400),
  'longer than 1280 lost': blackHole(1280),
  'port 443 reset': { forward: ['tcp dport 443 reject with tcp reset'] },
  'port 443 reset behind the first data': {
    forward: ['tcp dport 443 tcp flags & psh == psh reject with tcp reset'],
  },
  'port 443 prohibited': { forward: ['tcp dport 443 reject with icmpx type admin-prohibited'] },
  'only an HTTP proxy leads out': {
    forward: ['drop'],
    programs: ({ router4 }) => [program('http-proxy.ts', router4)],
    inRouter: untilListening(3128),
    env: behindProxy,
  },
  'TLS intercepted': intercepted,
  'TLS intercepted, its authority trusted': {
    ...intercepted,
    env: (_, { folder }) => ({ NODE_EXTRA_CA_CERTS: `${folder}/proxy-ca.pem` }),
  },
  'resolver silent': { noResolver: true, input: [`${fromLan} ${port53} drop`] },
  'resolver not there': { noResolver: true },
  'resolver fails always (SERVFAIL)': { proxy: 'servfail' },
  'resolver at a link-local address': { resolvers: ({ routerScoped }) => [routerScoped] },
  'slow resolver': { proxy: 'slow' },
  'port 53 of IPv4 redirected to the resolver': {
    redirect: [`${fromLan} meta nfproto ipv4 ${port53} redirect to :53`],
  },
  'IPv6 without TCP': { forward: ['meta nfproto ipv6 meta l4proto tcp drop'] },
  'only the own resolver passes': { forward: ['drop'] },
  'captive portal': {
    forward: ['tcp dport 443 reject with tcp reset'],
    redirect: [`${fromLan} tcp dport 80 redirect to :8080`],
    programs: () => [program('portal.ts')],
    inRouter: untilListening(8080),
  },
  'first resolver denies the domain, with proof': { proxy: 'denies-proved' },
  'resolver denies no name (NODATA)': { proxy: 'denies-nothing' },
  'FORMERR to EDNS, late': { proxy: 'formerr-late' },
  'IPv6 only, with DNS64 without NAT64': {
    families: 'v6',
    unbound: dns64,
  },
  'with DNS64 without NAT64': { unbound: dns64 },
  'resolver truncates and drops TCP': { proxy: 'small', input: [`${fromLan} tcp dport 53 drop`] },
  'resolver fails for a quarter (SERVFAIL)': { proxy: 'flaky' },
  'longer than 1400 lost over IPv6': { forward: ['ip6 length > 1360 drop'] },
  'IPv6 wakes up': {
    sets: ['set awake { type ipv6_addr; flags timeout; timeout 5s; }'],
    forward: [
      'meta nfproto ipv6 tcp flags & (syn|ack) == syn ip6 daddr != @awake add @awake { ip6 daddr } drop',
    ],
  },
  'clock 10 minutes slow': { env: clock('-10m') },
  'clock 2 days slow': { env: clock('-2d') },
  'clock 70 days fast': { env: clock('+70d') },
  // The address of documentation is silent in all networks.
  'first resolver silent': { resolvers: ({ router4 }) => [silentAddress, router4] },
} satisfies Readonly<Record<string, NetworkSpec>>;

export type NetworkName = keyof typeof networks;
