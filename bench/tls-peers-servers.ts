import { createServer } from 'node:https';
import { findProgram, freePort } from '../test/kit/programs.ts';
import { listen } from '../test/lab/ssl-check/servers.ts';
import { makeFolder, startServer } from '../test/lab/ssl-check/tools.ts';
import type { Issued } from '../test/unit/ssl-check/issue-certificate.ts';
import { goSource, javaSource } from './tls-peers-sources.ts';

/** Certificates that every server gets: RSA first, because all of them take it; some take both. */
export type Identities = { readonly rsa: readonly Issued[]; readonly ecdsa: readonly Issued[] };

/** A real server, and how it is started. */
export type PeerServer = {
  readonly name: string;
  readonly open: (identities: Identities) => Promise<{ readonly port: number; close(): Promise<void> }>;
};

type Profile = { readonly versions: readonly string[]; readonly ciphers: string | null };

const careful =
  'ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-RSA-AES256-GCM-SHA384:ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305';
const lenient = `${careful}:ECDHE-ECDSA-AES128-SHA256:ECDHE-RSA-AES128-SHA256:ECDHE-ECDSA-AES128-SHA:ECDHE-RSA-AES128-SHA:ECDHE-ECDSA-AES256-SHA384:ECDHE-RSA-AES256-SHA384:ECDHE-ECDSA-AES256-SHA:ECDHE-RSA-AES256-SHA:AES128-GCM-SHA256:AES256-GCM-SHA384:AES128-SHA256:AES256-SHA256:AES128-SHA:AES256-SHA:@SECLEVEL=0`;

/** Mozilla's recommendations (Server Side TLS 5.8), and what a server does without any. */
const profiles: { readonly [name: string]: Profile } = {
  default: { versions: [], ciphers: null },
  modern: { versions: ['1.3'], ciphers: null },
  intermediate: { versions: ['1.2', '1.3'], ciphers: careful },
  old: { versions: ['1', '1.1', '1.2', '1.3'], ciphers: lenient },
};

/** Certificates as one file. */
export const pem = (chain: readonly Issued[]) => chain.map(({ certPem }) => certPem).join('');
const filesOf = ({ rsa, ecdsa }: Identities) => ({
  'chain.pem': pem(rsa),
  'key.pem': rsa[0]?.keyPem ?? '',
  'both.pem': `${rsa[0]?.keyPem ?? ''}${pem(rsa)}`,
  'second.pem': pem(ecdsa),
  'second-key.pem': ecdsa[0]?.keyPem ?? '',
  'leaf.pem': pem(rsa.slice(0, 1)),
  'above.pem': pem(rsa.slice(1)),
  'index.html': 'ok',
});

type Written = { readonly [name: string]: string | Uint8Array };
/** How a program is started as a server: its command, and its files beside those of the identities. */
export type Start = {
  readonly command: (port: number, folder: string) => readonly [string, ...string[]];
  readonly files?: (port: number, folder: string) => Written;
};

/** Opens a server of a program that listens on a port of its own. */
export const opener =
  ({ command, files }: Start): PeerServer['open'] =>
  async (identities) => {
    const port = await freePort();
    const folder = makeFolder(filesOf(identities));
    const more = files?.(port, folder) ?? {};
    const { writeFileSync } = await import('node:fs');
    for (const [name, text] of Object.entries(more)) writeFileSync(`${folder}/${name}`, text);
    // Go and Java compile theirs first.
    return startServer(command(port, folder), port, folder, 60_000);
  };

const only = (line: string, value: string | null) => (value === null ? '' : line.replace('%', value));

