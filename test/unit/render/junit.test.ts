import { expect, test } from 'vitest';
import { junitOfUnchecked, renderJunit } from '#shared/render/junit';
import { type Piece, readXml } from './readers.ts';
import { badChain, failed, goodChain, reportOf, unreachable } from './reports.ts';

const casePath = 'testsuites/testsuite/testcase';

function count(pieces: readonly Piece[], shape: string): number {
  return pieces.filter((piece) => piece.shape === shape).length;
}

function attribute(pieces: readonly Piece[], shape: string): string {
  return pieces.find((piece) => piece.shape === shape)?.text ?? '';
}

test.for([
  { name: 'a bad chain', make: badChain },
  { name: 'a good chain', make: goodChain },
  { name: 'an unreachable target', make: unreachable },
  { name: 'a failed run', make: failed },
  { name: 'every shape', make: () => reportOf((place) => `p ${place}`) },
])('$name: a case for each rule, and the counts are those of the elements', async ({ make }) => {
  const report = await make();
  const pieces = readXml(renderJunit(report));
  const cases = report.findings.length + report.passed.length + report.notTested.length;
  expect(count(pieces, casePath)).toBe(cases);
  for (const suite of ['testsuites', 'testsuites/testsuite']) {
    expect(attribute(pieces, `${suite}@tests`)).toBe(String(cases));
    expect(attribute(pieces, `${suite}@failures`)).toBe(String(count(pieces, `${casePath}/failure`)));
    expect(attribute(pieces, `${suite}@errors`)).toBe(String(count(pieces, `${casePath}/error`)));
    expect(attribute(pieces, `${suite}@skipped`)).toBe(String(count(pieces, `${casePath}/skipped`)));
  }
  expect(count(pieces, `${casePath}/skipped`)).toBe(report.notTested.length);
});

test('a finding above info fails, one of info passes with its text as output', async () => {
  const report = await badChain();
  const pieces = readXml(renderJunit(report));
  expect(count(pieces, `${casePath}/failure`)).toBe(
    report.findings.filter(({ severity }) => severity !== 'info').length,
  );
  expect(count(pieces, `${casePath}/system-out`)).toBe(
    report.findings.filter(({ severity }) => severity === 'info').length,
  );
  expect(attribute(pieces, `${casePath}/failure@message`)).toBe('The chain leaves HTTPS');
});

test('a failure tells detail, evidence, fix and reference', async () => {
  const text = attribute(readXml(renderJunit(await badChain())), `${casePath}/failure #text`);
  expect(text).toMatch(/^Hop 2 sends the visitor/);
  expect(text).toContain('\nEvidence:\n  - Hop: 2, From: https://a.test/, To: http://b.test/x?y=1\n');
  expect(text).toContain('\nFix: Redirect to the https:// address.\n');
  expect(text).toContain('\nSee: RFC 9110 §4.2.2 https://www.rfc-editor.org/rfc/rfc9110.html#section-4.2.2');
});

test('a run of ours that could not end is an error, not a pass', () => {
  const pieces = readXml(renderJunit(failed()));
  expect(count(pieces, `${casePath}/error`)).toBe(1);
  expect(count(pieces, `${casePath}/failure`)).toBe(0);
});

test('a target that was not checked is one case with an error', () => {
  const unchecked = { check: 'dns-check', target: '<a>', code: 'invalid_request', why: 'a "b" & <c>\u0000' };
  const pieces = readXml(junitOfUnchecked(unchecked));
  expect(count(pieces, casePath)).toBe(1);
  expect(attribute(pieces, 'testsuites/testsuite@errors')).toBe('1');
  expect(attribute(pieces, 'testsuites/testsuite@name')).toBe('dns-check <a>');
  expect(attribute(pieces, `${casePath}/error@message`)).toBe('a "b" & <c>␀');
});
