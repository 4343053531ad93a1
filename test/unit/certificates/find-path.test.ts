import { expect, test } from 'vitest';
import { type Certificate, readCertificate } from '../../../worker/certificates/certificate.ts';
import { extensionIds } from '../../../worker/certificates/grammar/certificate-extensions.ts';
import { findPath } from '../../../worker/certificates/trust/find-path.ts';
import type { PathReason } from '../../../worker/certificates/trust/reasons.ts';
import { type Issued, issueCertificate, makeKey, type Wishes } from '../ssl-check/issue-certificate.ts';
import { der, integer, objectIdentifier, sequence, text } from '../ssl-check/write-der.ts';

const at = Date.parse('2026-11-21T03:00:00Z');
const authority = { notBefore: '2020-01-01T00:00:00', notAfter: '2040-01-01T00:00:00', isAuthority: true };
const keys = new Map<string, ReturnType<typeof makeKey>>();
const keyOf = (name: string) => {
  const key = keys.get(name) ?? makeKey();
  keys.set(name, key);
  return key;
};
/** A CA by its name; the same name has the same key unless another is given. */
const ca = (subject: string, issuer: Issued | null, wishes: Partial<Wishes> = {}) =>
  issueCertificate({ subject, issuer, key: keyOf(subject), ...authority, ...wishes });
const server = (issuer: Issued) => issueCertificate({ subject: 'a.test', issuer, names: ['a.test'] });
const extension = (id: string, value: Uint8Array, isCritical = true) => ({
  extensions: [{ id, value, isCritical }],
});

/** Each way in which an intermediate can be wrong. */
const flaws: { readonly [R in PathReason]?: Partial<Wishes> } = {
  expired: { notAfter: '2026-11-01T00:00:00' },
  'not-yet-valid': { notBefore: '2026-12-01T00:00:00' },
  'not-an-authority': { isAuthority: false },
  'may-not-sign': extension(extensionIds.keyUsage, der(0x03, [0, 0x80])),
  'purpose-wrong': extension(
    extensionIds.extendedKeyUsage,
    sequence(objectIdentifier('1.3.6.1.5.5.7.3.2')),
    false,
  ),
  'signature-weak': { hash: 'sha1' },
  'name-not-permitted': extension(
    extensionIds.nameConstraints,
    sequence(der(0xa0, sequence(text(0x82, 'b.test')))),
  ),
  'path-too-long': {
    isAuthority: false,
    extensions: [{ id: extensionIds.basicConstraints, value: sequence(der(1, [0xff]), integer(0)) }],
  },
  'extension-unknown': extension('1.2.3.4', integer(1)),
};

type Shape = {
  readonly leaf: Issued;
  readonly sent: readonly Issued[];
  readonly anchors: readonly Issued[];
  readonly isTrusted: boolean;
};

const root = ca('Root', null);
const otherRoot = ca('Other Root', null);
const upper = ca('Upper', root);
const lower = ca('Lower', upper);
const leaf = server(lower);
const anchors = [root];

/** What is sent around an Upper that is wrong; below it is always Lower, and then the server. */
const shapes: { readonly [name: string]: (flaw: Partial<Wishes>) => Shape } = {
  'the wrong one is sent first': (flaw) => ({
    leaf,
    sent: [lower, ca('Upper', root, flaw), upper],
    anchors,
    isTrusted: true,
  }),
  'the wrong one is sent last': (flaw) => ({
    leaf,
    sent: [upper, lower, ca('Upper', root, flaw)],
    anchors,
    isTrusted: true,
  }),
  'the wrong one bears the same name with another key': (flaw) => ({
    leaf,
    sent: [lower, ca('Upper', root, { ...flaw, key: makeKey() }), upper],
    anchors,
    isTrusted: true,
  }),
  'the wrong one leads to another trusted root': (flaw) => ({
    leaf,
    sent: [lower, ca('Upper', otherRoot, flaw), upper],
    anchors: [otherRoot, root],
    isTrusted: true,
  }),
  'the right one leads over one certificate more': (flaw) => {
    const bridge = ca('Bridge', root);
    return {
      leaf,
      sent: [lower, ca('Upper', root, flaw), ca('Upper', bridge), bridge],
      anchors,
      isTrusted: true,
    };
  },
  'the right one is behind a circle': (flaw) => ({
    leaf,
    sent: [lower, ca('Upper', root, flaw), ca('Upper', ca('Circle', null)), ca('Circle', upper), upper],
    anchors,
    isTrusted: true,
  }),
  'the wrong one stands above a root that is trusted': (flaw) => ({
    leaf,
    sent: [lower, upper, ca('Root', otherRoot, flaw)],
    anchors: [root],
    isTrusted: true,
  }),
  'there is only the wrong one': (flaw) => ({
    leaf,
    sent: [lower, ca('Upper', root, flaw)],
    anchors,
    isTrusted: false,
  }),
  'there are two wrong ones': (flaw) => ({
    leaf,
    sent: [lower, ca('Upper', root, flaw), ca('Upper', otherRoot, flaw)],
    anchors: [root, otherRoot],
    isTrusted: false,
  }),
};

const cases = Object.keys(flaws).flatMap((flaw) =>
  Object.keys(shapes).map((shape) => ({ flaw: flaw as PathReason, shape })),
);

