import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { findTool } from '../dns-check/debian-tools.ts';
import { parking, silentAddress } from './names.ts';
import {
  addNamespace,
  closeAll,
  deleteNamespace,
  type Running,
  settingsOf,
  shell,
  startIn,
} from './shell.ts';
import type { World } from './world.ts';

/** Where a network's own hosts are. The addresses look public and are routed, so that nothing is taken for private. */
export type Places = {
  readonly client4: string;
  readonly client6: string;
  readonly router4: string;
  readonly router6: string;
  /** The resolver's link-local address, with its interface in the client. */
  readonly routerScoped: string;
};

/** How a network differs from a good one. */
export type NetworkSpec = {
  /** Rules of nft in the router: lines of a chain each. "lan" is its side of the client, "wan" that of the internet. */
  readonly forward?: readonly string[];
  readonly input?: readonly string[];
  readonly redirect?: readonly string[];
  readonly masquerade?: readonly string[];
  /** Sets that the rules name. */
  readonly sets?: readonly string[];
  /** Lines of a shell that are run in the client or the router when all else is there. */
  readonly inClient?: string;
  readonly inRouter?: string;
  /** Addresses that the client has; both kinds otherwise. */
  readonly families?: 'v4' | 'v6';
  /** More of unbound's settings. */
  readonly unbound?: string;
  /** How the program in front of unbound spoils its answers (`resolver-proxy.ts`). */
  readonly proxy?: string;
  readonly noResolver?: true;
  /** What the client's resolv.conf names; the router's addresses otherwise. */
  readonly resolvers?: (places: Places) => readonly string[];
  /** More programs: each is a command that runs in the router. */
  readonly programs?: (places: Places, world: World) => readonly (readonly string[])[];
  /** The router's way out is a line that delays and loses. */
  readonly line?: { readonly delayMs: number; readonly loss: number };
  /** Environment of whatever is run in the client. */
  readonly env?: (places: Places, world: World) => Readonly<Record<string, string>>;
};

export type Network = {
  readonly world: World;
  readonly client: string;
  readonly router: string;
  readonly places: Places;
  readonly env: Readonly<Record<string, string>>;
  close(): Promise<void>;
};

let opened = 0;
const self = (file: string) => fileURLToPath(new URL(file, import.meta.url));
export const program = (file: string, ...args: readonly string[]) => [process.execPath, self(file), ...args];

