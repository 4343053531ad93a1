import type { Rule } from '../../../model/verdict.ts';

/** What keeps clients from connecting, though the server answers in TLS. */
export const clientRules = {
  'browsers-cannot-connect': {
    part: 'clients',
    severity: 'critical',
    points: 80,
    title: 'No current browser can connect',
    detail: 'The server answers in {protocol}, but Chrome, Firefox and Safari fail: {reason}.',
    fix: 'Enable TLS 1.3 with X25519 and P-256, or TLS 1.2 with the ECDHE suites that use AES-GCM.',
    references: ['RFC 8446 §9.1', 'RFC 9325 §4.2'],
  },
  'chrome-cannot-connect': {
    part: 'clients',
    severity: 'high',
    points: 25,
    title: 'Chrome cannot connect',
    detail: '{client} fails: {reason}. Edge, Opera and Android apps use the same TLS library.',
    fix: 'Offer X25519 or P-256 for key exchange, the ECDHE suites that use AES-GCM, and a certificate with a P-256 or RSA key.',
    references: ['RFC 8446 §9.1', 'RFC 9325 §4.2'],
  },
  'firefox-cannot-connect': {
    part: 'clients',
    severity: 'high',
    points: 25,
    title: 'Firefox cannot connect',
    detail: '{client} fails: {reason}.',
    fix: 'Offer X25519 or P-256 for key exchange, the ECDHE suites that use AES-GCM, and a certificate with a P-256 or RSA key.',
    references: ['RFC 8446 §9.1', 'RFC 9325 §4.2'],
  },
  'safari-cannot-connect': {
    part: 'clients',
    severity: 'high',
    points: 25,
    title: 'Safari cannot connect',
    detail: '{client} fails: {reason}. All browsers on iPhones use the same TLS library.',
    fix: 'Offer X25519 or P-256 for key exchange, the ECDHE suites that use AES-GCM, and a certificate with a P-256 or RSA key.',
    references: ['RFC 8446 §9.1', 'RFC 9325 §4.2'],
  },
  'handshake-not-completed': {
    part: 'clients',
    severity: 'critical',
    points: 80,
    title: 'The server begins handshakes but completes none',
    detail: 'The server accepts a ClientHello, but every handshake fails ({reason}).',
    fix: 'Look for the error in the server’s log, and test with “openssl s_client -connect {host}:{port}”.',
    references: ['RFC 8446 §2'],
  },
  'server-hello-invalid': {
    part: 'connection',
    severity: 'critical',
    points: 80,
    title: 'The server’s answer breaks the protocol',
    detail: 'A ClientHello is answered with {answer}. Every client ends the handshake there.',
    fix: 'Update the TLS library of the server, or of the load balancer in front of it.',
    references: ['RFC 8446 §4.1.3', 'RFC 8446 §4.1.4'],
  },
  'chain-too-large': {
    part: 'clients',
    severity: 'critical',
    points: 80,
    title: 'The certificates are larger than clients read',
    detail: 'The Certificate message has {bytes} bytes. Chrome and OpenSSL end the handshake above 102,400.',
    fix: 'Use a certificate with fewer names, and send only the intermediates it needs.',
    references: ['RFC 8446 §4.4.2'],
  },
} as const satisfies Record<string, Rule>;
export type ClientCode = keyof typeof clientRules;