const read = (issued: readonly Issued[]): Certificate[] =>
  issued.flatMap(({ base64 }) => readCertificate(base64) ?? []);
const search = ({ leaf: own, sent, anchors: store }: Omit<Shape, 'isTrusted'>) => {
  const [first] = read([own]);
  if (first === undefined) throw new Error('this is no certificate');
  return findPath({ leaf: first, sent: read(sent), anchors: read(store), at });
};

test('there are 81 cases', () => {
  expect(cases).toHaveLength(81);
});

test.for(cases)('$flaw: $shape', ({ flaw, shape }) => {
  const made = shapes[shape]?.(flaws[flaw] ?? {});
  if (made === undefined) throw new Error('no such shape');
  const found = search(made);
  expect(found.kind).toBe(made.isTrusted ? 'trusted' : 'untrusted');
  expect('faults' in found ? found.faults.map(({ reason }) => reason) : []).toEqual(
    made.isTrusted ? [] : [flaw],
  );
});

test('the path ends at the store, also where the root itself was sent', () => {
  const found = search({ leaf, sent: [lower, upper, root], anchors });
  expect(found.path.map(({ subject }) => subject)).toEqual(['a.test', 'Lower', 'Upper', 'Root']);
});

const constrained = (tree: 0xa0 | 0xa1, base: Uint8Array) =>
  ca('Limited', root, extension(extensionIds.nameConstraints, sequence(der(tree, sequence(base)))));
const dns = (name: string) => text(0x82, name);
const email = (mailbox: string) => text(0x81, mailbox);
const address = (...bytes: number[]) => der(0x87, bytes);
const named = (issuer: Issued, value: Uint8Array) =>
  issueCertificate({
    subject: '',
    issuer,
    extensions: [{ id: extensionIds.subjectAltName, value: sequence(value), isCritical: true }],
  });

test.for([
  ['a name below', 0xa0, dns('a.test'), dns('www.a.test'), true],
  ['the name itself', 0xa0, dns('a.test'), dns('a.test'), true],
  ['another case', 0xa0, dns('A.test'), dns('www.a.TEST'), true],
  ['a name that only ends alike', 0xa0, dns('a.test'), dns('ba.test'), false],
  ['a wildcard below', 0xa0, dns('a.test'), dns('*.a.test'), true],
  ['every name', 0xa0, dns(''), dns('a.test'), true],
  ['an excluded name', 0xa1, dns('a.test'), dns('www.a.test'), false],
  ['a wildcard that covers an excluded name', 0xa1, dns('b.a.test'), dns('*.a.test'), false],
  ['a name beside the excluded one', 0xa1, dns('b.test'), dns('a.test'), true],
  ['a kind that is not limited', 0xa0, address(192, 0, 2, 0, 255, 255, 255, 0), dns('a.test'), true],
  ['an address inside', 0xa0, address(192, 0, 2, 0, 255, 255, 255, 0), address(192, 0, 2, 7), true],
  ['an address outside', 0xa0, address(192, 0, 2, 0, 255, 255, 255, 0), address(192, 0, 3, 7), false],
  [
    'an address of the other family',
    0xa0,
    address(192, 0, 2, 0, 255, 255, 255, 0),
    address(...Array(16).fill(1)),
    false,
  ],
  ['a mask of odd length', 0xa0, address(192, 0, 2), dns('a.test'), false],
  ['a limit for mailboxes, and none in the certificate', 0xa0, email('a.test'), dns('b.test'), true],
  ['a mailbox at the host', 0xa0, email('a.test'), email('me@A.test'), true],
  ['a mailbox at a host below it', 0xa0, email('a.test'), email('me@b.a.test'), false],
  ['a mailbox below the domain', 0xa0, email('.a.test'), email('me@b.a.test'), true],
  ['a mailbox at the domain itself', 0xa0, email('.a.test'), email('me@a.test'), false],
  ['the mailbox', 0xa0, email('me@a.test'), email('me@A.test'), true],
  ['a mailbox of another case', 0xa0, email('me@a.test'), email('Me@a.test'), false],
  ['another mailbox', 0xa0, email('me@a.test'), email('you@a.test'), false],
  ['an excluded host of mailboxes', 0xa1, email('a.test'), email('me@a.test'), false],
  ['a mailbox beside the excluded host', 0xa1, email('a.test'), email('me@b.a.test'), true],
  ['an entry that is no mailbox', 0xa1, email('a.test'), email('a.test'), false],
  ['every mailbox excluded', 0xa1, email(''), email('me@a.test'), false],
] as const)('name constraints: %s', ([, tree, base, name, isTrusted]) => {
  const limited = constrained(tree, base);
  const found = search({ leaf: named(limited, name), sent: [limited], anchors });
  expect(found.kind).toBe(isTrusted ? 'trusted' : 'untrusted');
});

test('a certificate is valid to the end of its last second', () => {
  const until = (notAfter: string) =>
    search({
      leaf: issueCertificate({ subject: 'a.test', issuer: root, names: ['a.test'], notAfter }),
      sent: [],
      anchors,
    }).kind;
  expect(until('2026-11-21T03:00:00')).toBe('trusted');
  expect(until('2026-11-21T02:59:59')).toBe('untrusted');
});
