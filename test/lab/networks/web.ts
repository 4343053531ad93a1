import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { addressesOf, parking, type Site, sites } from './names.ts';

const headers = {
  'Strict-Transport-Security': 'max-age=63072000; includeSubDomains',
  'Content-Security-Policy':
    "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'strict-origin-when-cross-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=()',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
};

const page = (title: string, text: string) =>
  `<!doctype html><html lang=en><head><meta charset=utf-8><title>${title}</title></head><body><h1>${title}</h1><p>${text}</p></body></html>\n`;

/** Writes nginx's settings for all web hosts, and their pages; gives the file of settings. */
export function writeWeb(folder: string): string {
  const web = join(folder, 'web');
  for (const part of ['good', 'parked']) mkdirSync(join(web, part), { recursive: true });
  // Longer than a packet, so that a path that loses long packets loses it.
  writeFileSync(join(web, 'good', 'index.html'), page('A healthy site', 'All is well here. '.repeat(120)));
  writeFileSync(join(web, 'parked', 'index.html'), page('Buy this domain', 'This domain may be for sale.'));
  const open = Object.entries(sites).filter(([, { webIs, dnsIs }]) => webIs !== 'closed' && !dnsIs);
  const servers = open.map(([name, site]) => serversOf(folder, name, site));
  const parked = `server {\n${listens([parking.v4 ?? ''], 80)}root ${web}/parked; error_page 404 =200 /index.html;\n}\n`;
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((one) => `${one}_temp_path ${web}/${one};\n`)
    .join('');
  const file = join(folder, 'nginx.conf');
  writeFileSync(
    file,
    `daemon off;\nuser root;\npid ${web}/pid;\nerror_log ${web}/error.log;\nworker_processes 1;\nevents { worker_connections 1024; }\nhttp {\naccess_log off;\nserver_tokens off;\ndefault_type text/html;\ncharset utf-8;\n${temporary}${servers.join('')}${parked}}\n`,
  );
  return file;
}

function serversOf(folder: string, name: string, { web }: Site): string {
  const all = addressesOf([web]);
  const tls = `ssl_certificate ${folder}/${name}.pem;\nssl_certificate_key ${folder}/${name}.key;\nssl_protocols TLSv1.2 TLSv1.3;\nssl_ciphers ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-ECDSA-CHACHA20-POLY1305;\nssl_session_tickets off;\n`;
  const lines = Object.entries(headers).map(([header, value]) => `add_header ${header} "${value}" always;\n`);
  const secure = listens(all, 443, ' ssl http2') + tls + lines.join('');
  const toApex = `return 301 https://${name}$request_uri;\n`;
  return [
    `server {\n${listens(all, 80)}server_name ${name};\n${toApex}}\n`,
    // First to TLS with the same name, as preload lists want it.
    `server {\n${listens(all, 80)}server_name www.${name};\nreturn 301 https://$host$request_uri;\n}\n`,
    `server {\n${secure}server_name www.${name};\n${toApex}}\n`,
    `server {\n${secure}server_name ${name};\nroot ${folder}/web/good;\n}\n`,
  ].join('');
}

function listens(addresses: readonly string[], port: number, more = ''): string {
  return addresses
    .map((address) => `listen ${address.includes(':') ? `[${address}]` : address}:${port}${more};\n`)
    .join('');
}
