import { X509Certificate } from 'node:crypto';
import { getCACertificates } from 'node:tls';
import { expect, test } from 'vitest';
import { readCertificate } from '../../../worker/certificates/certificate.ts';
import {
  findPathByStore,
  type OtherStore,
  otherStores,
  storesOf,
} from '../../../worker/certificates/trust/by-store.ts';
import { type Issued, issueCertificate } from '../ssl-check/issue-certificate.ts';

const at = Date.parse('2026-11-21T03:00:00Z');
const authority = { notBefore: '2020-01-01T00:00:00', notAfter: '2040-01-01T00:00:00', isAuthority: true };
const root = issueCertificate({ subject: 'Root', issuer: null, ...authority });
const newRoot = issueCertificate({ subject: 'New Root', issuer: null, ...authority });
const intermediate = issueCertificate({ subject: 'CA', issuer: root, ...authority });
/** The same CA under the other root. */
const crossed = issueCertificate({ subject: 'CA', issuer: newRoot, key: intermediate.key, ...authority });
const leaf = issueCertificate({ subject: 'a.test', names: ['a.test'], issuer: intermediate });

const read = (...all: readonly Issued[]) => all.flatMap(({ base64 }) => readCertificate(base64) ?? []);

type Stores = readonly OtherStore[] | null;
const search = (anchors: readonly (readonly [Issued, Stores])[]) => {
  const [first] = read(leaf);
  if (first === undefined) throw new Error('this is no certificate');
  const known = new Map(anchors.map(([one, stores]) => [read(one)[0]?.sha256, stores]));
  const sources = {
    leaf: first,
    sent: read(intermediate, crossed),
    anchors: read(...anchors.map(([one]) => one)),
    at,
  };
  const [end] = sources.anchors;
  if (end === undefined) throw new Error('there is no root');
  return findPathByStore(sources, end, ({ sha256 }) => known.get(sha256) ?? null);
};
const all = ['Apple', 'Chrome', 'Microsoft'] as const;

test.for([
  ['a root that all have', [[root, all]], [true, true, true]],
  ['a root that Apple does not have', [[root, ['Chrome', 'Microsoft']]], [false, true, true]],
  ['a root of which nothing is known', [[root, null]], [null, null, null]],
  [
    'two roots, of which Apple has the one and Chrome the other',
    [
      [root, ['Apple']],
      [newRoot, ['Chrome']],
    ],
    [true, true, false],
  ],
  [
    'a root that Chrome does not have, beside one of which nothing is known',
    [
      [root, ['Apple', 'Microsoft']],
      [newRoot, null],
    ],
    [true, null, true],
  ],
] as const satisfies readonly (readonly [
  string,
  readonly (readonly [Issued, Stores])[],
  readonly unknown[],
])[])('%s', ([, anchors, expected]) => {
  const found = search(anchors);
  expect(otherStores.map((store) => found[store])).toEqual(expected);
});

const ofNode = getCACertificates('bundled').map((pem) => {
  const { fingerprint256, subject } = new X509Certificate(pem);
  return { sha256: fingerprint256.replaceAll(':', '').toLowerCase(), subject };
});
const rootNamed = (name: string) =>
  ofNode.find(({ subject }) => subject.includes(`CN=${name}`)) ?? { sha256: '' };

test.for([
  ['ISRG Root X1', all],
  ['GTS Root R1', all],
  ['Certainly Root R1', ['Apple', 'Chrome']],
  ['SZAFIR ROOT CA2', ['Chrome', 'Microsoft']],
  // DigiCert's own list was not to be had.
  ['DigiCert Global Root G2', null],
] as const)('%s is in the stores that the CCADB says', ([name, stores]) => {
  expect(storesOf(rootNamed(name))).toEqual(stores);
});

test('nearly all roots of Node are known', () => {
  const unknown = ofNode.filter((one) => storesOf(one) === null);
  expect(unknown.length).toBeLessThan(0.15 * ofNode.length);
});
