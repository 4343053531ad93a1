import { extensionIds } from '../grammar/certificate-extensions.ts';
import { type DerNode, derIn, derTags, readObjectIdentifier } from '../grammar/der.ts';
import {
  basesIn,
  identifiersIn,
  isGeneralName,
  isHostToFirefox,
  textOf,
  isReadableBase,
  isReadableGeneralName,
} from './name-form.ts';
import { both, type Browsers, type Refusal, refusedBy, type Role } from './refusal.ts';
import { isBitString, listIn, openFields, readByte, someIn, wholeIn } from './strict-der.ts';

/** Judges the value of an extension: who cannot read it, null where both can or do not look. Sources: parse_certificate.cc and certificate_policies.cc of BoringSSL, pkixcheck.cpp and pkixnames.cpp of mozilla::pkix. */
type Judge = (value: Uint8Array, role: Role) => Browsers | null;

/** For values that Chrome alone reads. */
const readByChrome =
  (isReadable: (node: DerNode | undefined) => boolean): Judge =>
  (value) =>
    isReadable(wholeIn(value)) ? null : 'Chrome';

/** Extensions whose value is read, by identifier; that of the CRL is not, by neither. */
export const judges: ReadonlyMap<string, { readonly name: string; readonly judge: Judge }> = new Map<
  string,
  { readonly name: string; readonly judge: Judge }
>([
  [extensionIds.basicConstraints, { name: 'basicConstraints', judge: judgeBasicConstraints }],
  [extensionIds.keyUsage, { name: 'keyUsage', judge: judgeKeyUsage }],
  [extensionIds.extendedKeyUsage, { name: 'extendedKeyUsage', judge: judgePurposes }],
  [extensionIds.subjectAltName, { name: 'subjectAltName', judge: judgeNames }],
  [extensionIds.nameConstraints, { name: 'nameConstraints', judge: judgeConstraints }],
  [extensionIds.authorityAccess, { name: 'authorityInfoAccess', judge: judgeAccess }],
  [extensionIds.policies, { name: 'certificatePolicies', judge: readByChrome(arePolicies) }],
  [extensionIds.policyConstraints, { name: 'policyConstraints', judge: readByChrome(isPolicyConstraints) }],
  [extensionIds.policyMappings, { name: 'policyMappings', judge: readByChrome(areMappings) }],
  [extensionIds.inhibitAnyPolicy, { name: 'inhibitAnyPolicy', judge: readByChrome(isByte) }],
  [
    extensionIds.subjectKeyId,
    { name: 'subjectKeyIdentifier', judge: readByChrome((node) => node?.tag === derTags.octetString) },
  ],
  [extensionIds.authorityKeyId, { name: 'authorityKeyIdentifier', judge: readByChrome(isAuthorityKeyId) }],
  [extensionIds.timestamps, { name: 'list of signed certificate timestamps', judge: judgeTimestamps }],
  [extensionIds.tlsFeature, { name: 'tlsfeature', judge: judgeFeatures }],
]);

/** RFC 5280 §4.2.1.9. FALSE may be written, as many CAs do; Firefox counts to 127. */
function judgeBasicConstraints(value: Uint8Array): Browsers | null {
  const fields = openFields(listIn(wholeIn(value)));
  const authority = fields.take(derTags.boolean);
  const pathLength = fields.take(derTags.integer);
  const length = pathLength === undefined ? 0 : readByte(pathLength.content);
  if (!fields.isAtEnd() || length === null) return both;
  if (authority !== undefined && !isBoolean(authority)) return both;
  return length > 127 ? 'Firefox' : null;
}

/** One byte, 00 or FF (X.690 §11.1). */
export function isBoolean({ content }: DerNode): boolean {
  return content.length === 1 && (content[0] === 0 || content[0] === 0xff);
}

/** RFC 5280 §4.2.1.3. Usages without a bit are reported as a key that may not sign. */
function judgeKeyUsage(value: Uint8Array): Browsers | null {
  const bits = wholeIn(value);
  return bits?.tag === derTags.bitString && isBitString(bits.content) ? null : both;
}

function judgePurposes(value: Uint8Array): Browsers | null {
  return identifiersIn(someIn(wholeIn(value))) === null ? both : null;
}

/** RFC 5280 §4.2.1.6. Chrome reads all names of every certificate, Firefox those of the server up to the one that it looks for. Below a public root a broken one on that way ends it; told is the first, which every host has on its way. */
function judgeNames(value: Uint8Array, role: Role): Browsers | null {
  const names = listIn(wholeIn(value));
  if (names === null) return refusedBy(true, role === 'leaf');
  const hosts = names.findIndex(({ tag }) => tag === 0x82 || tag === 0x87);
  const unknown = names.findIndex((name) => !isGeneralName(name));
  const isUnknownFirst = unknown >= 0 && (hosts < 0 || unknown < hosts);
  // Where none is a host name, the certificate is for another host.
  const entries = names
    .filter(({ tag }) => tag === 0x82)
    .map(({ content }) => isHostToFirefox(textOf(content)));
  const isBrokenFirst = entries[0] === false && entries.includes(true);
  const isReadable = names.length > 0 && names.every((name) => isReadableGeneralName(name));
  return refusedBy(!isReadable, role === 'leaf' && (isUnknownFirst || isBrokenFirst));
}

