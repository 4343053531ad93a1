import type { CookieAttribute, TlsSetting, Want, WantOf } from './want.ts';

/** How a server does each thing: lines of its configuration, comments among them; none where it cannot. */
export type Server = {
  readonly [Kind in Want['kind']]?: (want: WantOf<Kind>) => readonly string[] | undefined;
} & {
  /** There is none here to try the lines in. */
  readonly isUntried?: true;
};

/**
 * Headers that depend on each answer, such as nonces, or that several places send on purpose. No line hides or replaces one.
 * (Cookies are edited: their attributes are added, and the value stays.)
 */
const untouchable =
  /^(?:content-security-policy(?:-report-only)?|set-cookie2?|vary|access-control-.+|cache-control)$/i;

/** Whether a line may take a header away: only plain names get into lines, for they come from the target. */
export function mayRemove(header: string): boolean {
  return /^[A-Za-z0-9-]{1,60}$/.test(header) && !untouchable.test(header);
}

const isServerField = (header: string) => header.toLowerCase() === 'server';

// Suites and groups of Mozilla's intermediate configuration, without DHE, which needs parameters of its own.
const suites = [
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
].join(':');
const groups = 'X25519:prime256v1:secp384r1';

/** What passes requests on to an application in nginx; each hides headers by a directive of its own. */
const passing = ['proxy', 'fastcgi'] as const;
const hideNote =
  '# With uwsgi_pass, scgi_pass or grpc_pass, write uwsgi_hide_header, scgi_hide_header or grpc_hide_header.';
const inheritNotes = {
  add: [
    '# In the server block. In a location, add_header switches off all add_header lines of the server block: repeat your other lines here',
    '# (nginx 1.29.3 or later: add_header_inherit merge;).',
  ],
  hide: [
    '# In the server block. In a location, lines of this kind switch off those of the server block: repeat your other lines here.',
  ],
} as const;

function nginxHide(header: string): string[] {
  return passing.map((way) => `${way}_hide_header ${header};`);
}

function nginxAdd(header: string, value: string): string[] {
  return [`add_header ${header} "${value}" always;`];
}

const nginxTls: { readonly [S in TlsSetting]: readonly string[] } = {
  protocols: ['ssl_protocols TLSv1.2 TLSv1.3;'],
  suites: [`ssl_ciphers ${suites};`, 'ssl_prefer_server_ciphers off;'],
  groups: [`ssl_ecdh_curve ${groups};`],
  'no-early-data': ['ssl_early_data off;'],
};

const nginx: Server = {
  set: ({ header, value, isSent }) => [
    ...inheritNotes.add,
    ...(isSent ? [hideNote, ...nginxHide(header)] : []),
    ...nginxAdd(header, value),
  ],
  add: ({ header, value }) => [...inheritNotes.add, ...nginxAdd(header, value)],
  remove: ({ header, isWhole }) =>
    isServerField(header)
      ? isWhole
        ? ['# nginx always sends its name; server_tokens off; hides the version.']
        : ['# In every server block of the site, also the one for http.', 'server_tokens off;']
      : [...inheritNotes.hide, hideNote, ...nginxHide(header)],
  cookie: ({ cookie, attributes }) => [
    '# With proxy_pass. With fastcgi_pass, nginx cannot change cookies: set them in the application.',
    ...inheritNotes.hide,
    `proxy_cookie_flags ${cookie} ${attributes.join(' ').toLowerCase()};`,
  ],
  upgrade: ({ host }) => [
    `# In the server block of ${host} for port 80 alone. Where a proxy in front ends https, redirect there instead.`,
    'return 301 https://$host$request_uri;',
  ],
  tls: ({ setting }) => [
    '# In the first server block of the port: it decides for all names there.',
    ...nginxTls[setting],
  ],
};

const apacheTls: { readonly [S in TlsSetting]?: readonly string[] } = {
  protocols: ['SSLProtocol -all +TLSv1.2 +TLSv1.3'],
  suites: [`SSLCipherSuite ${suites}`, 'SSLHonorCipherOrder off'],
  groups: [`SSLOpenSSLConfCmd Groups ${groups}`],
};

