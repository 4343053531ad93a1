import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { run, serve } from './debian-tools.ts';
import { type Manner, openRelay, type Question } from './relay.ts';
import {
  type Addresses,
  addressesIn,
  damages,
  type LabZone,
  type ZoneKeys,
  withChain,
  zonesIn,
} from './zones.ts';

export type SignedLab = {
  readonly addresses: Addresses;
  /** Settings under which the product takes the lab for the world. */
  readonly settings: Record<string, string>;
  /** The same with a resolver that does not validate. */
  readonly plainSettings: Record<string, string>;
  readonly folder: string;
  /** The keys with which a zone was signed. */
  keysOf(zone: string): ZoneKeys | undefined;
  close(): Promise<void>;
};

const dayS = 86_400;
/** Where nsd listens behind a relay. */
const hiddenPort = 5353;

type Site = {
  readonly folder: string;
  readonly addresses: Addresses;
  readonly keys: Map<string, ZoneKeys>;
};

/**
 * Opens a DNS of its own on loopback: a signed root, "test" below it, good and bad zones below that, and two resolvers.
 * @param block its addresses are in 127.<block>.0.0/16, so that two labs do not meet
 * @param labZones the zones below "test", by name
 * @param relay how the two name servers of these zones answer
 */
export async function openSignedLab(
  block: number,
  labZones = zonesIn(block),
  relay?: (question: Question) => Manner,
): Promise<SignedLab> {
  const addresses = addressesIn(block);
  const folder = mkdtempSync(join(tmpdir(), 'dns-lab-'));
  const site: Site = { folder, addresses, keys: new Map() };
  const children = Object.entries(labZones).map(([name, zone]) => makeZone(site, name, zone));
  const test = makeZone(site, 'test', {
    text: `$TTL 3600\n@ SOA ns hostmaster 1 14400 3600 1209600 3600\n@ NS ns\nns A ${addresses.root}\n${children.join('')}`,
    signing: { algorithm: 'ECDSAP256SHA256' },
    delegation: `$ NS ns.$\nns.$ A ${addresses.root}\n`,
  });
  makeZone(site, '', {
    text: `$TTL 3600\n@ SOA a.root-servers.net. hostmaster.test. 1 14400 3600 1209600 3600\n@ NS a.root-servers.net.\na.root-servers.net. A ${addresses.root}\n${test}`,
    signing: { algorithm: 'ECDSAP256SHA256' },
  });
  const processes = [
    startNsd(site, 'root', { '': 'root.signed', test: 'test.signed' }),
    ...(['ns1', 'ns2'] as const).flatMap((name) => [
      startNsd(site, name, zonesOf(labZones, name), relay === undefined ? 53 : hiddenPort),
      ...(relay === undefined ? [] : [openRelay(addresses[name], hiddenPort, relay)]),
    ]),
    startUnbound(site, 'resolver', true),
    startUnbound(site, 'plainResolver', false),
  ];
  await untilAnswered(addresses.resolver);
  await untilAnswered(addresses.plainResolver);
  const settings = (resolver: string): Record<string, string> => ({
    DATA_DIR: ':memory:',
    PORT: '0',
    ADMIN_PORT: '0',
    LOG_LEVEL: 'silent',
    DNS_SERVERS: resolver,
    TARGET_ALLOW_CIDRS: `127.${block}.0.0/16`,
    TARGET_ALLOW_SUFFIXES: 'test',
  });
  return {
    addresses,
    settings: settings(addresses.resolver),
    plainSettings: settings(addresses.plainResolver),
    folder,
    keysOf: (zone) => site.keys.get(zone),
    async close() {
      await Promise.all(processes.map(async (one) => one.close()));
      rmSync(folder, { recursive: true });
    },
  };
}

