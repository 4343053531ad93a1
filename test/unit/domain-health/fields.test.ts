import { describe, expect, test } from 'vitest';
import { mailRules } from '#shared/catalogue/dns-check/mail/rules';
import { dnsCheck as dnsSpec } from '#shared/catalogue/dns-check/spec';
import type { HealthFields } from '#shared/catalogue/domain-health/report';
import { rules } from '#shared/catalogue/domain-health/rules';
import { domainHealth } from '#shared/catalogue/domain-health/spec';
import { findSpec } from '#shared/catalogue/registry';
import { sslCheck } from '#shared/catalogue/ssl-check/spec';
import { assessHealth } from '#shared/health/assess';
import type { HealthEvidence } from '#shared/health/evidence';
import { readPrevious } from '#shared/health/facts/previous';
import { makeReport, type Report } from '#shared/model/report';
import { chain, failed } from '../redirect-check/chain.ts';
import {
  at,
  dns,
  dnsFields,
  evidence,
  failedRun,
  goodRedirects,
  headers,
  performance,
  redirect,
  ssl,
  sslAway,
} from './parts.ts';

const mailCodes = Object.keys(mailRules);
const dnsCodes = Object.keys(dnsSpec.rules).filter((code) => !mailCodes.includes(code));
const fieldsOf = (change: Partial<HealthEvidence> = {}) =>
  assessHealth(evidence(change)).fields as HealthFields;

describe('a category', () => {
  test('says which report it comes from, and where that is had', () => {
    const { categories } = fieldsOf();
    expect(categories.dns.report).toEqual({
      check: 'dns-check',
      target: 'a.test',
      href: '/api/tools/dns-check/a.test',
      reportId: 'dns-check-1',
      checkedAt: '2026-11-21T03:00:00.000Z',
      rulesVersion: dnsSpec.rulesVersion,
    });
    expect(categories.headers.report.href).toBe(
      '/api/tools/security-header-check?url=https%3A%2F%2Fa.test%2F',
    );
  });
  test('that was not had still says where to ask', () => {
    const { report, summary, reason } = fieldsOf({
      performance: { unavailable: 'no browser worker is running' },
    }).categories.performance;
    expect(report).toEqual({
      check: 'pagespeed-check',
      target: 'https://a.test/',
      href: '/api/tools/pagespeed-check?url=https%3A%2F%2Fa.test%2F',
    });
    expect({ summary, reason }).toEqual({ summary: null, reason: 'no browser worker is running' });
  });
  test('that was not had links to the host and the page that were asked', () => {
    const away = { unavailable: 'it did not end in time' };
    const { ssl, headers, performance } = fieldsOf({
      webHost: 'www.a.test',
      pageUrl: 'http://www.a.test/',
      ssl: away,
      headers: away,
      performance: away,
    }).categories;
    expect([ssl, headers, performance].map(({ report }) => report.target)).toEqual([
      'www.a.test',
      'https://www.a.test/',
      'http://www.a.test/',
    ]);
  });
  test('of a run that failed links to that report, and counts nothing of it', () => {
    const { report, summary, reason } = fieldsOf({ ssl: failedRun(sslCheck, 'a.test') }).categories.ssl;
    expect({ id: report.reportId, summary, reason }).toEqual({
      id: 'ssl-check-1',
      summary: null,
      reason: 'the check could not be finished: “The run hit its limit of 20 s.”',
    });
  });
  test('links to what was really asked: a site without https is measured over http', () => {
    const part = performance({ target: 'http://a.test/' });
    expect(fieldsOf({ performance: part }).categories.performance.report).toMatchObject({
      target: 'http://a.test/',
      href: '/api/tools/pagespeed-check?url=http%3A%2F%2Fa.test%2F',
    });
  });
  test('has no report id where the operator has switched ids off', () => {
    const part = ssl();
    if ('unavailable' in part) throw new Error('there is a report');
    const { reportId: _reportId, ...report } = part.report;
    expect(fieldsOf({ ssl: { report } }).categories.ssl.report).not.toHaveProperty('reportId');
  });
  test('DNS and mail share a report, and each counts its own rules', () => {
    const { dns: names, mail } = fieldsOf({
      dns: dns({ broken: ['ns-silent', 'caa-iodef-invalid', 'spf-missing'], unseen: ['dmarc-missing'] }),
    }).categories;
    expect([names.codes, names.summary, names.score]).toEqual([
      ['caa-iodef-invalid', 'ns-silent'],
      { critical: 0, high: 1, medium: 0, low: 1, info: 0, passed: dnsCodes.length - 2, notTested: 0 },
      69,
    ]);
    expect([mail.codes, mail.summary, mail.score]).toEqual([
      ['spf-missing'],
      { critical: 0, high: 1, medium: 0, low: 0, info: 0, passed: mailCodes.length - 2, notTested: 1 },
      72,
    ]);
    expect([names.report, mail.report].map(({ href }) => href)).toEqual([
      '/api/tools/dns-check/a.test',
      '/api/tools/dns-check/a.test',
    ]);
  });
});

