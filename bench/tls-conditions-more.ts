import type { SslCode } from '#shared/catalogue/ssl-check/rules';
import { apache, gnutls, go, haproxy, java, nginx, openssl, own } from './tls-conditions-servers.ts';
import {
  alone,
  by,
  type Condition,
  condition,
  inOwnOrder,
  node,
  sound,
  two,
} from './tls-conditions-shape.ts';

const careful = 'ssl-min-ver TLSv1.2 ciphers ECDHE-RSA-AES128-GCM-SHA256:ECDHE-RSA-AES256-GCM-SHA384';
const noForward: readonly SslCode[] = ['suite-without-forward-secrecy-offered'];
const cbc: readonly SslCode[] = ['suite-cbc-offered'];

const gnutlsServ: readonly Condition[] = [
  condition(
    'Suite B',
    by(gnutls('SUITEB128:+VERS-TLS1.3', '--disable-client-cert', '--alpn=h2', '--alpn=http/1.1'), (made) =>
      two(made, made.usual.ecdsa),
    ),
    'A-',
    ['renegotiation-by-client'],
  ),
  condition(
    'DHE alone in TLS 1.2',
    by(
      gnutls(
        'NORMAL:-VERS-ALL:+VERS-TLS1.2:-KX-ALL:+DHE-RSA',
        '--disable-client-cert',
        '--alpn=h2',
        '--alpn=http/1.1',
      ),
    ),
    'A-',
    ['browsers-cannot-connect', 'suite-finite-field-offered', 'tls13-missing', ...cbc],
  ),
  condition(
    'ffdhe3072 alone, TLS 1.2 and 1.3',
    by(
      gnutls(
        'NORMAL:-VERS-TLS1.0:-VERS-TLS1.1:-RSA:-GROUP-ALL:+GROUP-FFDHE3072',
        '--disable-client-cert',
        '--alpn=h2',
        '--alpn=http/1.1',
      ),
    ),
    'A-',
    ['chrome-cannot-connect', 'safari-cannot-connect', 'suite-finite-field-offered', ...cbc],
  ),
  condition(
    'CBC with SHA-1 and 3DES, its own order',
    by(
      gnutls(
        'NORMAL:%SERVER_PRECEDENCE:-VERS-ALL:+VERS-TLS1.0:+VERS-TLS1.1:+VERS-TLS1.2:-CIPHER-ALL:+AES-128-CBC:+3DES-CBC:-MAC-ALL:+SHA1:-KX-ALL:+ECDHE-RSA',
        '--disable-client-cert',
        '--alpn=h2',
        '--alpn=http/1.1',
      ),
    ),
    'C',
    [
      'suite-3des-offered',
      'suite-3des-since-tls11',
      'tls10-offered',
      'tls11-offered',
      'tls13-missing',
      'aead-missing',
      'renegotiation-by-client',
      ...cbc,
    ],
  ),
  condition(
    'no secure renegotiation',
    by(
      gnutls(
        'NORMAL:-VERS-ALL:+VERS-TLS1.2:-RSA:-CIPHER-ALL:+AES-128-GCM:+AES-256-GCM:-DHE-RSA:%DISABLE_SAFE_RENEGOTIATION',
        '--disable-client-cert',
        '--alpn=h2',
        '--alpn=http/1.1',
      ),
    ),
    'A-',
    ['secure-renegotiation-missing', 'renegotiation-by-client', 'tls13-missing'],
  ),
  condition(
    'a client certificate demanded by GnuTLS',
    by(
      gnutls(
        'NORMAL:-VERS-TLS1.0:-VERS-TLS1.1:-RSA:-DHE-RSA:-CIPHER-ALL:+AES-128-GCM:+AES-256-GCM',
        '--require-client-cert',
        '--alpn=h2',
        '--alpn=http/1.1',
      ),
    ),
    'A',
    ['client-certificate-requested'],
  ),
];

