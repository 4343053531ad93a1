import { webcrypto } from 'node:crypto';
import * as asn1js from 'asn1js';
import * as pkijs from 'pkijs';

export type KeyAndCertificate = { readonly key: string; readonly cert: string };
export type CertificateOptions = { readonly notBefore?: Date; readonly notAfter?: Date };

/** A certificate authority of the test run itself: nothing secret is kept in the repository. */
export type Authority = {
  readonly cert: string;
  issue(names: readonly string[], options?: CertificateOptions): Promise<KeyAndCertificate>;
};

pkijs.setEngine('node', new pkijs.CryptoEngine({ name: 'node', crypto: webcrypto as never }));
const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const dayMs = 86_400_000;
let serial = Date.now();

/** Makes a root and issues certificates under it. */
export async function makeAuthority(commonName = 'Lab Root'): Promise<Authority> {
  const rootKeys = await makeKeys();
  const root = await makeCertificate({
    subject: commonName,
    issuer: commonName,
    keys: rootKeys,
    signer: rootKeys.privateKey,
    names: [],
    isAuthority: true,
  });
  return {
    cert: root,
    async issue(names, options = {}) {
      const keys = await makeKeys();
      const cert = await makeCertificate({
        subject: names[0] ?? 'nobody',
        issuer: commonName,
        keys,
        signer: rootKeys.privateKey,
        names,
        isAuthority: false,
        ...options,
      });
      const pkcs8 = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey);
      return { key: toPem('PRIVATE KEY', pkcs8), cert };
    },
  };
}

async function makeKeys(): Promise<webcrypto.CryptoKeyPair> {
  return (await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])) as webcrypto.CryptoKeyPair;
}

type Making = CertificateOptions & {
  readonly subject: string;
  readonly issuer: string;
  readonly keys: webcrypto.CryptoKeyPair;
  readonly signer: webcrypto.CryptoKey;
  readonly names: readonly string[];
  readonly isAuthority: boolean;
};

async function makeCertificate({
  subject,
  issuer,
  keys,
  signer,
  names,
  isAuthority,
  notBefore,
  notAfter,
}: Making): Promise<string> {
  const certificate = new pkijs.Certificate();
  certificate.version = 2;
  certificate.serialNumber = new asn1js.Integer({ value: ++serial });
  setCommonName(certificate.subject, subject);
  setCommonName(certificate.issuer, issuer);
  certificate.notBefore.value = notBefore ?? new Date(Date.now() - dayMs);
  certificate.notAfter.value = notAfter ?? new Date(Date.now() + 60 * dayMs);
  await certificate.subjectPublicKeyInfo.importKey(keys.publicKey as never);
  certificate.extensions = [
    new pkijs.Extension({
      extnID: '2.5.29.19',
      critical: true,
      extnValue: new pkijs.BasicConstraints({ cA: isAuthority }).toSchema().toBER(),
    }),
    ...(names.length > 0 ? [alternativeNames(names)] : []),
  ];
  await certificate.sign(signer as never, 'SHA-256');
  return toPem('CERTIFICATE', certificate.toSchema(true).toBER());
}

function alternativeNames(names: readonly string[]): pkijs.Extension {
  const altNames = names.map((name) =>
    /^[\d.]+$/.test(name)
      ? new pkijs.GeneralName({
          type: 7,
          value: new asn1js.OctetString({ valueHex: Uint8Array.from(name.split('.').map(Number)).buffer }),
        })
      : new pkijs.GeneralName({ type: 2, value: name }),
  );
  return new pkijs.Extension({
    extnID: '2.5.29.17',
    critical: false,
    extnValue: new pkijs.GeneralNames({ names: altNames }).toSchema().toBER(),
  });
}

function setCommonName(name: pkijs.RelativeDistinguishedNames, value: string): void {
  name.typesAndValues.push(
    new pkijs.AttributeTypeAndValue({ type: '2.5.4.3', value: new asn1js.Utf8String({ value }) }),
  );
}

function toPem(label: string, der: ArrayBuffer): string {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}
