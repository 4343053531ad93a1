import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { findTool } from '../dns-check/debian-tools.ts';
import { writeCertificates } from './certificates.ts';
import { addressesOf, parking, rootServers, sites, tldServers } from './names.ts';
import { addNamespace, closeAll, deleteNamespace, type Running, shell, startIn } from './shell.ts';
import { writeWeb } from './web.ts';
import { type ServedZones, writeHints, writeZones } from './zones.ts';

export type World = {
  /** Namespace of everything public. */
  readonly inet: string;
  /** Keys, zones, logs: "anchor", "hints" and "ca.pem" among them. */
  readonly folder: string;
  close(): Promise<void>;
};

let opened = 0;

/** Makes a small internet in a namespace: root, TLDs, name servers and web hosts, at public addresses. Needs root. */
export async function openWorld(): Promise<World> {
  const inet = `dn${process.pid}-${opened++}inet`;
  const folder = mkdtempSync(join(tmpdir(), 'networks-'));
  const removeFolder = () => rmSync(folder, { recursive: true, force: true });
  // Also where the process ends before it has closed the world.
  process.once('exit', removeFolder);
  const closes: (() => unknown)[] = [() => process.off('exit', removeFolder), removeFolder];
  const close = () => closeAll(closes.splice(0));
  try {
    writeCertificates(folder);
    const zones = writeZones(folder);
    writeHints(folder);
    closes.push(() => deleteNamespace(inet));
    addNamespace(inet);
    shell(addressLines(), inet);
    const running = startServers(inet, folder, zones);
    closes.push(...running.map((one) => one.close));
    await untilAnswered(inet);
    return { inet, folder, close };
  } catch (error) {
    await close();
    throw error;
  }
}

const operators: { readonly [operator in keyof ServedZones]: readonly string[] } = {
  root: addressesOf(Object.values(rootServers)),
  tld: addressesOf(Object.values(tldServers)),
  hosts: addressesOf(Object.values(sites).flatMap(({ servers, dnsIs }) => (dnsIs === 'dead' ? [] : servers))),
};

/** An address that nobody has is silent, as this namespace forwards nothing: so are the servers of dead.com. */
function addressLines(): string {
  const web = addressesOf([...Object.values(sites).map((site) => site.web), parking]);
  const all = [...Object.values(operators).flat(), ...web];
  const lines = all.map((one) => `ip addr add ${one}/${one.includes(':') ? 128 : 32} dev lo`);
  return `sysctl -qw net.ipv4.ip_forward=0 net.ipv6.conf.all.forwarding=0\n${lines.join('\n')}\n`;
}

function startServers(inet: string, folder: string, zones: ServedZones): readonly Running[] {
  const nsd = findTool('nsd') ?? 'nsd';
  const names = Object.entries(operators).map(([operator, addresses]) => {
    const config = writeNsd(folder, operator, addresses, zones[operator as keyof ServedZones]);
    return startIn(inet, join(folder, `nsd-${operator}.log`), [nsd, '-d', '-c', config]);
  });
  const nginx = findTool('nginx') ?? 'nginx';
  return [...names, startIn(inet, join(folder, 'nginx.log'), [nginx, '-c', writeWeb(folder)])];
}

function writeNsd(
  folder: string,
  operator: string,
  addresses: readonly string[],
  zones: Readonly<Record<string, string>>,
): string {
  const own = join(folder, `nsd-${operator}`);
  mkdirSync(own);
  const config = join(own, 'nsd.conf');
  const listens = addresses.map((address) => `  ip-address: ${address}\n`).join('');
  const served = Object.entries(zones).map(
    ([zone, file]) => `zone:\n  name: "${zone}"\n  zonefile: "${join(folder, file)}"\n`,
  );
  writeFileSync(
    config,
    `server:\n${listens}  username: ""\n  chroot: ""\n  zonesdir: "${folder}"\n  database: ""\n  pidfile: "${own}/pid"\n  xfrdfile: "${own}/xfrd"\n  zonelistfile: "${own}/list"\n  rrl-ratelimit: 0\n  hide-version: yes\nremote-control:\n  control-enable: no\n${served.join('')}`,
  );
  return config;
}

async function untilAnswered(inet: string): Promise<void> {
  for (let tries = 0; tries < 100; tries += 1) {
    try {
      for (const [address = ''] of Object.values(operators))
        shell(`dig @${address} +tries=1 +time=1 . SOA | grep -q 'status:'`, inet);
      shell(
        `curl -sko /dev/null --resolve healthy.com:443:${sites['healthy.com']?.web.v4} https://healthy.com/`,
        inet,
      );
      return;
    } catch {
      await wait(50);
    }
  }
  throw new Error('the servers of the lab do not answer');
}
