import { dnsCheck } from '#shared/catalogue/dns-check/spec';
import { type CategoryName, categoryNames } from '#shared/catalogue/domain-health/weights';
import { pagespeedCheck } from '#shared/catalogue/pagespeed-check/spec';
import { redirectCheck } from '#shared/catalogue/redirect-check/spec';
import { securityHeaderCheck } from '#shared/catalogue/security-header-check/spec';
import { smtpCheck } from '#shared/catalogue/smtp-check/spec';
import { sslCheck } from '#shared/catalogue/ssl-check/spec';
import type { HealthEvidence, Source } from '#shared/health/evidence';
import type { Report } from '#shared/model/report';
import { cases } from '../domain-health/cases.ts';
import { failedRun, redirect } from '../domain-health/parts.ts';
import { failed } from '../redirect-check/chain.ts';
import type { Lost, Sight } from './lost.ts';

const specs = {
  dns: dnsCheck,
  ssl: sslCheck,
  headers: securityHeaderCheck,
  performance: pagespeedCheck,
  smtp: smtpCheck,
} as const;
type Name = keyof typeof specs;

/** What dns-check tells of a zone none of whose servers answered. */
function unseenZone(report: Report) {
  const { ns } = report as unknown as { readonly ns: { readonly servers: readonly object[] } };
  const servers = ns.servers.map((server) => ({ ...server, authoritative: null }));
  return { dnsScore: null, mailScore: null, ns: { ...ns, servers } };
}

/** As from a place whose network keeps it from looking. */
function fromElsewhere(source: Source): Source {
  if (!('report' in source)) return source;
  const { report } = source;
  const reason = 'this network lets no connection to port 443 through';
  const untested = [...report.findings.map(({ code }) => code), ...report.passed].map((code) => ({
    code,
    reason,
  }));
  return {
    report: {
      ...report,
      ...(report.check === 'dns-check' ? unseenZone(report) : {}),
      state: 'partial',
      score: null,
      grade: null,
      findings: [],
      passed: [],
      notTested: [...report.notTested, ...untested],
      vantage: { id: 'elsewhere', missing: ['https'] },
    },
  };
}

/** As behind a wall that answers instead of the page. */
function walled(source: Source): Source {
  const away = fromElsewhere(source);
  if (!('report' in away)) return away;
  const { report } = away;
  const finding: Report['findings'][number] = {
    code: 'target-blocks-checks',
    severity: 'medium',
    title: 'Something other than the page answered',
    detail: '',
    scoreEffect: 0,
    evidence: [],
    fix: { text: '' },
    references: [],
  };
  return {
    report: {
      ...report,
      vantage: { id: null, missing: [] },
      findings: [finding],
      notTested: report.notTested.map(({ code }) => ({ code, reason: 'the server blocks this check' })),
    },
  };
}

function withoutParts(evidence: HealthEvidence): Lost<HealthEvidence> {
  const late: Source = { unavailable: 'it did not end in time' };
  const names = (Object.keys(specs) as Name[]).filter((name) => evidence[name] !== undefined);
  const ways = (what: string, lose: (source: Source, url: string) => Source) => [
    ...evidence.redirects.map(
      ({ url }, at) =>
        [
          `${url}: ${what}`,
          {
            ...evidence,
            redirects: evidence.redirects.map((one, place) =>
              place === at ? { url, part: lose(one.part, url) } : one,
            ),
          },
        ] as const,
    ),
    [
      `every way in: ${what}`,
      { ...evidence, redirects: evidence.redirects.map(({ url, part }) => ({ url, part: lose(part, url) })) },
    ] as const,
  ];
  const asked = evidence.parts ?? categoryNames;
  return [
    ...names.flatMap((name) => [
      [`${name}: late`, { ...evidence, [name]: late }] as const,
      [`${name}: failed`, { ...evidence, [name]: failedRun(specs[name], 'a.test') }] as const,
      [`${name}: from elsewhere`, { ...evidence, [name]: fromElsewhere(evidence[name] ?? late) }] as const,
    ]),
    ...(['headers', 'performance'] as const).map(
      (name) => [`${name}: behind a wall`, { ...evidence, [name]: walled(evidence[name]) }] as const,
    ),
    [
      'the site: behind a wall',
      {
        ...evidence,
        headers: walled(evidence.headers),
        performance: walled(evidence.performance),
        redirects: evidence.redirects.map(({ url, part }) => ({ url, part: walled(part) })),
      },
    ],
    ...ways('late', () => late),
    ...ways('failed', () => failedRun(redirectCheck, 'http://a.test/')),
    ...ways('from elsewhere', (_, url) => redirect(failed('not-from-here', url)).part),
    ...asked
      .map(
        (name: CategoryName) =>
          [`${name}: not asked`, { ...evidence, parts: asked.filter((one) => one !== name) }] as const,
      )
      .filter(([, { parts }]) => parts.length > 0),
  ];
}

export function healthSights(): readonly Sight<HealthEvidence>[] {
  return cases.map(({ name, evidence }) => ({ name, evidence, lost: () => withoutParts(evidence) }));
}