/** Writes a zone, signed where it says so, and gives the lines that its parent has of it. */
function makeZone(site: Site, name: string, zone: LabZone): string {
  const { folder, addresses } = site;
  const file = name === '' ? 'root' : name;
  const origin = name === '' ? '.' : `${name}.`;
  writeFileSync(join(folder, file), `$ORIGIN ${origin}\n${zone.text}`);
  if (zone.second) writeFileSync(join(folder, `${file}.second`), `$ORIGIN ${origin}\n${zone.second}`);
  const delegation =
    zone.delegation ?? `$ NS ns1.$\n$ NS ns2.$\nns1.$ A ${addresses.ns1}\nns2.$ A ${addresses.ns2}\n`;
  const ds = zone.signing ? sign(site, { file, origin }, zone) : '';
  return `${delegation.replaceAll('$', origin)}${zone.ds === 'none' ? '' : ds}`;
}

function sign(site: Site, { file, origin }: { file: string; origin: string }, zone: LabZone): string {
  const { folder, keys: known } = site;
  const { signing } = zone;
  const own = signing?.keys ?? makeKeys(site, origin, signing);
  known.set(file, own);
  if (signing?.providers === undefined) {
    signFile(site, { file, origin, to: `${file}.signed` }, own, signing);
    if (zone.chain !== undefined) {
      const chained = `${file}.chain`;
      writeFileSync(join(folder, chained), `$ORIGIN ${origin}\n${zone.chain}`);
      signFile(site, { file: chained, origin, to: `${chained}.signed` }, own, signing);
      const [full, chain] = [file, chained].map((name) =>
        readFileSync(join(folder, `${name}.signed`), 'utf8').split('\n'),
      );
      writeFileSync(join(folder, `${file}.signed`), withChain(full ?? [], chain ?? []).join('\n'));
    }
    damage(site, file, zone);
    if (typeof zone.ds === 'object') return `${zone.ds.line}\n`;
    const source = zone.ds === 'wrong' ? makeKeys(site, origin, signing) : own;
    const ds = readFileSync(`${source.keySigning}.ds`, 'utf8');
    if (origin === '.') writeFileSync(join(folder, 'anchor'), ds);
    return ds.endsWith('\n') ? ds : `${ds}\n`;
  }
  const other = makeKeys(site, origin, signing);
  const text = readFileSync(join(folder, file), 'utf8');
  const publish = ({ zoneSigning }: ZoneKeys) =>
    signing.providers === 'shared' ? readFileSync(`${zoneSigning}.key`, 'utf8') : '';
  writeFileSync(join(folder, file), `${text}${publish(other)}`);
  signFile(site, { file, origin, to: `${file}.signed` }, own, signing);
  writeFileSync(join(folder, file), `${text}${publish(own)}`);
  signFile(site, { file, origin, to: `${file}.second` }, other, signing);
  return [own, other]
    .map(({ keySigning }) => `${readFileSync(`${keySigning}.ds`, 'utf8').trim()}\n`)
    .join('');
}

type Signing = LabZone['signing'];

function makeKeys({ folder }: Site, origin: string, signing: Signing): ZoneKeys {
  const { algorithm = '', bits } = signing ?? {};
  const size = bits === undefined ? [] : ['-b', String(bits)];
  const make = (...more: readonly string[]): string =>
    join(folder, run('ldns-keygen', ['-a', algorithm, ...size, ...more, origin], folder).trim());
  return { keySigning: make('-k'), zoneSigning: make() };
}

function signFile(
  { folder }: Site,
  { file, origin, to }: { readonly file: string; readonly origin: string; readonly to: string },
  { keySigning, zoneSigning }: ZoneKeys,
  signing: Signing,
): void {
  const { fromDay = -1, untilDay = 30, nsec3Iterations, optOut } = signing ?? {};
  const at = (day: number): string => String(Math.floor(Date.now() / 1000) + day * dayS);
  const nsec3 =
    nsec3Iterations === undefined ? [] : ['-n', '-t', String(nsec3Iterations), ...(optOut ? ['-p'] : [])];
  const words = ['-i', at(fromDay), '-e', at(untilDay), ...nsec3, '-o', origin, '-f', to, file];
  run('ldns-signzone', [...words, keySigning, zoneSigning], folder);
}