describe('the worst findings', () => {
  test('are ordered by severity, then by what they take from the domain', () => {
    const { worstFindings } = fieldsOf({
      dns: dns({ broken: ['spf-missing', 'ns-lame', 'caa-iodef-invalid'] }),
      ssl: ssl({ broken: ['certificate-expired'] }),
      headers: headers({ broken: ['csp-report-uri-only'] }),
    });
    const shown = worstFindings.map(({ category, code, severity }) => `${severity} ${category} ${code}`);
    expect(shown).toEqual([
      'critical ssl certificate-expired',
      'high dns ns-lame',
      'high mail spf-missing',
      'low dns caa-iodef-invalid',
    ]);
  });
  test('take from the domain what they take from their part, by its weight', () => {
    const { worstFindings } = fieldsOf({ dns: dns({ broken: ['ns-lame'] }) });
    // 30 of dnsScore, of which the weight is 20 of 100.
    expect(worstFindings[0]?.scoreEffect).toBe(-6);
  });
  test('take more where another part is missing', () => {
    const { worstFindings } = fieldsOf({
      dns: dns({ broken: ['ns-lame'] }),
      ssl: { unavailable: 'it did not end in time' },
    });
    expect(worstFindings[0]?.scoreEffect).toBe(-8);
  });
  test('that are the whole reason of a 0 take all of the part', () => {
    const { worstFindings } = fieldsOf({
      ssl: sslAway('connection-refused'),
      redirects: [
        redirect(chain('http://a.test/')),
        redirect(failed('connection-refused', 'https://a.test/')),
      ],
    });
    expect(worstFindings).toMatchObject([{ category: 'ssl', code: 'connection-refused', scoreEffect: -25 }]);
  });
  test('are ten at most, and those that only inform are none of them', () => {
    const all = Object.keys(sslCheck.rules).filter((code) => !code.startsWith('port-'));
    const { worstFindings } = fieldsOf({ ssl: ssl({ broken: all }) });
    expect(worstFindings).toHaveLength(10);
    expect(
      fieldsOf({ ssl: ssl({ broken: ['certificate-timestamps-few', 'caa-missing'] }) }).worstFindings,
    ).toHaveLength(
      ['certificate-timestamps-few', 'caa-missing'].filter(
        (code) => findSpec('ssl-check')?.rules[code]?.severity !== 'info',
      ).length,
    );
  });
});

describe('the caps', () => {
  test('stand with the strictest first, and each says its category and why', () => {
    const { caps, gradeBeforeCaps } = fieldsOf({
      dns: dns(
        { broken: ['dmarc-missing', 'dnssec-bogus'] },
        { dnssec: { ...dnsFields.dnssec, status: 'bogus' } },
      ),
      performance: performance({ score: 40 }),
      headers: headers({ score: 65 }),
    });
    expect(gradeBeforeCaps).toBe('D');
    expect(caps.map(({ code, limit, category }) => [code, limit, category])).toEqual([
      ['dnssec-bogus', 'F', 'dns'],
      ['category-failed', 'C', 'dns'],
      ['category-failed', 'C', 'performance'],
      ['dmarc-missing', 'B', 'mail'],
      ['category-poor', 'B', 'headers'],
    ]);
    expect(caps[2]?.reason).toBe('Speed has only 40 of 100 points.');
  });
  test('of one category are told once, though the evidence has more', () => {
    const { caps } = fieldsOf({ ssl: ssl({ broken: ['certificate-expired', 'certificate-name-mismatch'] }) });
    expect(caps.map(({ code }) => code)).toEqual(['ssl-failed']);
  });
  test('bring the fix of the part that found it', () => {
    const { verdicts } = assessHealth(evidence({ dns: dns({ broken: ['spf-all-pass'] }) }));
    expect(verdicts['spf-all-pass']).toMatchObject({ fix: { text: 'End the record with -all or ~all.' } });
  });
});

