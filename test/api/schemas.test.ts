// The JSON Schema of each report, as somebody who stores reports uses it.
import { readFileSync } from 'node:fs';
import Ajv2020 from 'ajv/dist/2020.js';
import { afterAll, expect, test } from 'vitest';
import { catalogue } from '#shared/catalogue/registry';
import { openService } from './kit.ts';

const service = await openService({ settings: { AUTH_MODE: 'token' } });
afterAll(() => service.close());

const golden = (check: string) =>
  JSON.parse(readFileSync(`test/fixtures/golden/${check}.json`, 'utf8')) as Record<string, unknown>;

test.for(catalogue.map(({ name }) => name))(
  'the schema of %s is open to all, takes its reports and no others',
  async (check) => {
    const answer = await service.get(`/schemas/${check}/1.json`);
    expect(answer).toMatchObject({
      status: 200,
      body: { $id: `/schemas/${check}/1.json`, properties: { check: { const: check } } },
    });
    const ajv = new Ajv2020.default({ formats: { 'date-time': true, uri: true }, allErrors: true });
    const validate = ajv.compile(answer.body);
    const report = golden(check);
    expect([validate(report), validate.errors]).toEqual([true, null]);
    // A later version of the service may say more, everywhere.
    const findings = (report['findings'] as object[]).map((finding) => ({ ...finding, later: 1 }));
    expect([validate({ ...report, findings, later: {} }), validate.errors]).toEqual([true, null]);
    const other = catalogue.find(({ name }) => name !== check)?.name ?? '';
    expect(validate(golden(other))).toBe(false);
    expect(validate({ ...report, check: other })).toBe(false);
    expect(validate({ ...report, schemaVersion: 2 })).toBe(false);
    expect(validate({ ...report, score: 'good' })).toBe(false);
  },
);

test('an unknown check has no schema, and the answer names those that have one', async () => {
  const answer = await service.get('/schemas/dns/1.json');
  expect(answer).toMatchObject({ status: 404, body: { code: 'not_found' } });
  expect(answer.body['detail']).toContain('dns-check');
  expect((await service.get('/schemas/dns-check/2.json')).status).toBe(404);
});

test('a schema has a tag, so that it is not sent twice', async () => {
  const { headers } = await service.get('/schemas/ssl-check/1.json');
  const known = { 'if-none-match': String(headers['etag']) };
  expect((await service.get('/schemas/ssl-check/1.json', known)).status).toBe(304);
});
