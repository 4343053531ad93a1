import { Ajv } from 'ajv';
import { expect, test } from 'vitest';
import type { Report } from '#shared/model/report';
import { severities } from '#shared/model/verdict';
import { artifactUri, renderSarif, sarifOfUnchecked } from '#shared/render/sarif';
import { hostileStrings } from '../../fixtures/render/hostile-strings.ts';
import { badChain, failed, goodChain, reportOf, unreachable } from './reports.ts';

const text = { type: 'string', minLength: 1 };
const message = {
  type: 'object',
  required: ['text'],
  additionalProperties: false,
  properties: { text, markdown: text },
};
const open = { type: 'object' };
const closed = (required: readonly string[], properties: object) => ({
  type: 'object',
  required,
  additionalProperties: false,
  properties,
});
const list = (items: object) => ({ type: 'array', items });
const level = { enum: ['none', 'note', 'warning', 'error'] };
/** A reference without scheme and authority that names something (RFC 3986 §4.2). */
const relativeUri = {
  type: 'string',
  pattern: "^(?![a-zA-Z][a-zA-Z0-9+.-]*:|/|\\.{0,2}(?:/|$))(?:[\\w\\-.~!$&'()*+,;=:@/]|%[0-9A-Fa-f]{2})+$",
};

/** What of SARIF 2.1.0 we write, with what code scanning asks of it beside the standard. */
const sarifSchema = closed(['$schema', 'version', 'runs'], {
  $schema: { type: 'string', format: 'uri' },
  version: { const: '2.1.0' },
  runs: list(
    closed(['tool', 'results'], {
      tool: closed(['driver'], {
        driver: closed(['name', 'rules'], {
          name: text,
          rules: list(
            closed(
              ['id', 'shortDescription', 'fullDescription', 'help', 'defaultConfiguration', 'properties'],
              {
                id: text,
                shortDescription: message,
                fullDescription: message,
                help: message,
                helpUri: { type: 'string', pattern: '^https?://[^\\s<>"]+$' },
                defaultConfiguration: closed(['level'], { level }),
                properties: closed(['tags'], {
                  tags: { type: 'array', uniqueItems: true, items: text },
                  'security-severity': { type: 'string', pattern: '^(?:\\d|10)\\.\\d$' },
                }),
              },
            ),
          ),
        }),
      }),
      automationDetails: closed(['id'], { id: text }),
      invocations: list(
        closed(['executionSuccessful'], {
          executionSuccessful: { type: 'boolean' },
          toolExecutionNotifications: list(
            closed(['message'], { descriptor: closed(['id'], { id: text }), level, message }),
          ),
        }),
      ),
      results: list(
        closed(
          [
            'ruleId',
            'ruleIndex',
            'kind',
            'level',
            'message',
            'locations',
            'partialFingerprints',
            'properties',
          ],
          {
            ruleId: text,
            ruleIndex: { type: 'integer', minimum: 0 },
            kind: { const: 'fail' },
            level,
            message,
            locations: {
              type: 'array',
              minItems: 1,
              items: closed(['physicalLocation'], {
                physicalLocation: closed(['artifactLocation', 'region'], {
                  artifactLocation: closed(['uri'], { uri: relativeUri }),
                  region: closed(['startLine'], { startLine: { const: 1 } }),
                }),
                logicalLocations: list(
                  closed(['fullyQualifiedName'], { fullyQualifiedName: text, kind: { const: 'resource' } }),
                ),
              }),
            },
            partialFingerprints: {
              type: 'object',
              required: ['primaryLocationLineHash'],
              additionalProperties: { type: 'string', pattern: '^[0-9a-f]{16,64}(:1)?$' },
            },
            properties: open,
          },
        ),
      ),
      columnKind: { const: 'utf16CodeUnits' },
      properties: open,
    }),
  ),
});
const isSarif = new Ajv({ strict: false, validateFormats: false }).compile(sarifSchema);

type Log = {
  readonly runs: readonly [
    {
      readonly tool: {
        readonly driver: { readonly rules: readonly { readonly id: string; readonly properties: object }[] };
      };
      readonly invocations: readonly [
        { readonly executionSuccessful: boolean; readonly toolExecutionNotifications: readonly unknown[] },
      ];
      readonly results: readonly {
        readonly ruleId: string;
        readonly ruleIndex: number;
        readonly level: string;
        readonly message: { readonly text: string };
        readonly partialFingerprints: object;
      }[];
    },
  ];
};

function runOf(report: Report): Log['runs'][0] {
  const log: unknown = JSON.parse(renderSarif(report));
  expect(isSarif(log) || isSarif.errors).toBe(true);
  return (log as Log).runs[0];
}

