import { execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** The mail servers of Debian conflict as packages, so each is unpacked into a folder of its own; nothing is installed. */
const packages = {
  postfix: ['postfix'],
  exim: ['exim4-daemon-light', 'exim4-base', 'libidn12'],
  opensmtpd: ['opensmtpd', 'libevent-2.1-7'],
} as const;
type Server = keyof typeof packages;

/** What a server is to serve with: files that every user may read. */
export type Identity = { readonly certificates: string; readonly key: string };

export type DebianServers = {
  readonly folder: string;
  /** Starts Postfix: with encryption at the first address, without at the second, with TLS 1.0 at the third. */
  postfix(port: number, addresses: readonly [string, string, string], identity: Identity): Promise<void>;
  exim(port: number, address: string, identity: Identity): Promise<void>;
  /** Starts a server of which all that its configuration says of TLS is these lines. */
  with(
    server: 'postfix' | 'exim',
    at: { port: number; address: string },
    lines: readonly string[],
  ): Promise<void>;
  /** Without encryption at the first address; at the second with STARTTLS, which fails in Debian 12. */
  opensmtpd(port: number, addresses: readonly [string, string], identity: Identity): Promise<void>;
  close(): Promise<void>;
};

/** Fetches and unpacks the servers; or says why there are none. */
export function unpackServers(): DebianServers | { readonly missing: string } {
  if (process.getuid?.() !== 0) return { missing: 'only root may start mail servers that change their user' };
  const folder = mkdtempSync(join(tmpdir(), 'mail-servers-'));
  chmodSync(folder, 0o755);
  try {
    for (const [server, names] of Object.entries(packages)) unpack(folder, server, names);
  } catch (error) {
    rmSync(folder, { recursive: true });
    return { missing: `the packages cannot be fetched: ${(error as Error).message.split('\n')[0]}` };
  }
  return openServers(folder);
}

function unpack(folder: string, server: string, names: readonly string[]): void {
  execFileSync('apt-get', ['download', ...names], { cwd: folder, stdio: 'pipe', timeout: 100_000 });
  const files = names.flatMap((name) => globSync(`${name}_*.deb`, { cwd: folder }));
  for (const file of files) execFileSync('dpkg', ['-x', file, server], { cwd: folder, stdio: 'pipe' });
}

function openServers(folder: string): DebianServers {
  const ends: (() => void)[] = [];
  const at = (...path: readonly string[]) => join(folder, ...path);
  const libraryOf = (server: Server, file: string) => dirname(globSync(at(server, '**', file))[0] ?? folder);
  const users = writeUsers(folder);
  const startApart = (script: string) => {
    const child = spawn('unshare', ['-m', 'bash', '-c', `${users}${script}`], { stdio: 'ignore' });
    ends.push(() => child.kill('SIGKILL'));
  };
  const startPostfix = (settings: string) => {
    const env = { ...process.env, LD_LIBRARY_PATH: at('postfix/usr/lib/postfix') };
    const run = (what: string) => spawnSync(at('postfix/usr/sbin/postfix'), ['-c', settings, what], { env });
    ends.push(() => void run('stop'));
    if (run('check').status !== 0) throw new Error('Postfix refuses its configuration');
    run('start');
  };
  const startExim = (settings: string) => {
    const program = `export LD_LIBRARY_PATH=${libraryOf('exim', 'libidn.so*')}; exec ${at('exim/usr/sbin/exim4')} -C ${settings}`;
    const test = spawnSync('unshare', ['-m', 'bash', '-c', `${users}${program} -bV`]);
    if (test.status !== 0) throw new Error(`Exim refuses its configuration: ${test.stderr.toString()}`);
    startApart(`${program} -bdf`);
  };
  return {
    folder,
    async postfix(port, addresses, identity) {
      startPostfix(writePostfix(folder, 'postfix', smtpdHosts(port, addresses), postfixTls(identity)));
      await untilOpen(port, addresses);
    },
    async exim(port, address, identity) {
      startExim(writeExim(folder, 'exim', { port, address }, eximTls(folder, identity)));
      await untilOpen(port, [address]);
    },
    async with(server, { port, address }, lines) {
      const name = `${server}-${address}`;
      if (server === 'exim') startExim(writeExim(folder, name, { port, address }, lines));
      else startPostfix(writePostfix(folder, name, [`${address}:${port} inet n - n - - smtpd`], lines));
      await untilOpen(port, [address]);
    },
    async opensmtpd(port, addresses, identity) {
      const settings = writeOpensmtpd(folder, port, addresses, identity);
      startApart(
        `for place in /var/spool /run /var/lib; do mount -t tmpfs none $place; done; mkdir -p -m 711 /var/lib/opensmtpd /var/lib/opensmtpd/empty /var/spool/smtpd; export LD_LIBRARY_PATH=${libraryOf('opensmtpd', 'libevent-2.1*')}; exec ${at('opensmtpd/usr/sbin/smtpd')} -d -f ${settings}`,
      );
      await untilOpen(port, addresses);
    },
    async close() {
      for (const end of ends) end();
      await delay(500);
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

const ids = { 'Debian-exim': 4101, opensmtpd: 4102, opensmtpq: 4103 } as const;

/** Users that are compiled in, in lists that only the servers see. Gives the commands that put them there. */
function writeUsers(folder: string): string {
  const users = Object.entries(ids).map(([name, id]) => `${name}:x:${id}:${id}::/:/usr/sbin/nologin\n`);
  const groups = Object.entries(ids).map(([name, id]) => `${name}:x:${id}:\n`);
  writeFileSync(join(folder, 'passwd'), readFileSync('/etc/passwd', 'utf8') + users.join(''));
  writeFileSync(join(folder, 'group'), readFileSync('/etc/group', 'utf8') + groups.join(''));
  return ['passwd', 'group'].map((file) => `mount --bind ${join(folder, file)} /etc/${file}; `).join('');
}

function folderIn(folder: string, name: string): string {
  const path = join(folder, name);
  if (!existsSync(path)) mkdirSync(path, { recursive: true, mode: 0o755 });
  return path;
}

/** With encryption at the first address, without at the second, with TLS 1.0 at the third. */
function smtpdHosts(port: number, addresses: readonly [string, string, string]): readonly string[] {
  const options = [
    '',
    ' -o {smtpd_tls_security_level=none}',
    ' -o {smtpd_tls_protocols=>=TLSv1} -o {tls_medium_cipherlist=ALL:@SECLEVEL=0}',
  ];
  return addresses.map((address, at) => `${address}:${port} inet n - n - - smtpd${options[at]}`);
}

function postfixTls({ certificates, key }: Identity): readonly string[] {
  return [
    `smtpd_tls_cert_file = ${certificates}`,
    `smtpd_tls_key_file = ${key}`,
    'smtpd_tls_security_level = may',
    'smtpd_tls_protocols = >=TLSv1.2',
  ];
}

/** Writes the settings of one Postfix. Gives their folder. */
function writePostfix(
  folder: string,
  name: string,
  hosts: readonly string[],
  tls: readonly string[],
): string {
  const settings = folderIn(folder, `${name}-settings`);
  const data = folderIn(folder, `${name}-data`);
  chownSync(data, 5, 60); // games
  const own = join(folder, 'postfix');
  const values = {
    compatibility_level: '3.6',
    command_directory: `${own}/usr/sbin`,
    daemon_directory: `${own}/usr/lib/postfix/sbin`,
    shlib_directory: `${own}/usr/lib/postfix`,
    meta_directory: `${own}/etc/postfix`,
    queue_directory: folderIn(folder, `${name}-queue`),
    data_directory: data,
    mail_owner: 'games',
    setgid_group: 'audio',
    import_environment: `LD_LIBRARY_PATH=${own}/usr/lib/postfix MAIL_CONFIG=${settings}`,
    maillog_file: join(folder, `${name}.log`),
    maillog_file_prefixes: tmpdir(),
    myhostname: 'mx.mail.test',
    alias_maps: '',
  };
  const services = [
    'tlsmgr unix - - n 1000? 1 tlsmgr',
    'anvil unix - - n - 1 anvil',
    'postlog unix-dgram n - n - 1 postlogd',
    'cleanup unix n - n - 0 cleanup',
    'qmgr unix n - n 300 1 qmgr',
    'rewrite unix - - n - - trivial-rewrite',
    'proxymap unix - - n - - proxymap',
    'bounce unix - - n - 0 bounce',
    'error unix - - n - - error',
    'verify unix - - n - 1 verify',
  ];
  const lines = Object.entries(values).map(([field, value]) => `${field} = ${value}`);
  writeFileSync(join(settings, 'main.cf'), [...lines, ...tls, ''].join('\n'));
  writeFileSync(join(settings, 'master.cf'), [...hosts, ...services, ''].join('\n'));
  return settings;
}

/** Its key is its own: Exim reads it as its user. */
function eximTls(folder: string, { certificates, key }: Identity): readonly string[] {
  return [
    'tls_advertise_hosts = *',
    `tls_certificate = ${certificates}`,
    `tls_privatekey = ${keyForExim(folder, key)}`,
  ];
}

/** A copy of a key that Exim may read. */
export function keyForExim(folder: string, key: string): string {
  const path = join(folder, 'exim-key.pem');
  writeFileSync(path, readFileSync(key));
  chownSync(path, ids['Debian-exim'], ids['Debian-exim']);
  return path;
}

function writeExim(
  folder: string,
  name: string,
  { port, address }: { readonly port: number; readonly address: string },
  tls: readonly string[],
): string {
  const spool = folderIn(folder, `${name}-spool`);
  const path = join(folder, `${name}.conf`);
  chownSync(spool, ids['Debian-exim'], ids['Debian-exim']);
  const lines = [
    'primary_hostname = mx.mail.test',
    `spool_directory = ${spool}`,
    `log_file_path = ${spool}/%slog`,
    `local_interfaces = ${address}`,
    `daemon_smtp_ports = ${port}`,
    `pid_file_path = ${spool}/pid`,
    ...tls,
    'host_lookup =\nkeep_environment =\nacl_smtp_rcpt = none',
    'begin acl\nnone:\n  deny\nbegin routers\nbegin transports\n',
  ];
  writeFileSync(path, lines.join('\n'));
  return path;
}

function writeOpensmtpd(
  folder: string,
  port: number,
  [plain, broken]: readonly [string, string],
  { certificates, key }: Identity,
): string {
  const path = join(folder, 'smtpd.conf');
  const ownKey = join(folder, 'smtpd.key');
  writeFileSync(ownKey, readFileSync(key), { mode: 0o600 });
  writeFileSync(
    path,
    `pki mx.mail.test cert "${certificates}"\npki mx.mail.test key "${ownKey}"\nlisten on ${plain} port ${port} hostname mx.mail.test\nlisten on ${broken} port ${port} tls pki mx.mail.test hostname mx.mail.test\naction "none" relay\nmatch for local action "none"\n`,
  );
  return path;
}

/** Waits until each address greets. */
async function untilOpen(port: number, addresses: readonly string[]): Promise<void> {
  for (const address of addresses) {
    const until = Date.now() + 60_000;
    while (!(await greets(port, address))) {
      if (Date.now() > until) throw new Error(`no greeting at ${address}`);
      await delay(100);
    }
  }
}

function greets(port: number, host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host, timeout: 5000 });
    const end = (isGreeted: boolean) => {
      socket.destroy();
      resolve(isGreeted);
    };
    socket
      .on('data', () => end(true))
      .on('error', () => end(false))
      .on('close', () => end(false))
      .on('timeout', () => end(false));
  });
}
