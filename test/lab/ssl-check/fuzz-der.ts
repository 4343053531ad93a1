import { randomBytes, X509Certificate } from 'node:crypto';
import { rootCertificates } from 'node:tls';
import * as asn1js from 'asn1js';
import { BasicOCSPResponse, Certificate, OCSPResponse } from 'pkijs';
import { vectorBytes } from '../../../worker/certificates/grammar/byte-cursor.ts';
import {
  extensionIds,
  parseCertificateExtensions,
} from '../../../worker/certificates/grammar/certificate-extensions.ts';
import { parseOcspResponse } from '../../../worker/certificates/grammar/ocsp-response.ts';
import { issueCertificate } from '../../unit/ssl-check/issue-certificate.ts';
import { der, integer, sequence, text, writeOcspResponse } from '../../unit/ssl-check/write-der.ts';

// Certificates and OCSP answers with bytes changed, cut, doubled or added, read by us and by pkijs; every difference is put into a class.
// Usage: node test/lab/ssl-check/fuzz-der.ts [cases]
const cases = Number(process.argv[2] ?? 100_000);

const timestamp = vectorBytes(
  2,
  0,
  new Uint8Array(32).fill(1),
  new Uint8Array(8),
  0,
  0,
  4,
  3,
  vectorBytes(2, [1]),
);
const rich = issueCertificate({
  subject: 'a.test',
  issuer: null,
  names: ['a.test', 'b.test'],
  extensions: [
    { id: extensionIds.tlsFeature, value: sequence(integer(5)) },
    { id: extensionIds.timestamps, value: der(4, vectorBytes(2, timestamp, timestamp)) },
    { id: extensionIds.authorityKeyId, value: sequence(der(0x80, [1, 2])) },
    {
      id: extensionIds.revocationLists,
      value: sequence(sequence(der(0xa0, der(0xa0, text(0x86, 'http://crl.test/'))))),
    },
  ],
});
const certificates = [rich.der, ...rootCertificates.slice(0, 30).map((pem) => new X509Certificate(pem).raw)];
const responses = [
  writeOcspResponse([
    {
      serial: [1, 2],
      status: der(0x80),
      thisUpdate: '2026-11-20T00:00:00',
      nextUpdate: '2026-11-27T00:00:00',
    },
  ]),
  writeOcspResponse([
    {
      serial: [3],
      status: der(0xa1, der(0x18, [...Buffer.from('20261101000000Z')])),
      thisUpdate: '2026-11-20T00:00:00',
    },
  ]),
];

let seed = 20_261_121;
/** A small linear congruential generator, so that a run can be repeated. */
function random(below: number): number {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((seed / 2 ** 32) * below);
}

function mutate(source: Uint8Array): Uint8Array {
  const bytes = Uint8Array.from(source);
  for (let edits = random(3); edits >= 0; edits -= 1) bytes[random(bytes.length)] = random(256);
  const kind = random(12);
  if (kind === 0) return bytes.subarray(0, random(bytes.length));
  if (kind === 1) return Buffer.concat([bytes, randomBytes(1 + random(8))]);
  if (kind === 2) {
    const at = random(bytes.length);
    return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at, at + random(20)), bytes.subarray(at)]);
  }
  return bytes;
}

/** What a reader says, as one text; null when it refuses. */
type Reading = string | null;

function readOurs(bytes: Uint8Array): Reading {
  const read = parseCertificateExtensions(bytes);
  return read.kind === 'malformed'
    ? null
    : JSON.stringify([read.serialNumber, read.signatureAlgorithm, read.present]);
}

function readTheirs(bytes: Uint8Array): Reading {
  try {
    const { result, offset } = asn1js.fromBER(Uint8Array.from(bytes).buffer);
    if (offset !== bytes.length) return null;
    const certificate = new Certificate({ schema: result });
    const serial = Buffer.from(certificate.serialNumber.valueBlock.valueHexView)
      .toString('hex')
      .replace(/^0+(?=.)/, '');
    const present = [...new Set((certificate.extensions ?? []).map(({ extnID }) => extnID))];
    return JSON.stringify([serial, certificate.signatureAlgorithm.algorithmId, present]);
  } catch {
    return null;
  }
}