function nginx({ versions, ciphers }: Profile, more = ''): Start {
  const temp = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${kind}_temp;`,
  );
  const spoken = versions.map((one) => (one === '1' ? 'TLSv1' : `TLSv${one}`)).join(' ');
  return {
    command: (_, folder) => ['nginx', '-p', `${folder}/`, '-c', `${folder}/nginx.conf`],
    files: (port) => ({
      'nginx.conf': `daemon off; master_process off; pid nginx.pid; error_log stderr crit; events {} http { access_log off; ${temp.join(' ')}
server { listen 127.0.0.1:${port} ssl; ssl_certificate chain.pem; ssl_certificate_key key.pem; ${only('ssl_protocols %;', spoken === '' ? null : spoken)} ${only('ssl_ciphers %;', ciphers)} ${more} location / { return 200 "ok"; } } }`,
    }),
  };
}

function apache({ versions, ciphers }: Profile, more = ''): Start {
  const spoken = versions.map((one) => `+TLSv${one}`).join(' ');
  const modules = ['mpm_event', 'ssl', 'socache_shmcb', 'authz_core'].map(
    (name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`,
  );
  return {
    command: (_, folder) => ['apache2', '-d', folder, '-f', `${folder}/apache.conf`, '-DFOREGROUND'],
    files: (port, folder) => ({
      'apache.conf': [
        ...modules,
        `Listen 127.0.0.1:${port}`,
        'ServerName lab.test',
        `PidFile ${folder}/pid`,
        `ErrorLog ${folder}/error.log`,
        `DocumentRoot ${folder}`,
        'SSLEngine on',
        `SSLCertificateFile ${folder}/chain.pem`,
        `SSLCertificateKeyFile ${folder}/key.pem`,
        only('SSLProtocol -all %', spoken === '' ? null : spoken),
        only('SSLCipherSuite %', ciphers),
        more,
      ].join('\n'),
    }),
  };
}

function haproxy({ versions, ciphers }: Profile): Start {
  const [first] = versions;
  return {
    command: (_, folder) => ['haproxy', '-db', '-f', `${folder}/haproxy.cfg`],
    files: (port, folder) => ({
      'haproxy.cfg': `global
defaults
  mode http
  timeout client 10s
  timeout server 10s
  timeout connect 5s
frontend tls
  bind 127.0.0.1:${port} ssl crt ${folder}/both.pem ${only('ssl-min-ver TLSv%', first === undefined ? null : first === '1' ? '1.0' : first)} ${only('ciphers %', ciphers)}
  http-request return status 200
`,
    }),
  };
}

function lighttpd({ versions, ciphers }: Profile): Start {
  const [first] = versions;
  const options = [
    ...(first === undefined ? [] : [`"MinProtocol" => "TLSv${first}"`]),
    ...(ciphers === null ? [] : [`"CipherString" => "${ciphers}"`]),
  ];
  return {
    command: (_, folder) => ['lighttpd', '-D', '-f', `${folder}/lighttpd.conf`],
    files: (port, folder) => ({
      'lighttpd.conf': `server.modules = ("mod_openssl")
server.document-root = "${folder}"
server.bind = "127.0.0.1"
server.port = ${port}
ssl.engine = "enable"
ssl.pemfile = "${folder}/chain.pem"
ssl.privkey = "${folder}/key.pem"
${options.length === 0 ? '' : `ssl.openssl.ssl-conf-cmd = (${options.join(', ')})`}
`,
    }),
  };
}

function stunnel({ versions, ciphers }: Profile): Start {
  const [first] = versions;
  return {
    command: (_, folder) => ['stunnel4', `${folder}/stunnel.conf`],
    files: (port, folder) => ({
      'stunnel.conf': `foreground = yes
pid =
${only('sslVersionMin = TLSv%', first ?? null)}
${only('ciphers = %', ciphers)}
[tls]
accept = 127.0.0.1:${port}
connect = 127.0.0.1:9
cert = ${folder}/chain.pem
key = ${folder}/key.pem
`,
    }),
  };
}

const openssl = (...more: readonly string[]): Start => ({
  command: (port) => [
    'openssl', 's_server', '-accept', `127.0.0.1:${port}`, '-www', '-quiet', '-cert', 'leaf.pem', '-key', 'key.pem', '-cert_chain', 'above.pem', ...more,
  ], // prettier-ignore
});

