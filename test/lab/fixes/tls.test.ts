import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { freePort } from '../../kit/programs.ts';
import { openSslLab } from '../ssl-check/lab.ts';
import { hasTool, makeFolder, startServer } from '../ssl-check/tools.ts';

const lab = await openSslLab();
afterAll(async () => lab.close());

/** Settings of a server by their place: of all of it, and of one site. */
type Settings = { readonly global: readonly string[]; readonly site: readonly string[] };
type TlsServer = {
  /** What is wrong, by the finding that it makes; the settings that the lines replace. */
  readonly wrong: Settings;
  readonly isGlobal: (line: string) => boolean;
  readonly run: (settings: Settings, port: number) => Program;
};
type Program = {
  readonly file: string;
  readonly text: readonly string[];
  readonly command: readonly [string, ...string[]];
};

const servers = {
  nginx: {
    wrong: {
      global: [],
      site: [
        'ssl_protocols TLSv1 TLSv1.1 TLSv1.2;',
        'ssl_ciphers ALL:@SECLEVEL=0;',
        'ssl_ecdh_curve sect283k1:prime256v1;',
        'ssl_prefer_server_ciphers on;',
        'add_header Strict-Transport-Security "max-age=600" always;',
      ],
    },
    isGlobal: () => false,
    run: ({ site }, port) => ({
      file: 'nginx.conf',
      text: [
        'daemon off; master_process off; pid nginx.pid; error_log stderr crit; events {}',
        'http { access_log off;',
        ...['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
          (kind) => `${kind}_temp_path ${kind}_temp;`,
        ),
        `server { listen 127.0.0.1:${port} ssl; server_name lab.test;`,
        'ssl_certificate chain.pem; ssl_certificate_key key.pem;',
        ...site,
        'location / { return 200 "ok"; } } }',
      ],
      command: ['nginx', '-p', 'FOLDER/', '-c', 'FOLDER/nginx.conf'],
    }),
  },
  apache: {
    wrong: {
      global: [],
      site: [
        'SSLProtocol -all +TLSv1 +TLSv1.1 +TLSv1.2',
        'SSLCipherSuite ALL:@SECLEVEL=0',
        'SSLHonorCipherOrder on',
        'SSLOpenSSLConfCmd Groups sect283k1:prime256v1',
        'Header always set Strict-Transport-Security max-age=600',
      ],
    },
    isGlobal: () => false,
    run: ({ site }, port) => ({
      file: 'httpd.conf',
      text: [
        'ServerRoot FOLDER\nPidFile FOLDER/pid\nErrorLog FOLDER/error.log\nServerName lab.test\nDocumentRoot FOLDER',
        `Listen 127.0.0.1:${port}`,
        ...['mpm_event', 'ssl', 'socache_shmcb', 'headers', 'authz_core'].map(
          (name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`,
        ),
        '<VirtualHost *>\nSSLEngine on\nSSLCertificateFile chain.pem\nSSLCertificateKeyFile key.pem',
        ...site,
        '</VirtualHost>',
      ],
      command: ['setsid', 'apache2', '-X', '-f', 'FOLDER/httpd.conf'],
    }),
  },
  haproxy: {
    wrong: {
      global: [
        'ssl-default-bind-options ssl-min-ver TLSv1.0 ssl-max-ver TLSv1.2',
        'ssl-default-bind-ciphers ALL:@SECLEVEL=0',
        'ssl-default-bind-curves sect283k1:P-256',
      ],
      site: ['http-after-response set-header Strict-Transport-Security max-age=600'],
    },
    isGlobal: (line) => line.startsWith('ssl-default'),
    run: ({ global, site }, port) => ({
      file: 'haproxy.cfg',
      text: [
        'global',
        ...global,
        'defaults\nmode http\ntimeout connect 5s\ntimeout client 20s\ntimeout server 20s',
        `frontend all\nbind 127.0.0.1:${port} ssl crt FOLDER/both.pem`,
        ...site,
        'http-request return status 200 content-type text/plain string ok',
        '',
      ],
      command: ['haproxy', '-db', '-f', 'FOLDER/haproxy.cfg'],
    }),
  },
} satisfies { readonly [name: string]: TlsServer };

const fixed = ['tls10-offered', 'tls11-offered', 'tls13-missing', 'group-deprecated-chosen', 'hsts-short'];

async function look({ run }: TlsServer, settings: Settings) {
  const port = await freePort();
  const chain = [lab.leaf, lab.intermediate].map(({ certPem }) => certPem).join('');
  const { file, text, command } = run(settings, port);
  const folder = makeFolder({
    'chain.pem': chain,
    'key.pem': lab.leaf.keyPem,
    'both.pem': chain + lab.leaf.keyPem,
  });
  const placed = (line: string) => line.replaceAll('FOLDER', folder);
  writeFileSync(join(folder, file), text.map(placed).join('\n'));
  const server = await startServer(command.map(placed) as [string, ...string[]], port, folder);
  try {
    return await lab.check(port);
  } finally {
    await server.close();
  }
}

const above = ({ report }: Awaited<ReturnType<typeof look>>) =>
  report.findings.flatMap(({ code, severity }) => (severity === 'info' ? [] : [code]));

/** Checks a server that has these wrong settings, and again with the lines of that report in their place. */
async function paste(name: string, server: TlsServer, wrong: Settings) {
  const before = await look(server, wrong);
  const lines = new Set(before.report.findings.flatMap(({ fix }) => fix.snippets?.[name]?.split('\n') ?? []));
  const after = await look(server, {
    global: [...lines].filter(server.isGlobal),
    site: [...lines].filter((line) => !server.isGlobal(line)),
  });
  return { before, after };
}

const tried = Object.entries<TlsServer>(servers).filter(([name]) =>
  hasTool(name === 'apache' ? 'apache2' : name, '-v'),
);
test.for(tried)('%s: the lines for TLS end what they are for', async ([name, server]) => {
  const { before, after } = await paste(name, server, server.wrong);
  expect(before.broken).toEqual(expect.arrayContaining(fixed));
  expect(above(after)).toEqual([]);
  expect(after.assessment.score).toBeGreaterThan(before.assessment.score ?? 100);
});

test('nginx: the line against early data ends it', async () => {
  const hsts = 'add_header Strict-Transport-Security "max-age=31536000" always;';
  const site = ['ssl_protocols TLSv1.2 TLSv1.3;', 'ssl_early_data on;', hsts];
  const { before, after } = await paste('nginx', servers.nginx, { global: [], site });
  expect(above(before)).toContain('early-data-offered');
  expect(above(after)).not.toContain('early-data-offered');
});
