/** Protocol versions, oldest first, as Node names them, with their number on the wire. */
export const versionNumbers = {
  SSLv2: 0x0002,
  SSLv3: 0x0300,
  TLSv1: 0x0301,
  'TLSv1.1': 0x0302,
  'TLSv1.2': 0x0303,
  'TLSv1.3': 0x0304,
} as const;
export type VersionName = keyof typeof versionNumbers;
export const versionNames = Object.keys(versionNumbers) as VersionName[];

export type Group = {
  readonly id: number;
  /** IANA's name in its registry of TLS Supported Groups. */
  readonly name: string;
  /** Holds against a quantum computer, as far as is known. */
  readonly isPostQuantum: boolean;
  /** Length of the field or modulus in bits. */
  readonly bits: number;
};

const group = (id: number, name: string, bits: number): Group => ({
  id,
  name,
  isPostQuantum: name.includes('MLKEM'),
  bits,
});

/** The groups that are asked for, by id; newest first. */
export const groups: ReadonlyMap<number, Group> = new Map(
  [
    group(0x11ec, 'X25519MLKEM768', 253),
    group(0x11eb, 'SecP256r1MLKEM768', 256),
    group(0x11ed, 'SecP384r1MLKEM1024', 384),
    group(0x001d, 'x25519', 253),
    group(0x0017, 'secp256r1', 256),
    group(0x0018, 'secp384r1', 384),
    group(0x0019, 'secp521r1', 521),
    group(0x001e, 'x448', 448),
    group(0x0100, 'ffdhe2048', 2048),
    group(0x0101, 'ffdhe3072', 3072),
    group(0x0102, 'ffdhe4096', 4096),
    group(0x0103, 'ffdhe6144', 6144),
    group(0x0104, 'ffdhe8192', 8192),
  ].map((entry) => [entry.id, entry]),
);

/** Groups that old servers still choose. They are only listed so that a report can name them. */
const oldGroups: ReadonlyMap<number, Group> = new Map(
  [
    group(0x0013, 'secp192r1', 192),
    group(0x0015, 'secp224r1', 224),
    group(0x0016, 'secp256k1', 256),
    group(0x0009, 'sect283k1', 283),
    group(0x000a, 'sect283r1', 283),
    group(0x000e, 'sect571r1', 571),
    group(0x001a, 'brainpoolP256r1', 256),
    group(0x001b, 'brainpoolP384r1', 384),
    group(0x001c, 'brainpoolP512r1', 512),
  ].map((entry) => [entry.id, entry]),
);

/** A group by its number; one that is not known is named by it. */
export function findGroup(id: number): Group {
  return groups.get(id) ?? oldGroups.get(id) ?? group(id, `0x${id.toString(16).padStart(4, '0')}`, 0);
}

/** Groups for TLS 1.2 and older: what servers of their day know. */
export const oldGroupIds: readonly number[] = [
  ...[...groups.values()]
    .filter(({ isPostQuantum, bits }) => !isPostQuantum && bits < 1000)
    .map(({ id }) => id),
  ...oldGroups.keys(),
];

const alerts: ReadonlyMap<number, string> = new Map([
  [0, 'close_notify'],
  [10, 'unexpected_message'],
  [20, 'bad_record_mac'],
  [21, 'decryption_failed'],
  [22, 'record_overflow'],
  [30, 'decompression_failure'],
  [40, 'handshake_failure'],
  [41, 'no_certificate'],
  [42, 'bad_certificate'],
  [43, 'unsupported_certificate'],
  [44, 'certificate_revoked'],
  [45, 'certificate_expired'],
  [46, 'certificate_unknown'],
  [47, 'illegal_parameter'],
  [48, 'unknown_ca'],
  [49, 'access_denied'],
  [50, 'decode_error'],
  [51, 'decrypt_error'],
  [60, 'export_restriction'],
  [70, 'protocol_version'],
  [71, 'insufficient_security'],
  [80, 'internal_error'],
  [86, 'inappropriate_fallback'],
  [90, 'user_canceled'],
  [100, 'no_renegotiation'],
  [109, 'missing_extension'],
  [110, 'unsupported_extension'],
  [111, 'certificate_unobtainable'],
  [112, 'unrecognized_name'],
  [113, 'bad_certificate_status_response'],
  [114, 'bad_certificate_hash_value'],
  [115, 'unknown_psk_identity'],
  [116, 'certificate_required'],
  [120, 'no_application_protocol'],
  [121, 'ech_required'],
]);

/** The name of an alert (RFC 8446 §6), or "alert N". */
export function alertName(description: number): string {
  return alerts.get(description) ?? `alert ${description}`;
}
