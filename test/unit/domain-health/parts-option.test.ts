import { describe, expect, test } from 'vitest';
import { visitQuestions } from '#shared/catalogue/domain-health/sources';
import { domainHealth } from '#shared/catalogue/domain-health/spec';
import { readOptions } from '#shared/catalogue/read-options';
import type { Job } from '#shared/model/job';
import { costOf } from '#shared/settings/offered';
import { toolUrl } from '../../../api/tools/later.ts';

const read = (parts: readonly string[]) => readOptions(domainHealth, { parts });

describe('parts', () => {
  test.for([
    [['ssl', 'dns'], { parts: ['dns', 'ssl'] }],
    [['mail,dns', 'dns'], { parts: ['dns', 'mail'] }],
    [['mail,performance,headers,ssl,dns'], { parts: ['dns', 'ssl', 'headers', 'performance', 'mail'] }],
  ] as const)('%j are one question with its canonical order: %j', ([given, options]) => {
    expect(read(given)).toEqual({ options });
  });

  test.for([['dns,'], ['DNS'], ['tls'], ['dns;ssl'], ['dns ssl']])('%s is refused', ([text = '']) => {
    expect(read([text])).toHaveProperty('issues');
  });

  test('an empty list is refused', () => {
    expect(read([])).toHaveProperty('issues');
  });

  test.for([
    [[], 5],
    [['dns'], 1],
    [['dns,mail'], 2],
    [['dns,ssl,headers,mail'], 4],
    [['performance'], 5],
    [['dns,performance'], 5],
  ] as const)('%j cost %i', ([given, cost]) => {
    const options = given.length === 0 ? { options: {} } : read(given);
    expect(domainHealth.cost('options' in options ? options.options : {})).toBe(cost);
  });

  test.for([
    [[], [], 5],
    [['dns,ssl'], [], 2],
    [['mail'], ['smtp-check'], 3],
    [['performance,mail'], ['smtp-check'], 7],
    [['mail,performance,headers,ssl,dns'], ['smtp-check'], 7],
  ] as const)('%j ask %j too, and cost %i where mail hosts are talked to', ([given, others, cost]) => {
    const asked = given.length === 0 ? { options: {} } : read(given);
    const options = 'options' in asked ? asked.options : {};
    expect(domainHealth.asksToo(options).map(({ name }) => name)).toEqual(others);
    expect(costOf(() => true, domainHealth, options)).toBe(cost);
    expect(costOf(() => false, domainHealth, options)).toBe(domainHealth.cost(options));
  });

  test('links have them with commas', () => {
    const job = { check: 'domain-health', target: 'a.test', options: { parts: ['dns', 'mail'] } };
    expect(toolUrl(job as unknown as Job, '')).toBe('/api/tools/domain-health/a.test?parts=dns,mail');
  });

  test.for([
    [['dns'], ['dns-check']],
    [['mail'], ['dns-check']],
    [['ssl'], ['ssl-check', 'redirect-check']],
    [
      ['headers', 'mail'],
      ['dns-check', 'security-header-check', 'redirect-check'],
    ],
    [['performance'], ['redirect-check']],
  ] as const)('for %j a visit asks %j', ([parts, checks]) => {
    const asked = visitQuestions('a.test', 'a.test', parts).map(({ spec }) => spec.name);
    expect([...new Set(asked)]).toEqual(checks);
  });
});