// Two tables of headers: what a proxied or CGI answer brings stands in "onsuccess", and "always" is for all answers.
const apache: Server = {
  set: ({ header, value, isSent }) => [
    ...(isSent ? [`Header onsuccess unset ${header}`] : []),
    `Header always set ${header} "${value}"`,
  ],
  add: ({ header, value }) => [`Header always add ${header} "${value}"`],
  remove: ({ header, isWhole }) =>
    isServerField(header)
      ? isWhole
        ? ['# Apache always sends its name; ServerTokens Prod hides the version.']
        : [
            '# ServerTokens and the line below it stand outside of <VirtualHost>.',
            'ServerTokens Prod',
            'Header onsuccess unset Server',
          ]
      : [`Header onsuccess unset ${header}`, `Header always unset ${header}`],
  cookie: ({ cookie, attributes }) =>
    ['onsuccess', 'always'].map(
      (table) =>
        `Header ${table} edit Set-Cookie "^(${escapeRegExp(cookie)}=.*)$" "$1; ${attributes.join('; ')}"`,
    ),
  upgrade: ({ host }) => [
    `# In the <VirtualHost *:80> of ${host}. Where a proxy in front ends https, redirect there instead.`,
    // By itself it would come too late where the host passes all to an application.
    '<Location "/">',
    `\tRedirect permanent / https://${host}/`,
    '</Location>',
  ],
  tls: ({ setting }) => apacheTls[setting],
};

// Without `defer` a header stands beside the one that the application sends.
const caddy: Server = {
  set: ({ header, value, isSent }) =>
    isSent ? ['header {', `\t${header} "${value}"`, '\tdefer', '}'] : [`header ${header} "${value}"`],
  add: ({ header, value }) => [`header +${header} "${value}"`],
  remove: ({ header }) => [
    ...(isServerField(header) ? ['# In every block of the site, also the one for http.'] : []),
    `header -${header}`,
  ],
  cookie: ({ cookie, attributes }) => [
    'header {',
    `\tSet-Cookie "^(${escapeRegExp(cookie)}=.*)$" "$1; ${attributes.join('; ')}"`,
    '\tdefer',
    '}',
  ],
  upgrade: ({ host }) => [
    `# A site without http:// redirects by itself: write ${host} { … }. If you have a site http://${host}, this is all it needs.`,
    'redir https://{host}{uri} permanent',
  ],
  tls: () => [
    '# Nothing to add: the defaults are right. Remove protocols, ciphers and curves from tls { … }.',
  ],
};

const haproxyTls: { readonly [S in TlsSetting]?: readonly string[] } = {
  protocols: ['ssl-default-bind-options ssl-min-ver TLSv1.2'],
  suites: [`ssl-default-bind-ciphers ${suites}`],
  groups: ['ssl-default-bind-curves X25519:P-256:P-384'],
};

const haproxy: Server = {
  set: ({ header, value }) => [`http-after-response set-header ${header} "${value}"`],
  add: ({ header, value }) => [`http-after-response add-header ${header} "${value}"`],
  remove: ({ header }) => [`http-after-response del-header ${header}`],
  cookie: ({ cookie, attributes }) => [
    `http-after-response replace-header Set-Cookie '^(${escapeRegExp(cookie)}=.*)$' '\\1; ${attributes.join('; ')}'`,
  ],
  upgrade: () => [
    '# In the frontend that listens on port 80. Where a proxy in front ends https, redirect there instead.',
    'http-request redirect scheme https code 301 unless { ssl_fc }',
  ],
  tls: ({ setting }) => {
    const lines = haproxyTls[setting];
    return (
      lines && ['# In the global section. A bind line with settings of its own needs them there.', ...lines]
    );
  },
};

const expressOptions: { readonly [A in CookieAttribute]: string } = {
  Secure: 'secure: true',
  HttpOnly: 'httpOnly: true',
  'SameSite=Lax': "sameSite: 'lax'",
};

const express: Server = {
  set: ({ header, value }) => [`response.set('${header}', ${JSON.stringify(value)});`],
  add: ({ header, value }) => [`response.append('${header}', ${JSON.stringify(value)});`],
  remove: ({ header, value }) =>
    isServerField(header)
      ? ['// Express sends no Server header: what stands in front of it does.']
      : /^express$/i.test(value)
        ? ["app.disable('x-powered-by');"]
        : [`response.removeHeader('${header}');`],
  cookie: ({ cookie, attributes }) => [
    `response.cookie('${cookie}', value, { ...options, ${attributes.map((each) => expressOptions[each]).join(', ')} });`,
  ],
  upgrade: () => [
    "// Behind a proxy that ends https, this needs app.set('trust proxy', 1).",
    'app.use((request, response, next) => (request.secure ? next() : response.redirect(301, `https://${request.hostname}${request.originalUrl}`)));',
  ],
};

const phpSettings: { readonly [A in CookieAttribute]: string } = {
  Secure: 'session.cookie_secure = 1',
  HttpOnly: 'session.cookie_httponly = 1',
  'SameSite=Lax': 'session.cookie_samesite = "Lax"',
};

const phpOptions: { readonly [A in CookieAttribute]: string } = {
  Secure: "'secure' => true",
  HttpOnly: "'httponly' => true",
  'SameSite=Lax': "'samesite' => 'Lax'",
};