describe('an entry point', () => {
  test('says where it ends, and over how many redirects', () => {
    expect(fieldsOf().entryPoints[2]).toMatchObject({
      url: 'http://www.a.test/',
      finalUrl: 'https://a.test/',
      finalStatus: 200,
      redirects: 2,
      ended: 'ok',
      https: true,
      state: 'ok',
      report: { check: 'redirect-check', href: '/api/tools/redirect-check?url=http%3A%2F%2Fwww.a.test%2F' },
    });
  });
  test('that was not seen says nothing but why', () => {
    const redirects = [{ url: 'http://a.test/', part: { unavailable: 'it did not end in time' } }];
    expect(fieldsOf({ redirects }).entryPoints).toMatchObject([
      {
        finalUrl: null,
        finalStatus: null,
        redirects: null,
        ended: null,
        https: null,
        state: 'unknown',
        reason: 'it did not end in time',
      },
    ]);
  });
  const distrusted = { tls: { protocol: 'TLSv1.3', trusted: false, error: 'CERT_HAS_EXPIRED' } };
  test('behind a certificate that browsers refuse is not ok, and says who tells of it', () => {
    const redirects = [
      redirect(chain('http://a.test/', ['https://a.test/', distrusted])),
      redirect(chain(['https://a.test/', distrusted])),
    ];
    const seen = evidence({ ssl: ssl({ broken: ['certificate-expired'] }), redirects });
    expect(fieldsOf({ ssl: seen.ssl, redirects }).entryPoints).toMatchObject([
      {
        ended: 'ok',
        state: 'invalid',
        reason: 'browsers refuse the certificate at https://a.test/ (CERT_HAS_EXPIRED), as ssl-failed tells',
      },
      { ended: 'ok', state: 'invalid' },
    ]);
    expect(assessHealth(seen).verdicts['entry-point-certificate-not-trusted']).toBe('not-applicable');
  });
  test('behind one that ssl-check did not see, is told by a rule of its own', () => {
    const redirects = [redirect(chain(['https://a.test/', distrusted]))];
    const seen = evidence({ ssl: { unavailable: 'it did not end in time' }, redirects });
    expect(fieldsOf({ ssl: seen.ssl, redirects }).entryPoints).toMatchObject([
      { state: 'invalid', reason: 'browsers refuse the certificate at https://a.test/ (CERT_HAS_EXPIRED)' },
    ]);
    expect(assessHealth(seen).verdicts['entry-point-certificate-not-trusted']).toMatchObject({
      broken: [{ url: 'https://a.test/', at: 'https://a.test/', reason: 'CERT_HAS_EXPIRED' }],
    });
  });
  test('with such a certificate and an error page says both', () => {
    const redirects = [redirect(chain(['https://a.test/', { ...distrusted, status: 500 }]))];
    expect(fieldsOf({ redirects }).entryPoints[0]).toMatchObject({
      state: 'invalid',
      reason: expect.stringMatching(/^it ends with status 500; browsers refuse the certificate/),
    });
  });
  test('at which nobody answers is missing', () => {
    const redirects = [redirect(failed('connection-refused', 'http://a.test/')), ...goodRedirects().slice(1)];
    expect(fieldsOf({ redirects }).entryPoints[0]).toMatchObject({ state: 'missing', ended: 'unreachable' });
  });
});

