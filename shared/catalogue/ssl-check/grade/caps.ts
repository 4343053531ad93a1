import type { SslLabsLetter } from '../report.ts';
import type { SslCode } from '../rules.ts';

type Caps = { readonly [C in SslCode]?: SslLabsLetter };

/**
 * The best letter that a broken rule leaves by the SSL Server Rating Guide 2009r; T is "not trusted", M "another name".
 * A- marks the guide's warnings. A port without TLS, which the guide does not know, gets its worst letter.
 */
export const guideCaps: Caps = {
  'port-speaks-http': 'F',
  'port-not-tls': 'F',
  'certificate-expired': 'T',
  'certificate-not-yet-valid': 'T',
  'certificate-self-signed': 'T',
  'certificate-root-unknown': 'T',
  'certificate-not-trusted': 'T',
  'certificate-revoked': 'T',
  'certificate-signature-weak': 'T',
  'certificate-signature-broken': 'F',
  'chain-certificate-expired': 'T',
  'certificate-name-mismatch': 'M',
  'certificate-subject-alt-name-missing': 'M',
  'certificate-key-small': 'B',
  'chain-incomplete': 'B',
  'chain-intermediate-wrong': 'B',
  'handshake-not-completed': 'F',
  'server-hello-invalid': 'F',
  'chain-too-large': 'F',
  'sslv2-offered': 'F',
  'tls-missing': 'F',
  'sslv3-cbc-offered': 'C',
  'sslv3-offered': 'B',
  'tls10-offered': 'B',
  'tls11-offered': 'B',
  'tls12-missing': 'C',
  'tls13-missing': 'A-',
  'compression-offered': 'C',
  'secure-renegotiation-missing': 'A-',
  'hsts-missing': 'A-',
  'hsts-short': 'A-',
  'suite-null-offered': 'F',
  'suite-anonymous-offered': 'F',
  'suite-export-offered': 'F',
  'suite-short-key-offered': 'F',
  'suite-rc4-since-tls11': 'C',
  'suite-rc4-offered': 'B',
  'suite-3des-since-tls11': 'C',
  'key-exchange-breakable': 'F',
  'dh-parameters-small': 'B',
  'forward-secrecy-missing': 'B',
  'aead-missing': 'B',
};

/** The same of what the guide does not know: browsers refuse the certificate, or cannot connect. These hold our score down, not the letter of the guide. */
const ownCaps: Caps = {
  'certificate-timestamps-few': 'T',
  'certificate-timestamps-not-accepted': 'T',
  'certificate-key-type-unsupported': 'F',
  'browsers-cannot-connect': 'F',
  'tls12-missing': 'F',
  'chrome-cannot-connect': 'C',
  'firefox-cannot-connect': 'C',
  'safari-cannot-connect': 'C',
};

/** Everything that holds our score down. */
export const caps: Caps = { ...guideCaps, ...ownCaps };

/**
 * Where each letter stands on our scale of 100, and how far the findings inside it go down: never to the next letter, so that the grade is the letter of the guide.
 * E is F on our scale. T and M are F with a reason: browsers show a warning page.
 */
const scale: { readonly [L in SslLabsLetter]: { readonly place: number; readonly least: number } } = {
  'A+': { place: 100, least: 94 },
  A: { place: 93, least: 92 },
  'A-': { place: 91, least: 90 },
  B: { place: 85, least: 80 },
  C: { place: 75, least: 70 },
  D: { place: 65, least: 60 },
  E: { place: 35, least: 21 },
  F: { place: 20, least: 0 },
  M: { place: 20, least: 0 },
  T: { place: 20, least: 0 },
};

/** The score of a letter without any other finding. */
export function placeOf(letter: SslLabsLetter): number {
  return scale[letter].place;
}

/** The lowest score of a letter. */
export function leastOf(letter: SslLabsLetter): number {
  return scale[letter].least;
}
