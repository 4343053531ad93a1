import { freePort } from '../../kit/programs.ts';
import type { Issued } from '../../unit/ssl-check/issue-certificate.ts';
import type { LabServer } from './servers.ts';
import { makeFolder, startServer } from './tools.ts';

/** Where it listens: a name may have all of them. */
export const nginxAddresses = ['127.0.0.1', '127.0.0.2', '127.0.0.3', '[::1]'] as const;

/** An nginx with one TLS server: its certificates, and the lines in which it differs. */
export async function openNginx(
  chain: readonly Issued[],
  lines: readonly string[] = [],
  listen = 'ssl http2',
  files: { readonly [name: string]: string | Uint8Array } = {},
): Promise<LabServer> {
  const port = await freePort();
  const certificate = listen.includes('ssl')
    ? ['ssl_certificate chain.pem;', 'ssl_certificate_key key.pem;']
    : [];
  const server = [
    ...nginxAddresses.map((address) => `listen ${address}:${port} ${listen};`),
    'server_name lab.test;',
    ...certificate,
    ...lines,
    'add_header Strict-Transport-Security "max-age=31536000" always;',
    'location / { return 200 "ok"; }',
  ];
  const folder = makeFolder({
    'chain.pem': chain.map(({ certPem }) => certPem).join(''),
    'key.pem': chain[0]?.keyPem ?? '',
    'nginx.conf': [
      'daemon off;',
      'master_process off;',
      'pid nginx.pid;',
      'error_log stderr crit;',
      'events {}',
      'http {',
      'access_log off;',
      ...['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
        (kind) => `${kind}_temp_path ${kind}_temp;`,
      ),
      'server {',
      ...server,
      '}',
      '}',
    ].join('\n'),
    ...files,
  });
  return startServer(['nginx', '-p', `${folder}/`, '-c', `${folder}/nginx.conf`], port, folder);
}
