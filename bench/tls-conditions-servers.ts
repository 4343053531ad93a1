import { goCommand, type Start } from './tls-peers-servers.ts';
import { goSource, javaSource } from './tls-peers-sources.ts';

/** The same server in a few words: what differs is all that a condition says. */
type Lines = readonly string[];

const temp = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  .map((kind) => `${kind}_temp_path ${kind}_temp;`)
  .join(' ');
const hsts = 'add_header Strict-Transport-Security "max-age=31536000" always;';
const ownPair = 'ssl_certificate chain.pem; ssl_certificate_key key.pem;';

/** nginx with HSTS and lines of one server; further servers stand on the same port. */
export function nginx(lines: Lines, more: { readonly pair?: string; readonly field?: string; readonly servers?: Lines } = {}): Start {
  const { pair = ownPair, field = hsts, servers = [] } = more;
  return {
    command: (_, folder) => ['nginx', '-p', `${folder}/`, '-c', `${folder}/nginx.conf`],
    files: (port) => ({
      'nginx.conf': `daemon off; master_process off; pid nginx.pid; error_log stderr crit; events {} http { access_log off; ${temp}
server { listen 127.0.0.1:${port} ssl http2; server_name lab.test; ${pair} ${field} ${lines.join(' ')} location / { return 200 "ok"; } }
${servers.map((text) => `server { listen 127.0.0.1:${port} ssl http2 ${text} }`).join('\n')} }`,
    }),
  };
} // prettier-ignore

/** HAProxy with HSTS and the options of its one bind line. */
export function haproxy(options: string, settings = ''): Start {
  return {
    command: (_, folder) => ['haproxy', '-db', '-f', `${folder}/haproxy.cfg`],
    files: (port, folder) => ({
      'haproxy.cfg': `global
  ${settings}
defaults
  mode http
  timeout client 10s
  timeout server 10s
  timeout connect 5s
frontend tls
  bind 127.0.0.1:${port} ssl crt ${folder}/both.pem alpn h2,http/1.1 ${options.replaceAll('FOLDER', folder)}
  http-after-response set-header Strict-Transport-Security max-age=31536000
  http-request return status 200
`,
    }),
  };
}

/** Apache with HSTS and lines of its own. */
export function apache(lines: Lines): Start {
  const modules = ['mpm_event', 'ssl', 'socache_shmcb', 'authz_core', 'headers', 'http2'].map(
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
        'Protocols h2 http/1.1',
        'Header always set Strict-Transport-Security "max-age=31536000"',
        `SSLCertificateFile ${folder}/chain.pem`,
        `SSLCertificateKeyFile ${folder}/key.pem`,
        ...lines,
      ].join('\n'),
    }),
  };
}

/** openssl s_server with its page, which has no HSTS. */
export function openssl(...more: Lines): Start {
  return {
    command: (port) => ['openssl', 's_server', '-accept', `127.0.0.1:${port}`, '-www', '-quiet', ...more],
  };
}

/** What s_server shows unless a condition says otherwise. */
export const own = [
  '-cert',
  'leaf.pem',
  '-key',
  'key.pem',
  '-cert_chain',
  'above.pem',
  '-alpn',
  'h2,http/1.1',
];

/** gnutls-serv with its page, which has no HSTS. */
export function gnutls(priority: string, ...more: Lines): Start {
  return {
    command: (port) => [
      'gnutls-serv', '--quiet', '--http', `--port=${port}`, '--x509certfile=chain.pem', '--x509keyfile=key.pem', `--priority=${priority}`, ...more,
    ], // prettier-ignore
  };
}

/** Go's crypto/tls, with lines that set fields of its config. */
export function go(lines: string): Start {
  const source = goSource
    .replace('if os.Args[2] == "old" {', `${lines}\n\tif os.Args[2] == "old" {`)
    .replace('w.Write(', 'w.Header().Set("Strict-Transport-Security", "max-age=31536000"); w.Write(');
  return {
    command: (port) => goCommand(port, 'default'),
    files: () => ({ 'server.go': source }),
  };
}

/** Java's JSSE, with options of its virtual machine. */
export function java(...options: Lines): Start {
  return {
    command: (port) => ['java', ...options, 'Server.java', String(port), 'default'],
    files: () => ({ 'Server.java': javaSource }),
  };
}