/** Opens a network beside the world: a client, and a router with a validating resolver of its own. */
export async function openNetwork(world: World, spec: NetworkSpec): Promise<Network> {
  const number = ++opened;
  const [client, router] = [`dn${process.pid}-${number}client`, `dn${process.pid}-${number}router`] as const;
  const places = placesOf(number);
  const own = join(world.folder, `network-${number}`);
  const closes: (() => unknown)[] = [];
  const close = () => closeAll(closes.splice(0));
  const start = (command: readonly string[], log: string): void => {
    closes.push(startIn(router, join(own, log), command).close);
  };
  try {
    mkdirSync(own, { recursive: true });
    const resolvers = spec.resolvers?.(places) ?? usualResolvers(places, spec);
    closes.push(() => [client, router].forEach(deleteNamespace));
    for (const one of [client, router]) addNamespace(one);
    writeResolvers(client, resolvers);
    writeResolvers(router, ['127.0.0.1']);
    shell(linkLines(world, { client, router, number }, places));
    if (spec.families !== 'v6') shell(addressLines4(places), client);
    if (spec.families !== 'v4') shell(addressLines6(places), client);
    shell(`nft -f - <<'END'\n${ruleset(spec)}END\n`, router);
    if (spec.line) closes.push(...openLine(world, { router, number, own }, spec.line));
    for (const command of spec.programs?.(places, world) ?? []) start(command, 'programs.log');
    if (!spec.noResolver) startResolver(world, { own, places, spec, start });
    if (spec.inRouter) shell(spec.inRouter, router);
    if (spec.inClient) shell(spec.inClient, client);
    if (!spec.noResolver) await untilAnswered(router, spec);
    return { world, client, router, places, env: spec.env?.(places, world) ?? {}, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function placesOf(number: number): Places {
  return {
    client4: `81.20.${number}.10`,
    client6: `2a02:810:${number}:1::10`,
    router4: `81.20.${number}.1`,
    router6: `2a02:810:${number}:1::1`,
    routerScoped: 'fe80::1%eth0',
  };
}

function writeResolvers(namespace: string, resolvers: readonly string[]): void {
  mkdirSync(settingsOf(namespace), { recursive: true });
  const lines = resolvers.map((one) => `nameserver ${one}\n`);
  writeFileSync(join(settingsOf(namespace), 'resolv.conf'), lines.join(''));
}

function usualResolvers({ router4, router6 }: Places, { families }: NetworkSpec): readonly string[] {
  return [...(families === 'v6' ? [] : [router4]), ...(families === 'v4' ? [] : [router6])];
}

type Names = { readonly client: string; readonly router: string; readonly number: number };

/** Segments are not joined on their way: what is dropped for its length must have the length that it has on a wire. */
function linkLines(world: World, { client, router, number }: Names, { router4, router6 }: Places): string {
  const wan = `w${number}`;
  const whole = (namespace: string, device: string) =>
    `ip netns exec ${namespace} ethtool -K ${device} gro off gso off tso off >/dev/null`;
  return `ip netns exec ${router} sysctl -qw net.ipv4.ip_forward=1 net.ipv6.conf.all.forwarding=1
ip -n ${client} link add eth0 type veth peer name lan netns ${router}
ip -n ${router} link add wan type veth peer name ${wan} netns ${world.inet}
${whole(client, 'eth0')}\n${whole(router, 'lan')}\n${whole(router, 'wan')}\n${whole(world.inet, wan)}
ip -n ${router} link set lan up
ip -n ${router} link set wan up
ip -n ${world.inet} link set ${wan} up
ip -n ${client} link set eth0 up
ip -n ${router} addr add ${router4}/24 dev lan
ip -n ${router} addr add ${router6}/64 dev lan nodad
ip -n ${router} addr add fe80::1/64 dev lan nodad
ip -n ${router} addr add 80.10.${number}.2/30 dev wan
ip -n ${router} addr add 2a02:1234:${number}::2/64 dev wan nodad
ip -n ${world.inet} addr add 80.10.${number}.1/30 dev ${wan}
ip -n ${world.inet} addr add 2a02:1234:${number}::1/64 dev ${wan} nodad
ip -n ${router} route add default via 80.10.${number}.1
ip -n ${router} -6 route add default via 2a02:1234:${number}::1
ip -n ${world.inet} route add 81.20.${number}.0/24 via 80.10.${number}.2
ip -n ${world.inet} -6 route add 2a02:810:${number}::/48 via 2a02:1234:${number}::2
`;
}

const addressLines4 = ({ client4, router4 }: Places) =>
  `ip addr add ${client4}/24 dev eth0\nip route add default via ${router4}\n`;
const addressLines6 = ({ client6, router6 }: Places) =>
  `ip addr add ${client6}/64 dev eth0 nodad\nip -6 route add default via ${router6}\n`;

function ruleset({
  forward = [],
  input = [],
  redirect = [],
  masquerade = [],
  sets = [],
}: NetworkSpec): string {
  const chain = (name: string, type: string, lines: readonly string[]) =>
    ` chain ${name} {\n  type ${type};\n${lines.map((line) => `  ${line}\n`).join('')} }\n`;
  return `table inet network {
${sets.map((line) => ` ${line}\n`).join('')}${chain('through', 'filter hook forward priority 0', [`ip daddr ${silentAddress} drop`, ...forward])}${chain('to', 'filter hook input priority 0', input)}${chain('before', 'nat hook prerouting priority dstnat', redirect)}${chain('after', 'nat hook postrouting priority srcnat', masquerade)}}
`;
}

type Resolver = {
  readonly own: string;
  readonly places: Places;
  readonly spec: NetworkSpec;
  readonly start: (command: readonly string[], log: string) => void;
};

/** Unbound, at the router's inside; where something stands before it, at a port of its own on loopback. */
function startResolver({ folder }: World, { own, places, spec, start }: Resolver): void {
  const { router4, router6 } = places;
  const listens = spec.proxy ? ['127.0.0.1@5300'] : [router4, router6, 'fe80::1%lan', '127.0.0.1'];
  const config = join(own, 'unbound.conf');
  writeFileSync(
    config,
    `server:\n${listens.map((one) => `  interface: ${one}\n`).join('')}  username: ""\n  chroot: ""\n  directory: "${own}"\n  pidfile: ""\n  use-syslog: no\n  num-threads: 1\n  root-hints: "${folder}/hints"\n  access-control: 0.0.0.0/0 allow\n  access-control: ::0/0 allow\n  do-not-query-localhost: no\n  ede: yes\n  trust-anchor-file: "${folder}/anchor"\n${spec.unbound ?? '  module-config: "validator iterator"\n'}remote-control:\n  control-enable: no\n`,
  );
  start([findTool('unbound') ?? 'unbound', '-d', '-c', config], 'unbound.log');
  if (spec.proxy)
    start(program('resolver-proxy.ts', spec.proxy, parking.v4 ?? '', router4, router6), 'proxy.log');
}

/** A device of its own in the place of the link: what the kernel cannot delay, a program does. */
function openLine(
  world: World,
  { router, number, own }: { router: string; number: number; own: string },
  { delayMs, loss }: { delayMs: number; loss: number },
): readonly (() => unknown)[] {
  const [near, far] = [`n${number}`, `f${number}`] as const;
  const ends = [near, far].map((device, index) =>
    startIn(router, join(own, 'line.log'), [
      'socat',
      `TUN,tun-name=${device},iff-no-pi,iff-up`,
      `UDP4-DATAGRAM:127.0.0.1:${7000 + index},bind=127.0.0.1:${7010 + index}`,
    ]),
  );
  const relay = startIn(
    router,
    join(own, 'line.log'),
    program('slow-line.ts', String(delayMs), String(loss)),
  );
  shell(
    `for try in $(seq 100); do ip -n ${router} link show ${far} >/dev/null 2>&1 && ip -n ${router} link show ${near} >/dev/null 2>&1 && break; sleep 0.05; done
ip -n ${router} link set ${far} netns ${world.inet}
ip -n ${router} link set ${near} up
ip -n ${world.inet} link set ${far} up
ip -n ${router} route replace default dev ${near} src 80.10.${number}.2
ip -n ${router} -6 route del default
ip -n ${router} -6 route add default dev ${near} src 2a02:1234:${number}::2
ip -n ${world.inet} route replace 81.20.${number}.0/24 dev ${far}
ip -n ${world.inet} -6 route replace 2a02:810:${number}::/48 dev ${far}
ip -n ${world.inet} route add 80.10.${number}.2/32 dev ${far}
ip -n ${world.inet} -6 route add 2a02:1234:${number}::2/128 dev ${far}
`,
  );
  return [...ends, relay].map((one: Running) => one.close);
}

/** Waits for the resolver, and for what stands before it. */
async function untilAnswered(router: string, { proxy }: NetworkSpec): Promise<void> {
  // What it learns by this, it would have in its cache anywhere: where com, net and org are.
  const names = ['com', 'net', 'org'].map((tld) => `${tld} SOA`).join(' ');
  const port = proxy ? 5300 : 53;
  const isThere = proxy ? `ss -Huln 'sport = :53' | grep -q .` : ':';
  const answers = `dig @127.0.0.1 -p ${port} +tries=1 +time=3 ${names} | grep -c 'status: NOERROR' | grep -q 3`;
  for (let tries = 0; tries < 60; tries += 1) {
    try {
      shell(`${isThere}\n${answers}\n`, router);
      return;
    } catch {
      await wait(100);
    }
  }
  throw new Error('the resolver does not answer');
}
