/** SSL_OP_LEGACY_SERVER_CONNECT: also servers without secure renegotiation (RFC 5746). */
const legacyServerConnect = 4;

/** Groups that no client prefers come last: only the first gets a key share, so the ClientHello stays small. */
const everyGroup =
  'X25519:P-256:P-384:P-521:X448:ffdhe2048:ffdhe3072:ffdhe4096:ffdhe6144:ffdhe8192:X25519MLKEM768:SecP256r1MLKEM768:SecP384r1MLKEM1024';
/** Those of TLS 1.2 that no browser has: a server that has nothing else does complete handshakes, and some have such a key. */
const oldGroups =
  'brainpoolP256r1:brainpoolP384r1:brainpoolP512r1:secp256k1:P-224:prime192v1:sect283k1:sect283r1:sect571r1';
/** Suites of TLS 1.3 that ALL does not mean. */
const otherTls13Suites =
  'TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256:TLS_AES_128_GCM_SHA256:TLS_AES_128_CCM_SHA256:TLS_AES_128_CCM_8_SHA256';

/** Every version, suite and group that OpenSSL still has, at security level 0. */
export const legacyOffer = {
  minVersion: 'TLSv1',
  ciphers: `${otherTls13Suites}:ALL:COMPLEMENTOFALL:@SECLEVEL=0`,
  ecdhCurve: `${everyGroup}:${oldGroups}`,
  secureOptions: legacyServerConnect,
} as const;
