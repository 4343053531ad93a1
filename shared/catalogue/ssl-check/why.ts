import { whysOf } from '../../model/why.ts';
import { commonWhys } from '../common-whys.ts';
import { rules } from './rules.ts';

/** Why each finding about a TLS server matters. */
export const sslWhys = whysOf(rules, {
  [commonWhys.addressMissing]: ['name-not-found'],
  [commonWhys.addressNotPublic]: ['target-address-not-allowed'],
  [commonWhys.notLookedAt]: ['target-not-allowed'],
  'If others meet the same, nobody can use the service at this address. Visitors see an error of their browser instead of the site.':
    [
      'name-unresolved',
      'connection-refused',
      'connection-timeout',
      'connection-reset',
      'connection-closed',
      'tls-silent',
    ],
  'Browsers cannot set up an encrypted connection and show an error. Visitors do not get to the site at all.':
    [
      'port-speaks-http',
      'port-not-tls',
      'parameters-not-common',
      'tls-alert',
      'handshake-not-completed',
      'server-hello-invalid',
      'browsers-cannot-connect',
      'tls-missing',
      'tls12-missing',
      'certificate-key-type-unsupported',
      'alpn-refused',
    ],
  'Many browsers and other programs end the connection. Their users see an error instead of the site.': [
    'chain-too-large',
  ],
  'People who use this browser, or another one built on it, see an error instead of the site. You may not notice, as the site works in other browsers.':
    ['chrome-cannot-connect', 'firefox-cannot-connect', 'safari-cannot-connect'],
  'Programs that keep to the rules break off the connection. Their users see an error instead of the site, while others notice nothing.':
    ['tls-answer-not-offered'],
  [commonWhys.certificateRefused]: [
    'certificate-expired',
    'certificate-not-yet-valid',
    'certificate-name-mismatch',
    'certificate-subject-alt-name-missing',
    'certificate-self-signed',
    'certificate-root-unknown',
    'certificate-not-trusted',
    'certificate-lifetime-long',
    'chain-certificate-expired',
    'certificate-timestamps-few',
    'certificate-timestamps-not-accepted',
  ],
  'Browsers that check for it refuse the connection, and their users see an error. If the key was stolen, someone else can pose as your site to the rest.':
    ['certificate-revoked'],
  'Browsers refuse such a certificate, so visitors see an error instead of the site. Someone who forges it can pose as you to old programs that still accept it.':
    ['certificate-signature-weak', 'certificate-signature-broken'],
  'An attacker with enough computing power can break the key. They can then pose as your site or read what visitors send, and nobody notices.':
    ['certificate-key-small', 'key-exchange-breakable'],
  'Some browsers repair this by themselves, but many apps and other programs cannot. Their users see a warning or an error.':
    ['chain-incomplete', 'chain-intermediate-wrong'],
  'Browsers cope with it, but some older programs do not. Their users see a warning or an error.': [
    'chain-misordered',
  ],
  'Each new connection carries more than it has to. Visitors on slow networks wait a little longer.': [
    'chain-surplus',
  ],
  'After that moment, every visitor sees a full-page warning instead of your site. Most turn back, and programs that use the site stop working.':
    ['certificate-expires-within-days', 'certificate-expires-soon'],
  'Firefox refuses the connection, so its users see an error. Other browsers show the site, so you may not notice.':
    ['must-staple-not-stapled'],
  'Programs that check this response refuse the connection, and their users see an error. Others cannot tell at once whether the certificate was withdrawn.':
    ['ocsp-staple-outdated', 'ocsp-staple-invalid'],
  'It does not count for browsers, so there is less in reserve. If too few others are left, visitors see a warning instead of the site.':
    ['certificate-timestamp-signature-wrong'],
  'Part of the visitors is sent to this address and waits or gets an error. Others see nothing wrong, so the fault can stay unnoticed for long.':
    ['endpoint-unreachable'],
  'Some visitors get another certificate or configuration than you tested. Faults hit them by chance and are hard to find.':
    ['endpoints-differ'],
  'An attacker can use it to decrypt other connections that use the same key. What visitors with older software send, such as passwords, can be read.':
    ['sslv2-offered'],
  'An attacker on the network can push old programs down to this broken version and read parts of their traffic. Users of current browsers are not affected.':
    ['sslv3-cbc-offered', 'sslv3-offered'],
  'Old programs can connect with encryption that has known weaknesses, so their users are less protected. Audits, such as those for card payments, object to it.':
    ['tls10-offered', 'tls11-offered'],
  'Each new connection needs one more round trip, and less of it is encrypted. Visitors wait a little longer, most of all on mobile networks.':
    ['tls13-missing'],
  'An attacker who can make a program send many requests can work out secrets, such as a login cookie. Current browsers do not use it, but users of old programs are exposed.':
    ['compression-offered'],
  'An attacker on the network can put their own request in front of that of a visitor. Some current programs refuse such a server, and their users see an error.':
    ['secure-renegotiation-missing'],
  'An attacker can keep the server busy with little effort. When it is overloaded, visitors get slow pages or none.':
    ['renegotiation-by-client'],
  'In special cases, such as logins by certificate, an attacker in the middle can act as the user. Visitors of most websites are not affected.':
    ['extended-master-secret-missing'],
  'Visitors with current browsers get an error, or wait until the browser tries again. You may not notice, as older browsers and test tools work.':
    ['client-hello-size-intolerance'],
  'An attacker on the network can send a recorded request again. If it orders or changes something, that can happen twice to the customer.':
    ['early-data-offered'],
  [commonWhys.hstsMissing]: ['hsts-missing'],
  [commonWhys.hstsShort]: ['hsts-short'],
  'A program that uses such a suite talks to you in the clear. Anyone on the network can read and see everything that its user sends.':
    ['suite-null-offered'],
  'Someone on the network can pose as your server to programs that use such a suite. Their users then send their data to a stranger.':
    ['suite-anonymous-offered'],
  'An attacker on the network can break this encryption, and force it on old or faulty programs. What their users send, such as passwords, can be read.':
    ['suite-export-offered', 'suite-short-key-offered'],
  'Current browsers do not use this cipher, but old programs may. An attacker who records much of their traffic can read parts of it, such as a login cookie.':
    ['suite-rc4-since-tls11', 'suite-rc4-offered', 'suite-3des-since-tls11', 'suite-3des-offered'],
  'An attacker with very large means can break this key exchange and read the connection. It affects users of older programs, as current browsers do not use it.':
    ['dh-parameters-small', 'dh-prime-shared'],
  'Someone who records connections today and gets the key of the server later can read them all. That exposes what your visitors sent, such as passwords.':
    ['forward-secrecy-missing'],
  'Connections of some older programs can be recorded today and read later by someone who gets the key of the server. That exposes what their users sent.':
    ['suite-without-forward-secrecy-offered'],
  'Connections use older methods of encryption, which have been attacked with success before. Visitors are protected less well than their browsers allow.':
    ['aead-missing'],
  'Experts no longer recommend this curve, although no attack in practice is known. Visitors are safe today, but software may stop accepting it.':
    ['group-deprecated-chosen'],
  'Strict programs end such a connection, and their users see an error. To others, an attacker with very large means may be able to pose as your server.':
    ['key-exchange-signature-weak'],
});