function readOurOcsp(bytes: Uint8Array): Reading {
  const read = parseOcspResponse(bytes);
  if (read.kind === 'malformed') return null;
  return JSON.stringify([
    read.responseStatus,
    read.statuses.map(({ serialNumber, status }) => [serialNumber, status]),
  ]);
}

const statusNames = new Map([
  [0, 'good'],
  [1, 'revoked'],
  [2, 'unknown'],
]);

function readTheirOcsp(bytes: Uint8Array): Reading {
  try {
    const { result, offset } = asn1js.fromBER(Uint8Array.from(bytes).buffer);
    if (offset < 0) return null;
    const response = new OCSPResponse({ schema: result });
    const status = response.responseStatus.valueBlock.valueDec;
    if (status !== 0 || !response.responseBytes) return JSON.stringify([status, []]);
    const basic = BasicOCSPResponse.fromBER(
      response.responseBytes.response.valueBlock.valueHexView.slice().buffer,
    );
    const statuses = basic.tbsResponseData.responses.map(({ certID, certStatus }) => [
      Buffer.from(certID.serialNumber.valueBlock.valueHexView)
        .toString('hex')
        .replace(/^0+(?=.)/, ''),
      statusNames.get((certStatus as asn1js.BaseBlock).idBlock.tagNumber),
    ]);
    return JSON.stringify([status, statuses]);
  } catch {
    return null;
  }
}

/** A third opinion where two differ: OpenSSL, by way of node:crypto. */
function doesOpensslRead(bytes: Uint8Array): boolean {
  try {
    return new X509Certificate(bytes).serialNumber !== '';
  } catch {
    return false;
  }
}

/** Why the two differ, as far as a rule can say. */
function explain(bytes: Uint8Array, ours: Reading, isOcsp: boolean): string {
  const refusal = isOcsp ? parseOcspResponse(bytes) : parseCertificateExtensions(bytes);
  const why = ours === null && refusal.kind === 'malformed' ? `, for us ${refusal.malformed}` : '';
  return isOcsp ? why : `${why}; OpenSSL ${doesOpensslRead(bytes) ? 'reads' : 'refuses'} it`;
}

const outcomes = new Map<string, { count: number; example: string }>();
function note(kind: string, bytes: Uint8Array, detail: string): void {
  const known = outcomes.get(kind);
  outcomes.set(kind, {
    count: (known?.count ?? 0) + 1,
    example: known?.example ?? `${detail} ${Buffer.from(bytes).toString('hex').slice(0, 80)}…`,
  });
}

let thrown = 0;
for (let round = 0; round < cases; round += 1) {
  const isOcsp = round % 4 === 0;
  const sources = isOcsp ? responses : certificates;
  const bytes = mutate(sources[random(sources.length)] ?? new Uint8Array(0));
  let ours: Reading = null;
  try {
    ours = isOcsp ? readOurOcsp(bytes) : readOurs(bytes);
  } catch {
    thrown += 1;
  }
  const theirs = isOcsp ? readTheirOcsp(bytes) : readTheirs(bytes);
  const what = isOcsp ? 'OCSP answer' : 'certificate';
  if (ours === theirs) note(`${what}: ${ours === null ? 'both refuse' : 'both read the same'}`, bytes, '');
  else if (ours === null)
    note(`${what}: only pkijs reads it${explain(bytes, ours, isOcsp)}`, bytes, theirs ?? '');
  else if (theirs === null) note(`${what}: only we read it${explain(bytes, ours, isOcsp)}`, bytes, ours);
  else note(`${what}: read differently${explain(bytes, ours, isOcsp)}`, bytes, `${ours} ≠ ${theirs}`);
}
console.log(`${cases} cases, ${thrown} thrown by our reader`);
for (const [kind, { count, example }] of [...outcomes].sort(([a], [b]) => a.localeCompare(b)))
  console.log(`${String(count).padStart(7)}  ${kind}${/same|both/.test(kind) ? '' : `, e.g. ${example}`}`);
