import type { Dnskey, Rrsig } from '../../../../worker/dns/record-values.ts';

/** Makes a DNSKEY of its printed form, "257 3 13 Gojh…". */
export function dnskey(text: string): Dnskey {
  const [flags, protocol, algorithm, key = ''] = text.split(' ');
  return { flags: Number(flags), protocol: Number(protocol), algorithm: Number(algorithm), key };
}

/** Makes an RRSIG of its printed form, "A 13 3 3600 20100909100439 20100812100439 55648 example.net qx6w…". */
export function rrsig(text: string): Rrsig {
  const [
    type = '',
    algorithm,
    labels,
    ttl,
    expiration = '',
    inception = '',
    keyTag,
    signerName = '',
    signature = '',
  ] = text.split(' ');
  return {
    typeCovered: type,
    algorithm: Number(algorithm),
    labels: Number(labels),
    originalTtl: Number(ttl),
    expiration: unixTime(expiration),
    inception: unixTime(inception),
    keyTag: Number(keyTag),
    signerName,
    signature,
  };
}

function unixTime(text: string): number {
  const [, year, month, day, hour, minute, second] =
    /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)$/.exec(text) ?? [];
  if (year === undefined) return Number(text);
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`) / 1000;
}

/** Keys printed in the standards. */
export const keys = {
  rfc4034: dnskey(
    '256 3 5 AQOeiiR0GOMYkDshWoSKz9XzfwJr1AYtsmx3TGkJaNXVbfi/2pHm822aJ5iI9BMzNXxeYCmZDRD99WYwYqUSdjMmmAphXdvxegXd/M5+X7OrzKBaMbCVdFLUUh6DhweJBjEVv5f2wwjM9XzcnOf+EPbtG9DMBmADjFDc2w/rljwvFw==',
  ),
  rfc4035: dnskey(
    '256 3 5 AQOy1bZVvpPqhg4j7EJoM9rI3ZmyEx2OzDBVrZy/lvI5CQePxXHZS4i8dANH4DX3tbHol61ek8EFMcsGXxKciJFHyhl94C+NwILQdzsUlSFovBZsyl/NX6yEbtw/xN9ZNcrbYvgjjZ/UVPZIySFNsgEYvh0z2542lzMKR4Dh8uZffQ==',
  ),
  rfc5702sha256: dnskey(
    '256 3 8 AwEAAcFcGsaxxdgiuuGmCkVImy4h99CqT7jwY3pexPGcnUFtR2Fh36BponcwtkZ4cAgtvd4Qs8PkxUdp6p/DlUmObdk=',
  ),
  rfc5702sha512: dnskey(
    '256 3 10 AwEAAdHoNTOW+et86KuJOWRDp1pndvwb6Y83nSVXXyLA3DLroROUkN6X0O6pnWnjJQujX/AyhqFDxj13tOnD9u/1kTg7cV6rklMrZDtJCQ5PCl/D7QNPsgVsMu1J2Q8gpMpztNFLpPBz1bWXjDtaR7ZQBlZ3PFY12ZTSncorffcGmhOL',
  ),
  rfc6605p256: dnskey(
    '257 3 13 GojIhhXUN/u4v54ZQqGSnyhWJwaubCvTmeexv7bR6edbkrSqQpF64cYbcB7wNcP+e+MAnLr+Wi9xMWyQLc8NAA==',
  ),
  rfc6605p384: dnskey(
    '257 3 14 xKYaNhWdGOfJ+nPrL8/arkwf2EY3MDJ+SErKivBVSum1w/egsXvSADtNJhyem5RCOpgQ6K8X1DRSEkrbYQ+OB+v8/uX45NBwY8rp65F6Glur8I/mlVNgF6W/qTI37m40',
  ),
  rfc8080ed25519a: dnskey('257 3 15 l02Woi0iS8Aa25FQkUd9RMzZHJpBoRQwAQEX1SxZJA4='),
  rfc8080ed25519b: dnskey('257 3 15 zPnZ/QwEe7S8C5SPz2OfS5RR40ATk2/rYnE9xHIEijs='),
  rfc8080ed448a: dnskey(
    '257 3 16 3kgROaDjrh0H2iuixWBrc8g2EpBBLCdGzHmn+G2MpTPhpj/OiBVHHSfPodx1FYYUcJKm1MDpJtIA',
  ),
  rfc8080ed448b: dnskey(
    '257 3 16 kkreGWoccSDmUBGAe7+zsbG6ZAFQp+syPmYUurBRQc3tDjeMCJcVMRDmgcNLp5HlHAMy12VoISsA',
  ),
} as const;
