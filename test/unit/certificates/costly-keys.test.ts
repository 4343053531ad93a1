import { expect, test } from 'vitest';
import { isIssuedBy, keyOf, readCertificate } from '../../../worker/certificates/certificate.ts';
import { findPath } from '../../../worker/certificates/trust/find-path.ts';
import { makeCostlyChain } from '../../lab/hostile/costly-keys.ts';

const read = (chain: readonly Uint8Array[]) =>
  chain.flatMap((bytes) => readCertificate(Buffer.from(bytes).toString('base64')) ?? []);

test.for([
  ['an exponent as long as its modulus', 3072, 3072, true],
  ['a modulus of 16,384 bits', 16_384, 24, true],
  ['an exponent of 40 bits', 2048, 40, true],
  ['an exponent of 24 bits', 4096, 24, false],
] as const)('a key with %s: too costly to compute with is $3', ([, bits, exponentBits, isCostly]) => {
  const [leaf] = read(makeCostlyChain(1, bits, exponentBits));
  if (!leaf) throw new Error('the certificate is not read');
  expect(keyOf(leaf) === null).toBe(isCostly);
  expect(isIssuedBy(leaf, leaf)).toBe(false);
});

test('sixty issuers of one name with keys that are made to be slow cost less than 100 ms', () => {
  const chains = Array.from({ length: 60 }, () => read(makeCostlyChain(2, 3072, 3072)));
  const [leaf] = chains.flat();
  if (!leaf) throw new Error('the certificate is not read');
  const sent = chains.flatMap(([, issuer]) => issuer ?? []);
  const start = process.cpuUsage();
  expect(findPath({ leaf, sent, anchors: [], at: Date.parse('2027-01-01') }).kind).toBe('untrusted');
  const { user, system } = process.cpuUsage(start);
  expect((user + system) / 1000).toBeLessThan(100);
});
