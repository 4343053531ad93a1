import { type DerNode, derAt, derIn, derTags, readSmallInteger, readTime } from '../grammar/der.ts';
import { refuseKey } from './key-form.ts';
import { isReadableName } from './name-form.ts';
import { both, type Browsers, type Refusal } from './refusal.ts';
import { isBitString, isShortest, listIn, openFields, wholeIn } from './strict-der.ts';

/** What a certificate consists of, as far as it can be told apart, and who refuses how it is written (RFC 5280 §4.1). */
export type CertificateForm = {
  readonly innerAlgorithm: DerNode | undefined;
  /** What [3] holds. */
  readonly extensions: DerNode | undefined;
  readonly refusals: readonly Refusal[];
};

/** Firefox reads lengths of two bytes at most. */
const longestForFirefox = 0xffff;

/** Reads the fields of a certificate as strictly as the two browsers do. */
export function readForm(certificate: Uint8Array): CertificateForm {
  const whole = derIn(certificate);
  const fields = openFields(listIn(derAt(whole, 0)));
  const versionField = fields.take(0xa0);
  const serial = fields.take(derTags.integer);
  const innerAlgorithm = fields.take(derTags.sequence);
  const issuer = fields.take(derTags.sequence);
  const validity = fields.take(derTags.sequence);
  const subject = fields.take(derTags.sequence);
  const key = fields.take(derTags.sequence);
  const uniqueIds = [fields.take(0x81), fields.take(0x82)].filter((one) => one !== undefined);
  const tagged = fields.take(0xa3);
  const extensions = listIn(tagged, 0xa3)?.[0];
  const isWhole = fields.isAtEnd() && listIn(whole)?.length === 3;
  const judged: readonly (readonly [what: string, by: Browsers | null])[] = [
    ['has something that belongs to no field', isWhole ? null : both],
    ['is longer than 65,535 bytes', (whole?.content.length ?? 0) > longestForFirefox ? 'Firefox' : null],
    ['has a version that is not in use', judgeVersion(versionField)],
    ['has a serial number that is malformed', serial && isShortest(serial.content) ? null : 'Firefox'],
    ['has malformed dates', judgeValidity(validity)],
    ['has a malformed name of its issuer', isReadableName(issuer) ? null : 'Chrome'],
    ['has a malformed name', isReadableName(subject) ? null : 'Chrome'],
    ['has a malformed public key', refuseKey(key)],
    ['has a malformed unique identifier', judgeIdentifiers(uniqueIds, versionField)],
    ['has malformed extensions', judgeExtensions(tagged, versionField)],
  ];
  return {
    innerAlgorithm,
    extensions,
    refusals: judged.flatMap(([what, by]) =>
      by === null ? [] : [{ reason: 'certificate-malformed', what, by }],
    ),
  };
}

/** The number in the version field: 2 is v3. Left out it is 0, which Chrome does not read where it is written. */
function readVersion(field: DerNode | undefined): number | null {
  if (field === undefined) return 0;
  const version = wholeIn(field.content);
  return version?.content.length === 1 ? readSmallInteger(version) : null;
}

function judgeVersion(field: DerNode | undefined): Browsers | null {
  const version = readVersion(field);
  if (version === null || version > 3) return both;
  return field === undefined || version === 1 || version === 2 ? null : 'Chrome';
}

/** Two times; Firefox has none before 1970. */
function judgeValidity(validity: DerNode | undefined): Browsers | null {
  const times = listIn(validity)?.map(readTime);
  if (times?.length !== 2) return both;
  return times.some((time) => time !== null && time < 0) ? 'Firefox' : null;
}

function judgeIdentifiers(ids: readonly DerNode[], version: DerNode | undefined): Browsers | null {
  const isAllowed = (readVersion(version) ?? 0) > 0 && ids.every(({ content }) => isBitString(content));
  return ids.length === 0 || isAllowed ? null : 'Chrome';
}

/** One list, which Chrome wants to hold something, in a certificate of v3. */
function judgeExtensions(tagged: DerNode | undefined, version: DerNode | undefined): Browsers | null {
  if (tagged === undefined) return null;
  const [list, ...behind] = listIn(tagged, 0xa3) ?? [];
  const extensions = listIn(list);
  if (extensions === null || behind.length > 0) return both;
  return extensions.length > 0 && readVersion(version) === 2 ? null : 'Chrome';
}