function damage({ folder }: Site, file: string, zone: LabZone): void {
  if (!zone.damage) return;
  const lines = readFileSync(join(folder, `${file}.signed`), 'utf8').split('\n');
  writeFileSync(join(folder, `${file}.damaged`), damages[zone.damage.of](lines).join('\n'));
}

function zonesOf(
  labZones: { readonly [name: string]: LabZone },
  server: 'ns1' | 'ns2',
): { readonly [name: string]: string } {
  return Object.fromEntries(
    Object.entries(labZones)
      .filter(([, { servers = ['ns1', 'ns2'] }]) => servers.includes(server))
      .map(([name, { signing, second, damage }]) => {
        if ((second !== undefined || signing?.providers !== undefined) && server === 'ns2')
          return [name, `${name}.second`];
        if (damage && (damage.servers ?? [server]).includes(server)) return [name, `${name}.damaged`];
        return [name, signing ? `${name}.signed` : name];
      }),
  );
}

function startNsd(
  { folder, addresses }: Site,
  name: 'root' | 'ns1' | 'ns2',
  zones: { readonly [zone: string]: string },
  port = 53,
) {
  const own = join(folder, `nsd-${name}`);
  mkdirSync(own);
  const lines = Object.entries(zones).map(
    ([zone, file]) => `zone:\n  name: "${zone === '' ? '.' : zone}"\n  zonefile: "${join(folder, file)}"\n`,
  );
  const config = join(own, 'nsd.conf');
  const listens = [addresses[name], ...(name === 'ns1' ? addresses.crowd : [])];
  writeFileSync(
    config,
    `server:\n${listens.map((address) => `  ip-address: ${address}\n`).join('')}  port: ${port}\n  username: ""\n  chroot: ""\n  zonesdir: "${folder}"\n  database: ""\n  pidfile: "${own}/pid"\n  xfrdfile: "${own}/xfrd"\n  zonelistfile: "${own}/list"\n  logfile: "${own}/log"\n  hide-version: yes\nremote-control:\n  control-enable: no\n${lines.join('')}`,
  );
  return serve('nsd', ['-d', '-c', config]);
}

function startUnbound({ folder, addresses }: Site, name: 'resolver' | 'plainResolver', validates: boolean) {
  const config = join(folder, `unbound-${name}.conf`);
  writeFileSync(
    join(folder, 'hints'),
    `. 3600000 NS a.root-servers.net.\na.root-servers.net. 3600000 A ${addresses.root}\n`,
  );
  writeFileSync(
    config,
    `server:\n  interface: ${addresses[name]}\n  port: 53\n  do-ip6: no\n  username: ""\n  chroot: ""\n  directory: "${folder}"\n  pidfile: ""\n  use-syslog: no\n  logfile: "${folder}/unbound-${name}.log"\n  root-hints: "${folder}/hints"\n  do-not-query-localhost: no\n  access-control: 127.0.0.0/8 allow\n  local-zone: "test." nodefault\n  ede: yes\n  val-nsec3-keysize-iterations: "4096 0"\n  module-config: "${validates ? 'validator iterator' : 'iterator'}"\n${validates ? `  trust-anchor-file: "${folder}/anchor"\n` : ''}remote-control:\n  control-enable: no\n`,
  );
  return serve('unbound', ['-d', '-c', config]);
}

async function untilAnswered(resolver: string): Promise<void> {
  for (let tries = 0; tries < 100; tries += 1) {
    try {
      if (run('dig', [`@${resolver}`, '+tries=1', '+time=1', '+short', 'test', 'SOA'], '/').trim() !== '')
        return;
    } catch {
      // not listening yet
    }
    await wait(50);
  }
  throw new Error(`the resolver at ${resolver} does not answer`);
}
