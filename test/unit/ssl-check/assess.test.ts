import { expect, test } from 'vitest';
import { z } from 'zod';
import { sslReportShape } from '#shared/catalogue/ssl-check/report';
import { rules, type SslCode } from '#shared/catalogue/ssl-check/rules';
import { listVerdicts } from '#shared/model/finding';
import { codesBroken, codesOf } from '#shared/model/verdict';
import { assessSsl } from '../../../worker/checks/ssl-check/assess.ts';
import type { SslEvidence } from '../../../worker/checks/ssl-check/evidence.ts';
import {
  certificateRows,
  clientAuthentication,
  connectionRows,
  listUrl,
  listsRevoked,
  nameRows,
  otherRoot,
  own,
  protocolRows,
  purposes,
  type row,
  selfSigned,
  sizes,
  suiteRows,
  tlsa,
} from './cases.ts';
import {
  accepts,
  connected,
  evidenceOf,
  failed,
  intermediate,
  leafWith,
  refused,
  shows,
} from './evidence-of.ts';
import { issueCertificate } from './issue-certificate.ts';

const judge = ({ change, ...rest }: ReturnType<typeof row>) => ({
  ...rest,
  assessment: assessSsl(evidenceOf(change)),
});
const unreached = connectionRows.map(judge);
const reached = [...certificateRows, ...protocolRows, ...suiteRows, ...nameRows].map(judge);
const judged = [...unreached, ...reached];

test.for(judged)('$name', ({ assessment, broken, grade, expected }) => {
  const { verdicts, fields, state, score } = assessment;
  expect(codesBroken(verdicts).sort()).toEqual([...broken].sort());
  expect(
    score === null || score === undefined ? null : `${String(fields['sslLabsEquivalent'])} ${score}`,
  ).toBe(grade);
  const { notTested, passed } = listVerdicts(rules, verdicts);
  expect(passed).toEqual(expect.arrayContaining([...(expected.passed ?? [])]));
  const unseen = notTested.map(({ code }) => code);
  expect(unseen).toEqual(expect.arrayContaining([...(expected.notTested ?? [])]));
  expect({ state, trust: fields['trust'] }).toMatchObject({
    ...('state' in expected ? { state: expected.state } : {}),
    ...('trusted' in expected ? { trust: { trusted: expected.trusted } } : {}),
  });
});

const listed = judged.map(({ assessment }) => listVerdicts(rules, assessment.verdicts));
const listedReached = reached.map(({ assessment }) => listVerdicts(rules, assessment.verdicts));
const codes = codesOf(rules);
test('every rule has a row where it is broken', () => {
  const seen = listed.flatMap(({ findings }) => findings.map(({ code }) => code));
  expect(codes.filter((code) => !seen.includes(code))).toEqual([]);
});
test('every rule has a row where it holds', () => {
  const seen = listed.flatMap(({ passed }) => passed);
  expect(codes.filter((code) => !seen.includes(code))).toEqual([]);
});

test('every rule about a server has a row where there is one and it is still not tested', () => {
  const seen = listedReached.flatMap(({ notTested }) => notTested.map(({ code }) => code));
  const aboutServers = codes.filter((code) => rules[code].part !== 'connection');
  expect(aboutServers.filter((code) => !seen.includes(code))).toEqual([]);
});

test.for(judged)('the effects of the findings make up the score: $name', ({ assessment, grade, broken }) => {
  const effects = assessment.scoreEffects ?? {};
  const sum = Object.values(effects).reduce((total, effect) => total + effect, 0);
  // Where A+ could not be proven, the step from A+ to A is nobody's fault.
  const start = grade?.startsWith('A ') ? 93 : 100;
  expect(sum).toBe(
    assessment.score === null || assessment.score === undefined ? 0 : assessment.score - start,
  );
  expect(Object.keys(effects).sort()).toEqual([...broken].sort());
});

test.for(judged)('every detail is filled: $name', ({ assessment }) => {
  const details = listVerdicts(rules, assessment.verdicts).findings.map(
    ({ code, detail }) => `${code}: ${detail}`,
  );
  expect(details.filter((detail) => /[{}]/.test(detail))).toEqual([]);
});

test('the report shows what was looked at for revocation', () => {
  const { fields } = assessSsl(evidenceOf(listsRevoked()));
  expect(fields).toMatchObject({
    revocation: 'revoked',
    revocationSources: ['CRL'],
    revocationList: { url: listUrl, status: 'revoked', why: null, reason: 'keyCompromise', entries: 1 },
  });
  const { target: _target, ...shape } = sslReportShape;
  expect(z.strictObject(shape).safeParse(fields).error).toBeUndefined();
});

test('the same evidence gives the same assessment, also after a way through JSON', () => {
  const evidence = evidenceOf(tlsa(true, 'ab'));
  expect(assessSsl(JSON.parse(JSON.stringify(evidence)) as SslEvidence)).toEqual(assessSsl(evidence));
});

function findingOf(change: Partial<SslEvidence>, code: SslCode) {
  const { findings } = listVerdicts(rules, assessSsl(evidenceOf(change)).verdicts);
  return findings.find((finding) => finding.code === code);
}

test.for([
  ['alone', [issueCertificate({ ...own, issuer: otherRoot })], /^Send the intermediate certificate/],
  [
    'with a private root',
    [issueCertificate({ ...own, issuer: otherRoot }), selfSigned],
    /^Have the certificate issued again/,
  ],
  [
    'for another purpose',
    [leafWith({ extensions: [purposes(clientAuthentication)] }), intermediate],
    /^Have the certificate issued again/,
  ],
] as const)('the fix of a certificate without its issuer: %s', ([, chain, fix]) => {
  expect(findingOf(shows(chain), 'certificate-not-trusted')?.fix.text).toMatch(fix);
});

test('where browsers fail by the size of their hello, the fix is that of its size', () => {
  const handshake = connected({ ephemeralKey: { type: 'ECDH', name: 'X25519', size: 253 } });
  const handshakes = [
    { offer: 'modern', handshake: failed('', 'tls-timeout') },
    { offer: 'small', handshake },
  ] as const;
  const clients = sizes(refused(), accepts(0x1301));
  const finding = findingOf({ handshakes, clients }, 'browsers-cannot-connect');
  expect(finding?.detail).toBe(
    'The server answers in TLSv1.3, but Chrome, Firefox and Safari fail: their ClientHello needs two TCP segments, and the server only takes a short one.',
  );
  expect(finding?.fix.text).toBe(rules['client-hello-size-intolerance'].fix);
});

test('a Strict-Transport-Security of any length is shown by its beginning', () => {
  const values = [`max-age=60; x="${'x'.repeat(60_000)}"`];
  const { hsts } = evidenceOf();
  const finding = findingOf(
    { hsts: { ...hsts, kind: 'fields', url: 'https://a.test/', values, altSvc: [] } },
    'hsts-short',
  );
  expect(finding?.evidence[0]).toMatchObject({ value: values[0]?.slice(0, 500) });
});
