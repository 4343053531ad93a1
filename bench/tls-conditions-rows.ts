import { nginx, openssl, own } from './tls-conditions-servers.ts';
import {
  alone,
  by,
  type Condition,
  condition,
  inOwnOrder,
  gcm,
  secondPair,
  sound,
  two,
} from './tls-conditions-shape.ts';

/** What certificates can be, on real servers. */
export const certificateConditions: readonly Condition[] = [
  condition('a key of RSA-PSS', by(openssl(...own, ...gcm), alone({ key: 'rsa-pss' })), 'A-', [
    'certificate-key-type-unsupported',
    'browsers-cannot-connect',
  ]),
  condition('a key of P-521', by(openssl(...own, ...gcm), alone({ key: 'p521' })), 'A-', [
    'chrome-cannot-connect',
    'safari-cannot-connect',
  ]),
  condition('RSA with 3072 bits', by(nginx([sound]), alone({ key: 'rsa3072' })), 'A+'),
  condition(
    'an expired ECDSA certificate beside a good one of RSA',
    by(openssl(...own, ...secondPair, ...gcm), (made) =>
      two(made, made.usual.rsa, [made.issue({ notAfterDays: -2 })]),
    ),
    'T',
    ['certificate-expired'],
  ),
  condition(
    'a self-signed RSA certificate beside a good one of ECDSA',
    by(
      openssl(
        ...'-cert second.pem -key second-key.pem -cert_chain above.pem -dcert leaf.pem -dkey key.pem -alpn h2,http/1.1'.split(
          ' ',
        ),
        ...gcm,
      ),
      (made) =>
        two(made, [made.issue({ key: 'rsa2048', isSelfSigned: true }), made.intermediate], [made.issue({})]),
    ),
    'T',
    ['certificate-self-signed'],
  ),
  condition(
    'the leaf sent twice',
    by(nginx([sound]), (made) => two(made, [...made.usual.rsa.slice(0, 1), ...made.usual.rsa])),
    'A+',
    ['chain-surplus'],
  ),
  condition(
    'no intermediate with the ECDSA certificate alone',
    by(nginx([sound, 'ssl_certificate second.pem; ssl_certificate_key second-key.pem;']), (made) =>
      two(made, made.usual.rsa, made.usual.ecdsa.slice(0, 1)),
    ),
    'B',
    ['chain-incomplete'],
  ),
  condition(
    'a wildcard for the whole top-level domain',
    by(nginx([sound]), alone({ key: 'rsa2048', names: ['*.test'] })),
    'M',
    ['certificate-name-mismatch'],
  ),
  condition('a name in capitals', by(nginx([sound]), alone({ key: 'rsa2048', names: ['LAB.TEST'] })), 'A+'),
  condition(
    'a star for a part of a label',
    by(nginx([sound]), alone({ key: 'rsa2048', names: ['l*.test'] })),
    'M',
    ['certificate-name-mismatch'],
  ),
  condition(
    'the expired certificate of one of two virtual hosts',
    by(
      nginx([sound], {
        servers: [
          'default_server; server_name other.test; ssl_protocols TLSv1.2 TLSv1.3; ssl_certificate second.pem; ssl_certificate_key second-key.pem;',
        ],
      }),
      (made) =>
        two(
          made,
          [made.issue({ key: 'rsa2048', notAfterDays: -1 }), made.intermediate],
          [made.issue({ names: ['other.test'] }), made.intermediate],
        ),
    ),
    'T',
    ['certificate-expired', 'sni-default-differs'],
  ),
];

/** What openssl s_server can be told to do. */
export const opensslConditions: readonly Condition[] = [
  condition(
    'brainpool alone in TLS 1.2',
    by(openssl(...own, ...gcm, '-tls1_2', '-curves', 'brainpoolP256r1')),
    'A-',
    ['browsers-cannot-connect', 'tls13-missing'],
  ),
  condition(
    'a client certificate demanded in TLS 1.3',
    by(openssl(...own, '-tls1_3', '-Verify', '1', '-verify_quiet', '-verify_return_error')),
    'A',
    ['client-certificate-requested'],
  ),
  condition('no tickets in TLS 1.3', by(openssl(...own, '-tls1_3', '-num_tickets', '0')), 'A-'),
  inOwnOrder(
    condition(
      'its own order with a wish for ChaCha20',
      by(openssl(...own, '-cipher', 'ECDHE+AESGCM:ECDHE+CHACHA20', '-serverpref', '-prioritize_chacha')),
      'A-',
      [],
    ),
  ),
  condition(
    'pre-shared keys alone',
    by(openssl('-nocert', '-tls1_2', '-psk', '12345678', '-cipher', 'PSK')),
    null,
    ['parameters-not-common'],
  ),
  condition(
    'anonymous suites alone',
    by(openssl('-nocert', '-tls1_2', '-cipher', 'aNULL:@SECLEVEL=0')),
    'F',
    [
      'suite-anonymous-offered',
      'suite-null-offered',
      'browsers-cannot-connect',
      'dh-parameters-small',
      'dh-prime-shared',
      'forward-secrecy-missing',
      'suite-cbc-offered',
      'tls13-missing',
    ],
  ),
  condition(
    'Camellia and ARIA alone',
    by(openssl(...own, '-tls1_2', '-cipher', 'ECDHE-RSA-CAMELLIA128-SHA256:ECDHE-ARIA128-GCM-SHA256')),
    'A-',
    ['browsers-cannot-connect', 'tls13-missing', 'suite-cbc-offered'],
  ),
  condition(
    'renegotiation by the client',
    by(openssl(...own, ...gcm, '-tls1_2', '-client_renegotiation')),
    'A-',
    ['renegotiation-by-client', 'tls13-missing'],
  ),
  condition('records of 512 bytes', by(openssl(...own, ...gcm, '-max_send_frag', '512')), 'A-'),
  condition('padded records', by(openssl(...own, '-tls1_3', '-record_padding', '4096')), 'A-'),
  condition(
    'another certificate for another name, ours by default',
    by(
      openssl(...own, ...gcm, '-servername', 'other.test', '-cert2', 'second.pem', '-key2', 'second-key.pem'),
    ),
    'A-',
  ),
  condition(
    'a fatal alert for any name but one',
    by(
      openssl(
        ...own,
        ...gcm,
        '-servername',
        'other.test',
        '-servername_fatal',
        '-cert2',
        'second.pem',
        '-key2',
        'second-key.pem',
      ),
    ),
    null,
    ['tls-alert'],
  ),
  condition('only PSS signs', by(openssl(...own, ...gcm, '-sigalgs', 'RSA-PSS+SHA256')), 'A-'),
  condition('X448 alone', by(openssl(...own, ...gcm, '-groups', 'X448')), 'A-', ['browsers-cannot-connect']),
];
