import { execFileSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import type { KeyAndCertificate } from '../kit/certificates.ts';
import { makeFolder, startServer } from '../ssl-check/tools.ts';
import { linesOfCase, openApplication, plainPage, serve } from './application.ts';
import type { HeaderCase } from './cases.ts';

/** A site behind one of the servers. */
export type Site = {
  readonly host: string;
  readonly one: HeaderCase;
  /** The header that a line of the server's own sends wrongly. */
  readonly own: readonly [header: string, value: string] | undefined;
  /** Lines of a report, pasted: in place of the server's own line, where there was one. Empty before there is a report. */
  readonly pasted: readonly string[];
};

/** What all servers share. */
export type World = {
  readonly identity: KeyAndCertificate;
  readonly httpPort: number;
  readonly httpsPort: number;
  /** The application, in clear text on 127.0.0.1. */
  readonly applicationPort: number;
  /** PHP as a FastCGI responder on 127.0.0.1, and what it runs. */
  readonly fastcgiPort: number;
  readonly phpScript: string;
};

type Running = { close(): Promise<void> };

export type SetUp = {
  readonly address: string;
  /** The name under which `snippets` has the lines for it. */
  readonly server: string;
  /** Tries the configuration by the server's own test, and starts it. */
  start(sites: readonly Site[], world: World): Promise<Running>;
};

/** Whether the application is asked over http too; elsewhere the server redirects to https. */
const answersHttp = ({ one }: Site) => one.http !== undefined;

/** Whether its lines say that they belong to the server of http too. */
const isForAll = ({ pasted }: Site) => pasted.some((line) => line.includes('also the one for http'));

type Program = {
  readonly files: { readonly [name: string]: string };
  readonly test: readonly [string, ...string[]];
  readonly run: readonly [string, ...string[]];
};

/** Starts a program in a folder of its files; FOLDER stands for that folder. */
async function start({ files, test, run }: Program, address: string, { identity, httpsPort }: World) {
  const folder = makeFolder({ 'cert.pem': identity.cert, 'key.pem': identity.key });
  chmodSync(folder, 0o755);
  const placed = (text: string) => text.replaceAll('FOLDER', folder);
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(folder, name), placed(text));
    if (name.endsWith('.sh')) chmodSync(join(folder, name), 0o755);
  }
  const [program, ...argv] = test.map(placed);
  execFileSync(program ?? '', argv, { cwd: folder, stdio: 'pipe', timeout: 30_000 });
  return startServer(run.map(placed) as [string, ...string[]], httpsPort, folder, {
    withinMs: 20_000,
    address,
  });
}

const nginx = (address: string, pass: (world: World) => readonly string[]): SetUp => ({
  address,
  server: 'nginx',
  start: (sites, world) => {
    const location = `location / { ${pass(world).join(' ')} }`;
    const siteOf = (site: Site) => {
      const ownLine = site.own ? [`add_header ${site.own[0]} "${site.own[1]}" always;`] : [];
      const lines = site.pasted.length > 0 ? site.pasted : ownLine;
      const http = answersHttp(site)
        ? [...site.pasted, location]
        : [...(isForAll(site) ? site.pasted : []), 'return 301 https://$host$request_uri;'];
      return [
        `server { listen ${address}:${world.httpPort}; server_name ${site.host};`,
        ...http,
        '}',
        `server { listen ${address}:${world.httpsPort} ssl; server_name ${site.host};`,
        ...(answersHttp(site) ? [] : lines),
        location,
        '}',
      ];
    };
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
    const config = [
      'daemon off; master_process off; pid nginx.pid; error_log stderr crit;',
      'events { worker_connections 4096; }',
      'http { access_log off; server_names_hash_bucket_size 128; server_names_hash_max_size 4096;',
      ...temporary.map((kind) => `${kind}_temp_path ${kind}_temp;`),
      'ssl_certificate cert.pem; ssl_certificate_key key.pem; server_tokens off;',
      ...sites.flatMap(siteOf),
      '}',
    ];
    const command = ['nginx', '-p', 'FOLDER/', '-c', 'FOLDER/nginx.conf'] as const;
    return start(
      { files: { 'nginx.conf': config.join('\n') }, test: [...command, '-t'], run: command },
      address,
      world,
    );
  },
});

