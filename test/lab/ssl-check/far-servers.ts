import { freePort } from '../../kit/programs.ts';
import type { issueCertificate as Issue, makeKey as Make } from '../../unit/ssl-check/issue-certificate.ts';
import { inDays, type SslLab } from './lab.ts';
import { openNginx } from './nginx.ts';
import type { LabServer } from './servers.ts';
import { makeFolder, startServer } from './tools.ts';

/** Servers as many are: by name, and how they are opened. */
export async function farServers(
  lab: SslLab,
  issue: typeof Issue,
  makeKey: typeof Make,
): Promise<readonly (readonly [string, () => Promise<LabServer>])[]> {
  const chain = [lab.leaf, lab.intermediate];
  const rsa = issue({
    subject: 'lab.test',
    issuer: lab.intermediate,
    names: ['lab.test'],
    notBefore: inDays(-30),
    notAfter: inDays(60),
    key: makeKey('rsa2048'),
  });
  const modern = 'ssl_protocols TLSv1.2 TLSv1.3;';
  const intermediate =
    'ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-RSA-AES256-GCM-SHA384:ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305:DHE-RSA-AES128-GCM-SHA256:DHE-RSA-AES256-GCM-SHA384:DHE-RSA-CHACHA20-POLY1305';
  return [
    ['nginx', () => openNginx([rsa, lab.intermediate], [modern])],
    ['nginx-ecdsa', () => openNginx(chain, [modern])],
    [
      'nginx-intermediate',
      () => openNginx([rsa, lab.intermediate], [modern, `ssl_ciphers ${intermediate};`]),
    ],
    [
      'nginx-old',
      () =>
        openNginx(
          [rsa, lab.intermediate],
          [
            'ssl_protocols TLSv1 TLSv1.1 TLSv1.2 TLSv1.3;',
            'ssl_ciphers ALL:@SECLEVEL=0;',
            'ssl_prefer_server_ciphers on;',
          ],
        ),
    ],
    ['apache', () => openApache(rsa, lab)],
    ['cdn', () => openCdn(rsa, lab)],
  ];
}

async function openApache(rsa: ReturnType<typeof Issue>, lab: SslLab): Promise<LabServer> {
  const port = await freePort();
  const modules = ['mpm_event', 'ssl', 'socache_shmcb', 'headers', 'http2', 'authz_core'];
  const folder = makeFolder({
    'chain.pem': rsa.certPem + lab.intermediate.certPem,
    'key.pem': rsa.keyPem,
    'httpd.conf': [
      'PidFile httpd.pid',
      'ErrorLog error.log',
      'DefaultRuntimeDir .',
      'ServerName lab.test',
      `Listen 127.0.0.1:${port}`,
      ...modules.map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`),
      'SSLSessionCache shmcb:sessions(512000)',
      'SSLEngine on',
      'SSLCipherSuite HIGH:!aNULL',
      'SSLProtocol all -SSLv3 -TLSv1 -TLSv1.1',
      'SSLCertificateFile chain.pem',
      'SSLCertificateKeyFile key.pem',
      'Protocols h2 http/1.1',
      'DocumentRoot .',
      'Header always set Strict-Transport-Security max-age=31536000',
    ].join('\n'),
  });
  return startServer(['apache2', '-X', '-d', folder, '-f', `${folder}/httpd.conf`], port, folder);
}

/** Both kinds of keys, a hybrid group, and twenty suites. */
async function openCdn(rsa: ReturnType<typeof Issue>, lab: SslLab): Promise<LabServer> {
  const port = await freePort();
  const folder = makeFolder({
    'rsa.pem': rsa.certPem + lab.intermediate.certPem,
    'rsa-key.pem': rsa.keyPem,
    'ec.pem': lab.leaf.certPem + lab.intermediate.certPem,
    'ec-key.pem': lab.leaf.keyPem,
    'serve.mjs': `
import { readFileSync as read } from 'node:fs';
import { createServer } from 'node:tls';
const of = (name) => read(new URL(name, import.meta.url));
createServer({
  cert: [of('ec.pem'), of('rsa.pem')], key: [of('ec-key.pem'), of('rsa-key.pem')],
  ALPNProtocols: ['h2', 'http/1.1'], honorCipherOrder: true, minVersion: 'TLSv1.2',
  ecdhCurve: 'X25519MLKEM768:X25519:P-256:P-384', secureOptions: 1 << 30,
  ciphers: ['TLS_AES_128_GCM_SHA256', 'TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256',
    ...['ECDSA', 'RSA'].flatMap((key) => ['AES128-GCM-SHA256', 'CHACHA20-POLY1305', 'AES128-SHA256', 'AES128-SHA', 'AES256-GCM-SHA384', 'AES256-SHA384', 'AES256-SHA'].map((rest) => \`ECDHE-\${key}-\${rest}\`)),
    'AES128-GCM-SHA256', 'AES128-SHA256', 'AES128-SHA', 'AES256-GCM-SHA384', 'AES256-SHA256', 'AES256-SHA'].join(':'),
}, (socket) => socket.on('error', () => {}).once('data', () => socket.end('HTTP/1.1 200 OK\\r\\nStrict-Transport-Security: max-age=31536000\\r\\nContent-Length: 0\\r\\nConnection: close\\r\\n\\r\\n')))
  .on('tlsClientError', () => {}).listen(${port}, '127.0.0.1');
`,
  });
  return startServer([process.execPath, 'serve.mjs'], port, folder);
}
