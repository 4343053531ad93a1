import { beforeAll, describe, expect, test } from 'vitest';
import { codesWithLines } from '../../../worker/checks/security-header-check/judge/fixes.ts';
import { hasTool } from '../ssl-check/tools.ts';
import { headerCases, mayFollow, namesServer, trials } from './cases.ts';
import { type SetUpName, setUps } from './set-ups.ts';
import { isAllAtOnce, sitesOf, type Trial, tryLines } from './try-lines.ts';

/** The program of each set-up, and how it tells its version. */
const programs: { readonly [N in SetUpName]?: readonly [name: string, flag: string] } = {
  nginx: ['nginx', '-v'],
  'nginx-fastcgi': ['php-cgi', '-v'],
  php: ['php-cgi', '-v'],
  apache: ['apache2', '-v'],
  'apache-cgi': ['apache2', '-v'],
  caddy: ['caddy', 'version'],
  haproxy: ['haproxy', '-v'],
};

/** What runs beside the other tests; `npm run test:long` tries all. */
const sample: { readonly [N in SetUpName]?: readonly string[] } = {
  nginx: ['hsts-short', 'all-at-once', 'http-not-upgraded'],
  'nginx-fastcgi': ['xcto-invalid'],
  php: ['all-at-once'],
  apache: ['all-at-once', 'http-not-upgraded'],
  'apache-cgi': ['cookie-samesite-invalid'],
  caddy: ['all-at-once'],
  haproxy: ['all-at-once'],
  express: ['all-at-once'],
};
const isLong = process.env['LONG'] !== undefined;

test('each finding that has lines to paste is among those that are tried', () => {
  const tried = new Set<string>(headerCases.map(({ code }) => code));
  expect(codesWithLines.filter((code) => !tried.has(code))).toEqual([]);
});

const names = Object.keys(setUps) as SetUpName[];
describe.for(names.filter((name) => hasTool(...(programs[name] ?? (['node', '-v'] as const)))))(
  'lines that are pasted into %s',
  (setUp) => {
    const sites = sitesOf(setUp).filter(
      ({ host }) => isLong || sample[setUp]?.some((name) => host.startsWith(`${name}-${setUp}.`)),
    );
    let pasted: readonly Trial[] = [];
    beforeAll(async () => {
      pasted = await tryLines(setUp, sites);
    }, 120_000);

    test.for(sites.map(({ host }, at) => [host.split('.')[0], at] as const))('%s', ([, at]) => {
      const trial = pasted[at];
      expect(trial).toMatchObject({ after: { findings: expect.anything() as unknown } });
      if (trial) expectMended(trial);
    });
  },
);

const above = ({ findings }: Trial['before']) =>
  findings.flatMap(({ code, severity }) => (severity === 'info' ? [] : [code]));

function expectMended({ before, after, site }: Trial): void {
  const { code } = site.one;
  expect(before.findings.map((finding) => finding.code)).toContain(code);
  const mended = trials.has(code) || namesServer.has(code) ? [] : [code];
  const left = new Set(after?.findings.map((finding) => finding.code));
  expect(mended.filter((each) => left.has(each))).toEqual([]);
  const known = new Set(isAllAtOnce(site) ? [] : above(before));
  const fresh = above(after ?? before).filter((other) => !known.has(other));
  expect(fresh).toEqual(mayFollow[code]?.filter((other) => !known.has(other)) ?? []);
  expect(after?.score).toBeGreaterThanOrEqual(before.score ?? 0);
}