const apacheModules = 'mpm_prefork authz_core headers alias cgi env proxy proxy_http socache_shmcb ssl'.split(
  ' ',
);

const apache = (address: string, pass: (world: World) => readonly string[]): SetUp => ({
  address,
  server: 'apache',
  start: (sites, world) => {
    const isGlobal = (line: string) => /^(?:ServerTokens|Header onsuccess unset Server$)/.test(line);
    const siteOf = (site: Site) => {
      const ownLine = site.own ? [`Header always set ${site.own[0]} "${site.own[1]}"`] : [];
      const lines = site.pasted.length > 0 ? site.pasted : ownLine;
      const http = answersHttp(site)
        ? [...site.pasted, ...pass(world)]
        : [`Redirect permanent / https://${site.host}/`];
      return [
        `<VirtualHost ${address}:${world.httpPort}>`,
        `ServerName ${site.host}`,
        ...http,
        '</VirtualHost>',
        `<VirtualHost ${address}:${world.httpsPort}>`,
        `ServerName ${site.host}`,
        'SSLEngine on\nSSLCertificateFile cert.pem\nSSLCertificateKeyFile key.pem',
        ...(answersHttp(site) ? [] : lines.filter((line) => !isGlobal(line))),
        'RequestHeader set X-Forwarded-Proto https',
        ...pass(world),
        '</VirtualHost>',
      ];
    };
    const config = [
      'ServerRoot FOLDER\nPidFile FOLDER/pid\nErrorLog FOLDER/error.log\nLogLevel crit\nUser www-data\nGroup www-data',
      'ServerName lab.test\nStartServers 4\nDocumentRoot FOLDER\nTraceEnable off',
      `Listen ${address}:${world.httpPort}\nListen ${address}:${world.httpsPort}`,
      ...apacheModules.map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`),
      'ServerTokens Prod',
      ...new Set(sites.flatMap(({ pasted }) => pasted.filter(isGlobal))),
      ...sites.flatMap(siteOf),
    ];
    const answers = sites.map((site) => [
      `cgi-${site.host}`,
      `${linesOfSite(site).join('\n')}\n\n${bodyOf(site)}`,
    ]);
    const command = ['apache2', '-f', 'FOLDER/apache.conf'] as const;
    return start(
      {
        files: {
          'apache.conf': config.join('\n'),
          'answer.sh': '#!/bin/sh\ncat "FOLDER/cgi-${HTTP_HOST%%:*}"\n',
          ...Object.fromEntries(answers),
        },
        test: [...command, '-t'],
        // It ends its whole process group, which would be ours.
        run: ['setsid', ...command, '-D', 'FOREGROUND'],
      },
      address,
      world,
    );
  },
});

const caddy: SetUp = {
  address: '127.0.0.15',
  server: 'caddy',
  start: (sites, world) => {
    const pass = `reverse_proxy 127.0.0.1:${world.applicationPort}`;
    const siteOf = (site: Site) => {
      const ownLine = site.own ? [`header { \n${site.own[0]} "${site.own[1]}"\ndefer\n}`] : [];
      const lines = site.pasted.length > 0 ? site.pasted : ownLine;
      const http = answersHttp(site)
        ? [...site.pasted, pass]
        : [...(isForAll(site) ? site.pasted : []), 'redir https://{host}{uri} permanent'];
      return [
        `http://${site.host} {`,
        `bind ${caddy.address}`,
        ...http,
        '}',
        `https://${site.host} {`,
        `bind ${caddy.address}`,
        'tls FOLDER/cert.pem FOLDER/key.pem',
        ...(answersHttp(site) ? [] : lines),
        pass,
        '}',
      ];
    };
    const options = `{\nadmin off\nauto_https off\nhttp_port ${world.httpPort}\nhttps_port ${world.httpsPort}\nstorage file_system FOLDER\n}`;
    const rest = ['--config', 'FOLDER/Caddyfile', '--adapter', 'caddyfile'] as const;
    return start(
      {
        files: { Caddyfile: [options, ...sites.flatMap(siteOf)].join('\n') },
        test: ['caddy', 'validate', ...rest],
        run: ['caddy', 'run', ...rest],
      },
      caddy.address,
      world,
    );
  },
};