const gnutls = (priority: string): Start => ({
  command: (port) => [
    'gnutls-serv', '--quiet', '--http', '--nodb', `--port=${port}`, '--x509certfile=chain.pem', '--x509keyfile=key.pem', `--priority=${priority}`,
  ], // prettier-ignore
});

const java = (mode: string): Start => ({
  command: (port) => ['java', '-Djava.security.properties=all.security', 'Server.java', String(port), mode],
  files: () => ({
    'Server.java': javaSource,
    'all.security': mode === 'old' ? 'jdk.tls.disabledAlgorithms=\njdk.tls.legacyAlgorithms=\n' : '',
  }),
});

/** Compiled first, so that the process that is stopped is the server. */
export function goCommand(port: number, mode: string): readonly [string, ...string[]] {
  return ['sh', '-c', `go build -o server server.go && exec ./server ${port} ${mode}`];
}

const go = (mode: string): Start => ({
  command: (port) => goCommand(port, mode),
  files: () => ({ 'server.go': goSource }),
});

/** Servers of Node run in this process. */
const node =
  (options: object): PeerServer['open'] =>
  async ({ rsa }) => {
    const server = createServer({ key: rsa[0]?.keyPem ?? '', cert: pem(rsa), ...options }, (_, answer) =>
      answer.end('ok'),
    );
    return listen(
      server.on('tlsClientError', () => undefined),
      { address: '127.0.0.1', port: 0 },
    );
  };

const inProfiles = (program: string, start: (profile: Profile) => Start): readonly PeerServer[] =>
  findProgram(program) === undefined
    ? []
    : Object.entries(profiles).map(([name, profile]) => ({
        name: `${program} ${name}`,
        open: opener(start(profile)),
      }));
const single = (program: string, name: string, start: Start): readonly PeerServer[] =>
  findProgram(program) === undefined ? [] : [{ name: `${program} ${name}`, open: opener(start) }];
const second = 'ssl_certificate second.pem; ssl_certificate_key second-key.pem;';

/** All servers that are installed here. */
export const peerServers: readonly PeerServer[] = [
  ...inProfiles('nginx', (profile) => nginx(profile)),
  ...single('nginx', 'two certificates', nginx(profiles['default'] as Profile, second)),
  ...single(
    'nginx',
    'old, its own order',
    nginx(profiles['old'] as Profile, 'ssl_prefer_server_ciphers on;'),
  ),
  ...inProfiles('apache2', (profile) => apache(profile)),
  ...single('apache2', 'old, its own order', apache(profiles['old'] as Profile, 'SSLHonorCipherOrder on')),
  ...inProfiles('haproxy', haproxy),
  ...inProfiles('lighttpd', lighttpd),
  ...inProfiles('stunnel4', stunnel),
  ...single('openssl', 'default', openssl()),
  ...single('openssl', 'everything', openssl('-cipher', 'ALL:COMPLEMENTOFALL:@SECLEVEL=0')),
  ...single('openssl', 'its own order', openssl('-serverpref')),
  ...single('openssl', 'P-521 alone', openssl('-tls1_3', '-groups', 'P-521')),
  ...single('openssl', 'ffdhe3072 alone', openssl('-tls1_3', '-groups', 'ffdhe3072')),
  ...single('gnutls-serv', 'default', gnutls('NORMAL')),
  ...single('gnutls-serv', 'secure', gnutls('SECURE192')),
  ...single(
    'gnutls-serv',
    'legacy',
    gnutls('LEGACY:+VERS-TLS1.0:+VERS-TLS1.1:+3DES-CBC:+ARCFOUR-128:+ANON-ECDH:+NULL'),
  ),
  { name: 'node default', open: node({}) },
  { name: 'node old', open: node({ minVersion: 'TLSv1', ciphers: `${lenient}` }) },
  ...single('go', 'default', go('default')),
  ...single('go', 'old', go('old')),
  ...single('java', 'default', java('default')),
  ...single('java', 'old', java('old')),
];
