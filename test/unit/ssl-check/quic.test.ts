import fc from 'fast-check';
import { expect, test } from 'vitest';
import { joinBytes, numberBytes, vectorBytes } from '../../../worker/certificates/grammar/byte-cursor.ts';
import {
  parseVersionNegotiation,
  versionName,
  writeVersionQuestion,
} from '../../../worker/checks/ssl-check/grammar/quic.ts';
import { runsOf } from '../../kit/property-runs.ts';
import { answerVersions } from './answer-versions.ts';

const asked = { destination: new Uint8Array(8).fill(7), source: new Uint8Array(8).fill(9) };
const question = writeVersionQuestion(asked);

test('the question is a whole datagram with a long header, a reserved version and both ids (RFC 9000 §14.1, §15, RFC 8999 §5.1)', () => {
  expect(question).toHaveLength(1200);
  expect(question[0]).toBe(0xc0);
  expect([...question.subarray(1, 5)].every((byte) => (byte & 0x0f) === 0x0a)).toBe(true);
  expect(question.subarray(5, 23)).toEqual(joinBytes(8, asked.destination, 8, asked.source));
  expect(question.subarray(23).every((byte) => byte === 0)).toBe(true);
});

const answer = answerVersions(question, [1, 0x6b3343cf]);
const withIds = (destination: Uint8Array, source: Uint8Array) =>
  joinBytes(0x80, numberBytes(0, 4), vectorBytes(1, destination), vectorBytes(1, source), numberBytes(1, 4));

test.for([
  ['both versions of QUIC', answer, { kind: 'versions', versions: [1, 0x6b3343cf] }],
  [
    'the other bits of the first byte are of no meaning',
    joinBytes(0xff, answer.subarray(1)),
    { kind: 'versions' },
  ],
  ['our own question, mirrored', question, { kind: 'malformed' }],
  ['nothing', new Uint8Array(0), { kind: 'malformed' }],
  ['a short header', joinBytes(0x40, answer.subarray(1)), { kind: 'malformed' }],
  ['no versions', answer.subarray(0, 23), { kind: 'malformed' }],
  ['a version that is cut off', answer.subarray(0, 26), { kind: 'malformed' }],
  ['ids that run past the end', joinBytes(0x80, 0, 0, 0, 0, 200, 1), { kind: 'malformed' }],
  ['the ids are not exchanged', withIds(asked.destination, asked.source), { kind: 'malformed' }],
  ['the ids of another question', withIds(asked.source, new Uint8Array(8)), { kind: 'malformed' }],
] as const)('an answer: %s', ([, bytes, expected]) => {
  expect(parseVersionNegotiation(bytes, asked)).toMatchObject(expected);
});

test('of a long list the first 32 versions are kept', () => {
  const read = parseVersionNegotiation(answerVersions(question, Array<number>(300).fill(1)), asked);
  expect(read.kind === 'versions' && read.versions).toHaveLength(32);
});

test('reading never throws, and what is written is read', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
      expect(['malformed', 'versions']).toContain(parseVersionNegotiation(bytes, asked).kind);
    }),
    { numRuns: runsOf(2000) },
  );
  const version = fc.integer({ min: 1, max: 0xffffffff });
  fc.assert(
    fc.property(fc.array(version, { minLength: 1, maxLength: 32 }), (versions) => {
      expect(parseVersionNegotiation(answerVersions(question, versions), asked)).toEqual({
        kind: 'versions',
        versions,
      });
    }),
    { numRuns: runsOf(500) },
  );
});

test.for([
  [0x00000001, 'QUIC v1'],
  [0x6b3343cf, 'QUIC v2'],
  [0xff00001d, 'draft 29'],
  [0x51303530, '0x51303530'],
  [0xdaeafa0a, null],
] as const)('version %i is called %s', ([version, name]) => {
  expect(versionName(version)).toBe(name);
});