const haproxy: SetUp = {
  address: '127.0.0.16',
  server: 'haproxy',
  start: (sites, world) => {
    const backendOf = (site: Site, at: number) => {
      const ownLine = site.own ? [`http-response set-header ${site.own[0]} "${site.own[1]}"`] : [];
      const lines = site.pasted.length > 0 ? site.pasted : ownLine;
      return [
        `backend b${at}`,
        ...(answersHttp(site) ? [] : ['http-request redirect scheme https code 301 unless { ssl_fc }']),
        'http-request set-header X-Forwarded-Proto https if { ssl_fc }',
        ...lines,
        `server app 127.0.0.1:${world.applicationPort}`,
      ];
    };
    const address = haproxy.address;
    const config = [
      'global\nmaxconn 1000\ndefaults\nmode http\ntimeout connect 5s\ntimeout client 20s\ntimeout server 20s',
      `frontend all\nbind ${address}:${world.httpPort}\nbind ${address}:${world.httpsPort} ssl crt FOLDER/both.pem`,
      'use_backend %[req.hdr(host),field(1,:),lower,map(FOLDER/hosts.map)]',
      ...sites.flatMap(backendOf),
    ];
    return start(
      {
        files: {
          'haproxy.cfg': `${config.join('\n')}\n`,
          'hosts.map': sites.map(({ host }, at) => `${host} b${at}\n`).join(''),
          'both.pem': `${world.identity.cert}\n${world.identity.key}\n`,
        },
        test: ['haproxy', '-c', '-f', 'FOLDER/haproxy.cfg'],
        run: ['haproxy', '-db', '-f', 'FOLDER/haproxy.cfg'],
      },
      address,
      world,
    );
  },
};

const express: SetUp = {
  address: '127.0.0.17',
  server: 'express',
  start: (sites, world) =>
    serve(applicationsOf(sites), express.address, [world.httpPort, world.httpsPort], world.identity),
};

const proxied = ({ applicationPort }: World) => [
  `proxy_pass http://127.0.0.1:${applicationPort};`,
  'proxy_set_header Host $host;',
  'proxy_set_header X-Forwarded-Proto $scheme;',
];
const byFastcgi = ({ fastcgiPort, phpScript }: World) => [
  `fastcgi_pass 127.0.0.1:${fastcgiPort};`,
  `fastcgi_param SCRIPT_FILENAME ${phpScript};`,
  'fastcgi_param REQUEST_METHOD $request_method;',
  'fastcgi_param HTTP_HOST $host;',
];

const behindPhp = nginx('127.0.0.12', byFastcgi);
const withoutLines = (site: Site): Site => ({ ...site, pasted: [] });

/** Real servers, each at an address of its own. */
export const setUps = {
  nginx: nginx('127.0.0.11', proxied),
  'nginx-fastcgi': behindPhp,
  // The lines are those of php.ini, which belong to what is behind the server.
  php: {
    ...behindPhp,
    start: (sites, world) => behindPhp.start(sites.map(withoutLines), world),
    server: 'php',
  },
  apache: apache('127.0.0.13', ({ applicationPort }) => [
    'ProxyPreserveHost On',
    `ProxyPass / http://127.0.0.1:${applicationPort}/`,
  ]),
  'apache-cgi': apache('127.0.0.14', () => [
    'ScriptAlias / FOLDER/answer.sh/',
    '<Directory FOLDER>\nOptions +ExecCGI\nRequire all granted\n</Directory>',
  ]),
  caddy,
  haproxy,
  express,
} as const satisfies { readonly [name: string]: SetUp };

export type SetUpName = keyof typeof setUps;

/** Applications by host; what a server's own line sends, its application does not. */
export function applicationsOf(sites: readonly Site[]): ReadonlyMap<string, RequestListener> {
  return new Map(
    sites.map(({ host, one, own, pasted }) => [
      host,
      openApplication(own ? { ...one, sends: { ...one.sends, [own[0]]: null } } : one, pasted),
    ]),
  );
}

/** The header lines that an application sends for a site. */
export function linesOfSite({ one, own }: Pick<Site, 'one' | 'own'>): readonly string[] {
  return linesOfCase(one)
    .filter(([name]) => name !== own?.[0])
    .map(([name, value]) => `${name}: ${value}`);
}

/** The page of a site. */
export function bodyOf({ one }: Pick<Site, 'one'>): string {
  return one.body ?? plainPage;
}
