import { afterAll, expect, test } from 'vitest';
import { catalogue } from '#shared/catalogue/registry';
import { checkFailed } from '#shared/model/report';
import { openService } from './kit.ts';

type Listed = { readonly code: string; readonly check: string; readonly severity: string };

const service = await openService({});
afterAll(() => service.close());

async function list(path: string) {
  const { status, body } = await service.get(path);
  return {
    status,
    findings: body['findings'] as unknown as readonly (Listed & { readonly why: string | null })[],
  };
}

test('every rule of every check says why it matters, where it is more than information', async () => {
  const { findings } = await list('/api/findings');
  expect(new Set(findings.map(({ check }) => check))).toEqual(new Set(catalogue.map(({ name }) => name)));
  expect(findings.filter(({ severity, why }) => (severity === 'info') !== (why === null))).toEqual([]);
  const found = findings.find(({ check, code }) => check === 'ssl-check' && code === 'certificate-expired');
  expect(found?.why).toMatch(/^Visitors see /);
});

test.for(catalogue)('?check=$name lists the rules of that check', async ({ name, rules }) => {
  const { status, findings } = await list(`/api/findings?check=${name}`);
  expect(status).toBe(200);
  expect(findings.map(({ code }) => code)).toEqual([...Object.keys(rules), checkFailed.code]);
  expect(findings.every(({ check }) => check === name)).toBe(true);
});

test.for(['nothing', '__proto__', 'DNS-CHECK', 'domain-visit'])(
  '?check=%s is 400, and names the parameter and the checks',
  async (name) => {
    expect(await service.get(`/api/findings?check=${name}`)).toMatchObject({
      status: 400,
      body: {
        code: 'invalid_request',
        errors: [{ in: 'query', name: 'check', detail: expect.stringContaining('dns-check, ') as string }],
      },
    });
  },
);

test('what is no parameter, empty or repeated is 400', async () => {
  for (const query of ['tool=dns-check', 'check=', 'check=dns-check&check=ssl-check'])
    expect([query, (await service.get(`/api/findings?${query}`)).status]).toEqual([query, 400]);
});
