import { createHash } from 'node:crypto';
import { lifetimeDays } from '#shared/model/lifetime';
import type { Certificate } from './certificate.ts';
import type { Chain } from './chain.ts';

/** Certificates of a large provider may name hundreds of hosts. */
const namesShown = 100;

/** A certificate as reports show it. @param timestamps those in the leaf, as they are shown */
export function reportCertificate<Timestamp>(
  certificate: Certificate,
  { leaf, root, path }: Chain,
  timestamps: readonly Timestamp[],
) {
  const {
    x509,
    subjectText,
    issuerText,
    extensions,
    names,
    key,
    signature,
    sha256,
    bytes,
    notBefore,
    notAfter,
  } = certificate;
  return {
    subject: subjectText,
    issuer: issuerText,
    serialNumber: extensions.serialNumber,
    notBefore: new Date(notBefore).toISOString(),
    notAfter: new Date(notAfter).toISOString(),
    lifetimeDays: Math.round(lifetimeDays({ notBefore, notAfter }) * 100) / 100,
    names: names.slice(0, namesShown),
    namesCount: names.length,
    key,
    signatureAlgorithm: signature.name,
    sha256,
    role: roleOf(certificate, leaf, root, path),
    bytes,
    spkiSha256: createHash('sha256').update(extensions.publicKeyInfo).digest('base64'),
    pem: toPem(x509.raw),
    mustStaple: extensions.mustStaple,
    timestamps: certificate === leaf ? timestamps : [],
    revocationListUrls: extensions.revocationListUrls,
    authorityKeyId: extensions.authorityKeyId,
    policies: extensions.policies,
  };
}

function toPem(der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}

function roleOf(
  certificate: Certificate,
  leaf: Certificate | null,
  root: Certificate | null,
  path: readonly Certificate[],
): 'leaf' | 'intermediate' | 'root' | 'surplus' {
  if (certificate === leaf) return 'leaf';
  if (certificate === root) return 'root';
  return path.includes(certificate) ? 'intermediate' : 'surplus';
}