const nginxes: readonly Condition[] = [
  condition(
    'a page for clients with a certificate alone',
    by(nginx([sound, 'ssl_verify_client on; ssl_client_certificate above.pem;'])),
    'A+',
    ['client-certificate-requested'],
  ),
  condition('P-521 and X448 by nginx', by(nginx([sound, 'ssl_ecdh_curve X448:secp521r1;'])), 'A+', [
    'chrome-cannot-connect',
  ]),
  condition(
    'no sessions at all',
    by(nginx([sound, 'ssl_session_cache off; ssl_session_tickets off;'])),
    'A+',
    ['session-not-resumed'],
  ),
  condition(
    'HSTS on good pages only, where the first is none',
    by(
      nginx([sound, 'location = / { return 404; }'], {
        field: 'add_header Strict-Transport-Security "max-age=31536000";',
      }),
    ),
    'A-',
    ['hsts-missing'],
  ),
  condition(
    'HSTS taken back',
    by(nginx([sound], { field: 'add_header Strict-Transport-Security "max-age=0" always;' })),
    'A-',
    ['hsts-missing'],
  ),
  condition(
    'HSTS twice, the first short',
    by(
      nginx([sound], {
        field:
          'add_header Strict-Transport-Security "max-age=60" always; add_header Strict-Transport-Security "max-age=31536000" always;',
      }),
    ),
    'A-',
    ['hsts-short'],
  ),
  condition(
    'primes of 2048 bits beside curves',
    by(
      apache(['SSLProtocol -all +TLSv1.2 +TLSv1.3', 'SSLCipherSuite ECDHE+AESGCM:DHE-RSA-AES128-GCM-SHA256']),
    ),
    'A+',
    ['suite-finite-field-offered'],
  ),
  condition(
    'TLS 1.0 to 1.2 without 1.1',
    by(
      nginx([
        'ssl_protocols TLSv1 TLSv1.2; ssl_ciphers ECDHE-RSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-SHA:@SECLEVEL=0;',
      ]),
    ),
    'B',
    ['tls10-offered', 'tls13-missing', ...cbc],
  ),
];

const others: readonly Condition[] = [
  condition(
    'strict SNI for another name',
    by(haproxy(`strict-sni ${careful}`), alone({ key: 'rsa2048', names: ['other.test'] })),
    null,
    ['tls-alert'],
  ),
  condition(
    'AES256-SHA alone',
    by(haproxy('ssl-min-ver TLSv1.2 ssl-max-ver TLSv1.2 ciphers AES256-SHA')),
    'B',
    ['forward-secrecy-missing', 'aead-missing', 'tls13-missing', ...noForward, ...cbc],
  ),
  condition('early data by HAProxy', by(haproxy(`allow-0rtt ${careful}`)), 'A+', ['early-data-offered']),
  condition(
    'no sessions by HAProxy',
    by(haproxy(`no-tls-tickets ${careful}`, 'tune.ssl.cachesize 0')),
    'A+',
    ['session-not-resumed'],
  ),
  condition(
    'a client certificate demanded by HAProxy',
    by(haproxy(`ca-file FOLDER/above.pem verify required ${careful}`)),
    'A',
    ['client-certificate-requested'],
  ),
  condition(
    'P-384 alone by Node',
    node(() => ({ ecdhCurve: 'P-384', ciphers: 'ECDHE-RSA-AES128-GCM-SHA256:TLS_AES_128_GCM_SHA256' })),
    'A+',
    ['renegotiation-by-client'],
  ),
  condition(
    'CBC with SHA-384 alone',
    node(() => ({ maxVersion: 'TLSv1.2', ciphers: 'ECDHE-RSA-AES256-SHA384' })),
    'B',
    ['browsers-cannot-connect', 'aead-missing', 'tls13-missing', 'renegotiation-by-client', ...cbc],
  ),
  condition(
    'ChaCha20 alone',
    node(() => ({ ciphers: 'ECDHE-RSA-CHACHA20-POLY1305:TLS_CHACHA20_POLY1305_SHA256' })),
    'A+',
    ['renegotiation-by-client'],
  ),
  condition(
    'CCM with a short tag alone',
    by(openssl(...own, '-tls1_3', '-ciphersuites', 'TLS_AES_128_CCM_8_SHA256')),
    'A',
    ['browsers-cannot-connect'],
  ),
  condition('a key of P-384 by Go', by(go(''), alone({ key: 'p384' })), 'A+', cbc),
  condition('the groups of P-521 alone by Java', by(java('-Djdk.tls.namedGroups=secp521r1')), 'A-', [
    'chrome-cannot-connect',
    'renegotiation-by-client',
    'suite-finite-field-offered',
    ...noForward,
    ...cbc,
  ]),
  inOwnOrder(
    condition(
      'Apache that prefers its own order and CBC first',
      by(
        apache([
          'SSLProtocol -all +TLSv1.2',
          'SSLHonorCipherOrder on',
          'SSLCipherSuite ECDHE-RSA-AES128-SHA:ECDHE-RSA-AES128-GCM-SHA256',
        ]),
      ),
      'A-',
      ['tls13-missing', ...cbc],
    ),
  ),
  condition(
    'Apache with SSLVerifyClient for one folder',
    by(
      apache([
        'SSLProtocol -all +TLSv1.2 +TLSv1.3',
        'SSLCipherSuite ECDHE+AESGCM',
        '<Location /inner>',
        'SSLVerifyClient require',
        '</Location>',
      ]),
    ),
    'A+',
  ),
];

/** GnuTLS, nginx, HAProxy, Node, Go, Java and Apache. */
export const otherConditions: readonly Condition[] = [...gnutlsServ, ...nginxes, ...others];