function reportOf(seen: HealthEvidence, rulesVersion = domainHealth.rulesVersion): Report {
  const assessment = assessHealth(seen);
  const facts = {
    check: 'domain-health',
    target: { domain: 'a.test' },
    rules,
    rulesVersion,
    reportId: 'before',
    checkedAtMs: at - 86_400_000,
    durationMs: 1,
    freshForS: 300,
    keepForS: 3600,
  };
  const report = { ...makeReport(facts, assessment), grade: assessment.grade };
  return JSON.parse(JSON.stringify(report)) as Report;
}

const trendAfter = (before: Report, change: Partial<HealthEvidence> = {}) =>
  fieldsOf({ ...change, previous: readPrevious(before) }).trend;

describe('the trend', () => {
  test('tells what was won, what is new and what is mended, category by category', () => {
    const before = reportOf(
      evidence({ dns: dns({ broken: ['dmarc-missing'] }), ssl: ssl({ broken: ['hsts-short'] }) }),
    );
    const trend = trendAfter(before, {
      ssl: ssl({ broken: ['hsts-short', 'certificate-expired'] }),
      performance: performance({ score: 90 }),
    });
    expect(trend).toEqual({
      previousAt: '2026-11-20T03:00:00.000Z',
      previousReportId: 'before',
      scoreDelta:
        (assessHealth(
          evidence({
            ssl: ssl({ broken: ['hsts-short', 'certificate-expired'] }),
            performance: performance({ score: 90 }),
          }),
        ).score ?? 0) - (before.score ?? 0),
      gradeBefore: 'B',
      categories: { dns: 0, ssl: -80, headers: 0, performance: -8, mail: 28 },
      newFindings: [
        { category: 'ssl', code: 'certificate-expired' },
        { category: 'health', code: 'ssl-failed' },
      ],
      fixedFindings: [
        { category: 'mail', code: 'dmarc-missing' },
        { category: 'health', code: 'dmarc-missing' },
      ],
    });
  });
  test('of nothing changed is empty, not absent', () => {
    expect(trendAfter(reportOf(evidence()))).toMatchObject({
      scoreDelta: 0,
      newFindings: [],
      fixedFindings: [],
    });
  });
  test('leaves out the id of a report that has none', () => {
    const { reportId: _reportId, ...before } = reportOf(evidence());
    expect(trendAfter(before)).not.toHaveProperty('previousReportId');
  });

  const silent = [
    ['there is no report before', null],
    ['the rules have changed', readPrevious(reportOf(evidence(), domainHealth.rulesVersion + 1))],
    ['a part was missing then', readPrevious(reportOf(evidence({ ssl: { unavailable: 'it was late' } })))],
    [
      'the rules of a part have changed',
      readPrevious(reportOf(evidence({ ssl: ssl({ rulesVersion: 999 }) }))),
    ],
  ] as const;
  test.for(silent)('is not told where %s', ([, previous]) => {
    expect(fieldsOf({ previous })).not.toHaveProperty('trend');
  });
  test('is not told where as much is missing, but something else', () => {
    const dnsHalf = { mailScore: null, spf: { ...dnsFields.spf, state: 'unknown' } };
    const before = reportOf(evidence({ dns: dns({ state: 'partial' }, dnsHalf) }));
    const now = { headers: { unavailable: 'it was late' } };
    expect(readPrevious(before)?.coverage).toBe(fieldsOf(now).coverage);
    expect(trendAfter(before, now)).toBeUndefined();
  });
  test('is not taken from a report without a score, nor from one of another check', () => {
    const nothing = { unavailable: 'it was late' };
    const blank = reportOf(evidence({ dns: nothing, ssl: nothing, headers: nothing, performance: nothing }));
    expect(readPrevious(blank)).toBeNull();
    const part = ssl();
    expect('report' in part && readPrevious(part.report)).toBeNull();
  });
});

test('a code of a target’s making is never a key', () => {
  const part = ssl();
  if ('unavailable' in part) throw new Error('there is a report');
  const report = { ...part.report, host: '__proto__', target: { domain: '__proto__' } };
  expect(fieldsOf({ ssl: { report } }).categories.ssl.report.href).toBe('/api/tools/ssl-check/__proto__');
});
