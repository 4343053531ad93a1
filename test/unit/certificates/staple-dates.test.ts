import { expect, test } from 'vitest';
import { readStaple } from '../../../worker/certificates/staple.ts';
import { certificateOf, intermediate, leafWith } from '../ssl-check/evidence-of.ts';
import { sealWith } from '../ssl-check/issue-certificate.ts';
import { der, writeOcspResponse } from '../ssl-check/write-der.ts';

const serial = [0x11, 0x22];
const leaf = certificateOf(leafWith({ serial }));
const issuer = certificateOf(intermediate);
const at = Date.parse('2026-11-21T12:00:00Z');

function read(thisUpdate: string, nextUpdate?: string) {
  const status = {
    serial,
    status: der(0x80),
    thisUpdate,
    ...(nextUpdate === undefined ? {} : { nextUpdate }),
  };
  const bytes = writeOcspResponse([status], sealWith(intermediate.key));
  return readStaple(Buffer.from(bytes).toString('base64'), { leaf, issuer, at });
}

test.for([
  ['of its time', '2026-11-20T00:00:00', '2026-11-27T00:00:00', false],
  ['that ends now', '2026-11-20T00:00:00', '2026-11-21T12:00:00', false],
  ['that ended a second ago', '2026-11-20T00:00:00', '2026-11-21T11:59:59', true],
  ['of a clock that is five minutes ahead', '2026-11-21T12:05:00', '2026-11-27T00:00:00', false],
  ['of a second more', '2026-11-21T12:05:01', '2026-11-27T00:00:00', true],
  ['of today that names no end (RFC 6960 §4.2.2.1)', '2026-11-21T00:00:00', undefined, false],
  ['two days old that names no end', '2026-11-19T12:00:00', undefined, false],
  ['older than that', '2026-11-19T11:59:59', undefined, true],
] as const)('an answer %s', ([, thisUpdate, nextUpdate, isOutdated]) => {
  expect(read(thisUpdate, nextUpdate)).toMatchObject({ kind: 'status', signature: 'good', isOutdated });
});

test('an answer that ends before it begins cannot be used', () => {
  expect(read('2026-11-21T10:00:00', '2026-11-21T09:00:00')).toEqual({
    kind: 'unusable',
    reason: 'it ends before it begins',
  });
});
