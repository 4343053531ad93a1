import type { Dnskey, Ds } from '../../../../dns/record-values.ts';

/** A DNSKEY's RDATA as it travels (RFC 4034 §2.1). */
export function dnskeyRdata({ flags, protocol, algorithm, key }: Dnskey): Buffer {
  const head = Buffer.of((flags >> 8) & 0xff, flags & 0xff, protocol & 0xff, algorithm & 0xff);
  return Buffer.concat([head, Buffer.from(key, 'base64')]);
}

/** The number by which DS and RRSIG point at a key (RFC 4034 appendix B); several keys may share it. */
export function keyTagOf(dnskey: Dnskey): number {
  const rdata = dnskeyRdata(dnskey);
  // Algorithm 1 takes the tag from the key's last octets (appendix B.1).
  if (dnskey.algorithm === 1) return rdata.length < 7 ? 0 : rdata.readUInt16BE(rdata.length - 3);
  let sum = 0;
  for (const [at, octet] of rdata.entries()) sum += at % 2 === 0 ? octet << 8 : octet;
  return (sum + ((sum >> 16) & 0xffff)) & 0xffff;
}

/** Flag bits of a DNSKEY (RFC 4034 §2.1.1, RFC 5011 §7). */
export const zoneKeyFlag = 0x0100;
export const revokedFlag = 0x0080;
export const entryPointFlag = 0x0001;

/** A time of a signature as ISO 8601; whatever does not fit its 32 bits is cut to them. */
export function isoTime(unixS: number): string {
  return new Date(Math.min(Math.max(unixS, 0), 0xffffffff) * 1000).toISOString();
}

/** A DS as zone files print it. */
export function printDs({ keyTag, algorithm, digestType, digest }: Ds): string {
  return `${keyTag} ${algorithm} ${digestType} ${digest}`;
}