test.for([
  { name: 'a bad chain', make: badChain },
  { name: 'a good chain', make: goodChain },
  { name: 'an unreachable target', make: unreachable },
  { name: 'a failed run', make: failed },
  { name: 'every shape', make: () => reportOf((place) => `p ${place}`) },
])('$name is valid, and each result has its rule', async ({ make }) => {
  const report = await make();
  const { results, tool, invocations } = runOf(report);
  expect(results.map(({ ruleId }) => ruleId)).toEqual(report.findings.map(({ code }) => code));
  expect(results.map(({ ruleIndex }) => tool.driver.rules[ruleIndex]?.id)).toEqual(
    report.findings.map(({ code }) => code),
  );
  expect(invocations[0].executionSuccessful).toBe(report.state !== 'failed');
  expect(invocations[0].toolExecutionNotifications).toHaveLength(report.notTested.length);
});

test('hostile text makes no invalid document', () => {
  for (let round = 0; round < hostileStrings.length; round += 7) {
    const report = reportOf((place) => hostileStrings[(round + place) % hostileStrings.length] ?? '');
    expect(runOf(report).results).toHaveLength(severities.length);
  }
});

test('severities have the levels and numbers that code scanning names them by', () => {
  const { results, tool } = runOf(reportOf((place) => `p${place}`));
  expect(results.map(({ level: given }) => given)).toEqual(['error', 'error', 'warning', 'note', 'note']);
  const numbers = tool.driver.rules.map(
    ({ properties }) => (properties as { 'security-severity'?: string })['security-severity'],
  );
  expect(numbers).toEqual(['9.5', '8.0', '5.5', '2.5', undefined]);
  expect(results).toHaveLength(severities.length);
});

test('a fingerprint stays when what was seen changes, and differs between targets', async () => {
  const report = await badChain();
  const printsOf = (given: Report) =>
    runOf(given).results.map(({ partialFingerprints }) => partialFingerprints);
  const later = {
    ...report,
    checkedAt: '2026-12-01T00:00:00.000Z',
    findings: report.findings.map((finding) => ({ ...finding, evidence: [], detail: 'x' })),
  };
  expect(printsOf(later)).toEqual(printsOf(report));
  expect(printsOf({ ...report, target: { url: 'http://c.test/' } })).not.toEqual(printsOf(report));
  expect(new Set(printsOf(report).map((print) => JSON.stringify(print))).size).toBe(report.findings.length);
});

test('a message hides nothing and stays in its line', () => {
  const [first] = runOf(reportOf((place) => `a\u202e${place}\r\nb`)).results;
  expect(first?.message.text).toMatch(/^a⟨U\+202E⟩10␍␊b\. Before a⟨U\+202E⟩11␍␊b after\.\nEvidence:\n/);
});

test('a message holds no link and no placeholder', () => {
  const hostile = reportOf((place) => `[click](https://evil.test/${place}) {0}`);
  for (const { message: given } of runOf(hostile).results) expect(given.text).not.toMatch(/\]\(|\{\d/);
});

test.for([
  { target: { domain: 'example.com' }, uri: 'example.com' },
  { target: { url: 'https://example.com/' }, uri: 'example.com/' },
  { target: { url: 'https://example.com/a/b?c=d#e' }, uri: 'example.com/a/b' },
  { target: { url: 'http://example.com:8080/a' }, uri: 'example.com%3A8080/a' },
  { target: { url: 'https://[2001:db8::1]/a' }, uri: '%5B2001%3Adb8%3A%3A1%5D/a' },
  { target: { url: 'https://example.com/a/../../b' }, uri: 'example.com/b' },
  { target: { url: 'https://example.com/a|b[c]%zz"' }, uri: 'example.com/a%7Cb%5Bc%5D%25zz%22' },
  { target: { url: 'javascript:alert(1)' }, uri: 'javascript%3Aalert%281%29' },
  { target: { url: '..' }, uri: 'target%2E%2E' },
  { target: { url: '' }, uri: 'target' },
  { target: { other: 'x' }, uri: '%7B%22other%22%3A%22x%22%7D' },
])('the location of $target is $uri', ({ target, uri }) => {
  expect(artifactUri({ ...reportOf(String), target })).toBe(uri);
});

test('a target that was not checked is a failed run with a notification, and no result', () => {
  const why = 'no [link](http://a.test/) {0}\u202e';
  const text = sarifOfUnchecked({ check: 'dns-check', target: 'a b', code: 'invalid_request', why });
  const log = JSON.parse(text) as Log;
  isSarif(log);
  expect(isSarif.errors).toBeNull();
  expect(log.runs).toMatchObject([
    {
      invocations: [
        {
          executionSuccessful: false,
          toolExecutionNotifications: [
            { message: { text: 'a b was not checked: no [link] (http://a.test/) { 0}⟨U+202E⟩' } },
          ],
        },
      ],
      results: [],
    },
  ]);
});