/** RFC 5280 §4.2.1.10. Firefox reads them where they count, in a CA. */
function judgeConstraints(value: Uint8Array, role: Role): Browsers | null {
  const fields = openFields(someIn(wholeIn(value)));
  const trees = [fields.take(0xa0), fields.take(0xa1)].filter((tree) => tree !== undefined).map(basesIn);
  const bases = trees.every((tree) => tree !== null) ? trees.flat() : null;
  if (!fields.isAtEnd() || bases === null || !bases.every(isGeneralName))
    return refusedBy(true, role === 'issuer');
  return bases.every(isReadableBase) ? null : 'Chrome';
}

/** RFC 5280 §4.2.2.1. Chrome passes over what stands behind the list and over locations of no kind; where Firefox looks for OCSP it does not. */
function judgeAccess(value: Uint8Array): Browsers | null {
  const all = someIn(derIn(value))?.map((one) => listIn(one) ?? []);
  const isPair = (pair: readonly DerNode[]) =>
    pair.length === 2 && pair[0]?.tag === derTags.objectIdentifier && isReadableUrl(pair[1]);
  if (all?.every(isPair) !== true) return 'Chrome';
  return all.every(([, location]) => ((location?.tag ?? 0) & 0xc0) === 0x80) ? null : 'Firefox';
}

function isReadableUrl(location: DerNode | undefined): boolean {
  return location !== undefined && (location.tag !== 0x86 || isReadableGeneralName(location));
}

const anyPolicy = '2.5.29.32.0';
/** Pointer to a statement of practice, and notice to the user (RFC 5280 §4.2.1.4). */
const knownQualifiers: readonly string[] = ['1.3.6.1.5.5.7.2.1', '1.3.6.1.5.5.7.2.2'];

function arePolicies(node: DerNode | undefined): boolean {
  const all = someIn(node);
  const ids = all?.map((one) => readObjectIdentifier(listIn(one)?.[0])) ?? [];
  return all !== null && new Set(ids).size === all.length && all.every((one) => isPolicy(one));
}

/** @param isCritical then, and with the policy for all, no unknown qualifier may be passed over */
function isPolicy(policy: DerNode, isCritical = false): boolean {
  const [id, qualifiers, ...more] = listIn(policy) ?? [];
  if (id?.tag !== derTags.objectIdentifier || more.length > 0) return false;
  const isStrict = isCritical || readObjectIdentifier(id) === anyPolicy;
  const isQualifier = (one: DerNode) => {
    const [kind, value, ...behind] = listIn(one) ?? [];
    if (kind?.tag !== derTags.objectIdentifier || value === undefined || behind.length > 0) return false;
    return !isStrict || knownQualifiers.includes(readObjectIdentifier(kind));
  };
  return qualifiers === undefined || someIn(qualifiers)?.every(isQualifier) === true;
}

/** Whether policies that are critical have only qualifiers that are known. */
export function areKnownPolicies(value: Uint8Array): boolean {
  return someIn(wholeIn(value))?.every((one) => isPolicy(one, true)) === true;
}

function isPolicyConstraints(node: DerNode | undefined): boolean {
  const fields = openFields(someIn(node));
  const counts = [fields.take(0x80), fields.take(0x81)].filter((one) => one !== undefined);
  return fields.isAtEnd() && counts.every(({ content }) => readByte(content) !== null);
}

function areMappings(node: DerNode | undefined): boolean {
  return someIn(node)?.every((one) => identifiersIn(listIn(one))?.length === 2) === true;
}

function isByte(node: DerNode | undefined): boolean {
  return node?.tag === derTags.integer && readByte(node.content) !== null;
}

/** RFC 5280 §4.2.1.1: issuer and serial number only together. */
function isAuthorityKeyId(node: DerNode | undefined): boolean {
  const fields = openFields(listIn(node));
  fields.take(0x80);
  const issuer = fields.take(0xa1);
  const serial = fields.take(0x82);
  return fields.isAtEnd() && (issuer === undefined) === (serial === undefined);
}

/** RFC 6962 §3.3. To Chrome a list that it cannot read is none. */
function judgeTimestamps(value: Uint8Array, role: Role): Browsers | null {
  return role === 'issuer' || wholeIn(value)?.tag === derTags.octetString ? null : 'Firefox';
}

/** RFC 7633. Firefox knows one feature, the stapled OCSP answer, and serves no certificate that demands another. */
function judgeFeatures(value: Uint8Array, role: Role): Browsers | null {
  const isStaple = ({ tag, content }: DerNode) =>
    tag === derTags.integer && content.length === 1 && content[0] === 5;
  return role === 'issuer' || someIn(wholeIn(value))?.every(isStaple) === true ? null : 'Firefox';
}

const serverAuthentication = '1.3.6.1.5.5.7.3.1';
const ocspSigning = '1.3.6.1.5.5.7.3.9';
const everyPurpose = '2.5.29.37.0';

/** Who does not take a certificate with these purposes for that of a server, or of a CA above one (RFC 5280 §4.2.1.12). */
export function refusePurposes(value: Uint8Array, role: Role): readonly Refusal[] {
  const ids = identifiersIn(listIn(wholeIn(value))) ?? [];
  const isForServers = ids.includes(serverAuthentication);
  const isResponder = role === 'leaf' && ids.includes(ocspSigning);
  const by = refusedBy(!isForServers && !ids.includes(everyPurpose), !isForServers || isResponder);
  if (by === null) return [];
  const what = isForServers
    ? 'may sign OCSP answers too (extended key usage)'
    : 'may not be used for TLS servers (extended key usage)';
  return [{ reason: 'purpose-wrong', what, by }];
}
