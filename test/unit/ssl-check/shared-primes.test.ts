import { createDiffieHellmanGroup, createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { nameOfPrime } from '../../../worker/checks/ssl-check/grammar/shared-primes.ts';

const digest = (prime: Uint8Array) => createHash('sha256').update(prime).digest('hex');

// The primes of RFC 2409 and RFC 3526 are built into Node.
test.for([
  ['modp1', 'RFC 2409 group 1'],
  ['modp2', 'RFC 2409 group 2'],
  ['modp5', 'RFC 3526 group 5'],
  ['modp14', 'RFC 3526 group 14'],
  ['modp15', 'RFC 3526 group 15'],
  ['modp16', 'RFC 3526 group 16'],
  ['modp17', 'RFC 3526 group 17'],
  ['modp18', 'RFC 3526 group 18'],
])('Node’s %s is %s', ([group, name]) => {
  expect(nameOfPrime(digest(createDiffieHellmanGroup(group as string).getPrime()))).toBe(name);
});

// Appendix A.1 of RFC 7919: 2^2048 - 2^1984 + (floor(2^1918 e) + 560316) 2^64 - 1.
test('ffdhe2048 is the number that RFC 7919 gives', () => {
  const prime = 2n ** 2048n - 2n ** 1984n + (floorOfE(1918n) + 560_316n) * 2n ** 64n - 1n;
  expect(nameOfPrime(digest(Buffer.from(prime.toString(16), 'hex')))).toBe('ffdhe2048');
});

test('any other prime has no name', () => {
  expect(nameOfPrime(digest(Uint8Array.of(23)))).toBeNull();
});

/** The whole part of 2^bits e, by its series with 64 bits to spare. */
function floorOfE(bits: bigint): bigint {
  const spare = 64n;
  let sum = 0n;
  let term = 2n ** (bits + spare);
  for (let n = 1n; term > 0n; n += 1n) {
    sum += term;
    term /= n;
  }
  return sum >> spare;
}
