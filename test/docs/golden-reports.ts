import { readFileSync } from 'node:fs';
import type { CheckName } from '#shared/catalogue/registry';
import type { Json } from '#shared/model/verdict';
import { type FormatName, renderReport } from '#shared/render/formats';
import { findCheck } from '../../worker/checks/registry.ts';
import { judge } from '../../worker/run/judge.ts';

/** Where the whole reports are. */
export const goldenFolder = 'test/fixtures/golden';

/** One fixture of evidence for each check: one that breaks some rules and leaves some untested. */
const fixtures: { readonly [check in CheckName]: { readonly target: string; readonly file: string } } = {
  'dns-check': { target: 'expired.test', file: 'expired.test.json' },
  'security-header-check': { target: 'https://site.test/', file: 'poor.json' },
  'pagespeed-check': { target: 'http://a.test/', file: 'evidence.json' },
  'domain-health': { target: 'a.test', file: 'poor.json' },
  'redirect-check': { target: 'http://a.test/', file: 'upgrade.json' },
  'smtp-check': { target: 'a.test', file: 'poor.json' },
  'ssl-check': { target: 'a.test', file: 'nginx-defaults-rsa.json' },
};

/** Two checks stand for all in the formats that are made of any report: one that is made of five parts, and one of a single run. */
const formatsOf = (name: string): readonly FormatName[] =>
  name === 'domain-health' || name === 'ssl-check' ? ['json', 'html', 'sarif', 'md'] : ['json'];

/** A whole report of each check as JSON, of some in other formats too: path in the project → its text. The clock and the id are fixed. */
export async function makeGoldenReports(): Promise<readonly (readonly [path: string, text: string])[]> {
  const made = Object.entries(fixtures).map(async ([name, { target, file }]) => {
    const check = await findCheck(name);
    if (!check) throw new Error(`${name} is no check`);
    const evidence = JSON.parse(readFileSync(`test/fixtures/${name}/${file}`, 'utf8')) as Json;
    const report = judge(check, {
      v: 1,
      check: name,
      target,
      options: {},
      reportId: '01234567-89ab-7cde-8f01-23456789abcd',
      checkedAtMs: Date.parse('2026-11-21T03:00:00Z'),
      durationMs: 1234,
      freshForS: null,
      keepForS: null,
      evidence,
    });
    return formatsOf(name).map((format) => {
      const { extension, text } = renderReport(report, format);
      return [`${goldenFolder}/${name}.${extension}`, text] as const;
    });
  });
  return (await Promise.all(made)).flat();
}