// Its own session cookie has settings; for others the call that sets them has options.
const php: Server = {
  cookie: ({ cookie, attributes }) =>
    cookie === 'PHPSESSID'
      ? ['; php.ini', ...attributes.map((each) => phpSettings[each])]
      : [
          `setcookie('${cookie}', $value, [${attributes.map((each) => phpOptions[each]).join(', ')}] + $options);`,
        ],
};

const iis: Server = {
  isUntried: true,
  set: ({ header, value }) => [
    '<!-- web.config: system.webServer, httpProtocol, customHeaders -->',
    `<remove name="${header}" />`,
    `<add name="${header}" value="${escapeXml(value)}" />`,
  ],
  add: ({ header, value }) => [
    '<!-- web.config: system.webServer, httpProtocol, customHeaders -->',
    `<add name="${header}" value="${escapeXml(value)}" />`,
  ],
  remove: ({ header }) =>
    isServerField(header)
      ? [
          '<!-- web.config: system.webServer, security (IIS 10) -->',
          '<requestFiltering removeServerHeader="true" />',
        ]
      : ['<!-- web.config: system.webServer, httpProtocol, customHeaders -->', `<remove name="${header}" />`],
  upgrade: () => [
    '<!-- web.config, with the URL Rewrite module: system.webServer, rewrite, rules -->',
    '<rule name="To https" stopProcessing="true">',
    '  <match url=".*" />',
    '  <conditions><add input="{HTTPS}" pattern="^OFF$" /></conditions>',
    '  <action type="Redirect" url="https://{HTTP_HOST}{REQUEST_URI}" appendQueryString="false" redirectType="Permanent" />',
    '</rule>',
  ],
};

const transformRules = 'Rules > Create rule > Response Header Transform Rule';
const cloudflare: Server = {
  isUntried: true,
  set: ({ header, value }) => [`${transformRules} > Set static: ${header} = ${value}`],
  add: ({ header, value }) => [`${transformRules} > Add static: ${header} = ${value}`],
  remove: ({ header }) =>
    isServerField(header)
      ? ['Cloudflare sends its own Server header, without a version; no rule removes it.']
      : [`${transformRules} > Remove: ${header}`],
  upgrade: () => ['SSL/TLS > Edge Certificates > Always Use HTTPS: on'],
};

const eximPriority = 'tls_require_ciphers = NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2';
// Debian builds Exim with GnuTLS, others with OpenSSL; each takes only its own lines.
const oldMailVersions = {
  postfix: ['smtpd_tls_protocols = >=TLSv1.2', 'smtpd_tls_mandatory_protocols = >=TLSv1.2'],
  exim: [
    '# Exim with GnuTLS, as in Debian and Ubuntu. With OpenSSL: openssl_options = +no_sslv2 +no_sslv3 +no_tlsv1 +no_tlsv1_1',
    eximPriority,
  ],
};

const mailTls: {
  readonly [S in TlsSetting]?: { readonly postfix: readonly string[]; readonly exim: readonly string[] };
} = {
  protocols: oldMailVersions,
  suites: {
    postfix: [
      'smtpd_tls_ciphers = medium',
      `tls_medium_cipherlist = ${suites}`,
      'tls_preempt_cipherlist = no',
    ],
    // The same option as for versions, and it may be set once: what NORMAL leaves out are the weak suites.
    exim: [
      `# Exim with GnuTLS, as in Debian and Ubuntu. With OpenSSL: tls_require_ciphers = ${suites}`,
      eximPriority,
    ],
  },
};

const postfix: Server = {
  tls: ({ setting }) => mailTls[setting]?.postfix,
  starttls: () => [
    '# The key first, then the certificate with its intermediates.',
    'smtpd_tls_chain_files = /etc/postfix/tls/key.pem, /etc/postfix/tls/fullchain.pem',
    'smtpd_tls_security_level = may',
    ...oldMailVersions.postfix,
  ],
};

const exim: Server = {
  tls: ({ setting }) => mailTls[setting]?.exim,
  starttls: () => [
    '# The user of Exim must be able to read both files.',
    'tls_certificate = /etc/exim4/tls/fullchain.pem',
    'tls_privatekey = /etc/exim4/tls/key.pem',
    'tls_advertise_hosts = *',
    ...oldMailVersions.exim,
  ],
};

/** Servers of sites, in the order in which their lines are shown. */
export const webServers: { readonly [name: string]: Server } = {
  nginx,
  apache,
  caddy,
  haproxy,
  express,
  php,
  iis,
  cloudflare,
};

/** Servers of mail. */
export const mailServers: { readonly [name: string]: Server } = { postfix, exim };

function escapeRegExp(text: string): string {
  return text.replaceAll(/[.*+?^|()[\]{}\\]/g, '\\$&');
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
