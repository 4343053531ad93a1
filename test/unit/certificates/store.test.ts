import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readCertificate } from '../../../worker/certificates/certificate.ts';
import { readSubjectName } from '../../../worker/certificates/grammar/certificate-extensions.ts';
import { findAnchors } from '../../../worker/certificates/trust/store.ts';

const before = getCACertificates('default');
beforeAll(() => setDefaultCACertificates(getCACertificates('bundled')));
afterAll(() => setDefaultCACertificates(before));

const roots = getCACertificates('bundled').map((pem) => pem.replaceAll(/-----[^-]+-----|\s/g, ''));

test('every root of the store is found by its own name', () => {
  expect(new Set(findAnchors([roots]))).toEqual(new Set(roots));
});

test('a chain brings no root but those that it names', () => {
  const [first = ''] = roots;
  const found = findAnchors([[first]]);
  expect(found).toContain(first);
  expect(new Set(found.map((one) => readCertificate(one)?.nameKey)).size).toBe(1);
});

test.for([
  ['nothing', []],
  ['half a certificate', [...Buffer.from(roots[0] ?? '', 'base64').subarray(0, 40)]],
  ['a number', [2, 1, 5]],
] as const)('%s has no subject', ([, bytes]) => {
  expect(readSubjectName(Uint8Array.from(bytes))).toBeUndefined();
});
