import { findSpec } from '#shared/catalogue/registry';
import type { CheckSpec } from '#shared/catalogue/spec';
import type { Finding } from '#shared/model/finding';
import { makeFailedReport, makeReport, type Report, type ReportFacts } from '#shared/model/report';
import { severities } from '#shared/model/verdict';
import { findCheck } from '../../../worker/checks/registry.ts';
import type { HttpAnswer, HttpProbe } from '../../../worker/probes/http/port.ts';
import type { Probes } from '../../../worker/probes/port.ts';
import { openWork } from '../../../worker/probes/work.ts';

const check = 'redirect-check';
const checkedAtMs = Date.UTC(2026, 10, 21, 3);

function factsOf(url: string): ReportFacts {
  const { rules, rulesVersion } = findSpec(check) as CheckSpec;
  const times = { checkedAtMs, durationMs: 412, freshForS: 300, keepForS: 2_592_000 };
  return {
    check,
    target: { url },
    rules,
    rulesVersion,
    reportId: '0123456789abcdef0123456789abcdef',
    ...times,
  };
}

/** One answer of a made-up internet: its status, the fields it sends, and a page. */
export type Answer = {
  readonly status: number;
  readonly headers?: readonly (readonly [string, string])[];
  readonly page?: string;
};

/** A report of the redirect check itself, over an internet of answers by URL; what is not there does not resolve. */
export async function redirectReport(
  url: string,
  internet: { readonly [url: string]: Answer },
): Promise<Report> {
  const http: HttpProbe = { ask: ({ url: asked }) => Promise.resolve(answerOf(asked, internet[asked])) };
  const found = await findCheck(check);
  if (!found) throw new Error('the redirect check is not registered');
  const evidence = await found.gather({
    target: url,
    options: {},
    probes: { http, work: openWork() } as Probes,
    progress: () => undefined,
  });
  return asStored(makeReport(factsOf(url), found.assess(evidence)));
}

function answerOf(url: string, answer: Answer | undefined): HttpAnswer {
  if (!answer)
    return { kind: 'failure', url, code: 'name-not-found', reason: 'the name does not exist', address: null };
  const { status, headers = [], page = '' } = answer;
  const isSecure = url.startsWith('https:');
  return {
    kind: 'response',
    url,
    status,
    statusText: '',
    httpVersion: '1.1',
    headers: [...headers, ['Content-Type', 'text/html']],
    body: { text: page, wireBytes: page.length, decodedBytes: page.length },
    address: '192.0.2.1',
    tls: isSecure ? { protocol: 'TLSv1.3', trusted: true, error: null } : null,
    timings: {
      wait: 0.1,
      dns: 4.2,
      tcp: 10.5,
      tls: isSecure ? 22.3 : 0,
      ttfb: 31.9,
      download: 1,
      total: 70,
      reused: false,
    },
  };
}

/** A chain with findings of several severities, and one without any above info. */
export const badChain = () =>
  redirectReport('http://a.test/', {
    'http://a.test/': { status: 302, headers: [['Location', 'https://a.test/']] },
    'https://a.test/': { status: 302, headers: [['Location', 'http://b.test/x?y=1']] },
    'http://b.test/x?y=1': { status: 200, page: '<p>hello' },
  });
export const goodChain = () =>
  redirectReport('https://a.test/', {
    'https://a.test/': { status: 200, headers: [['Strict-Transport-Security', 'max-age=63072000']] },
  });
/** The first name does not resolve. */
export const unreachable = () => redirectReport('http://gone.test/', {});
/** A run of ours that hit its limit. */
export const failed = () => makeFailedReport(factsOf('http://slow.test/'), 'The run hit its limit of 20 s.');

/** What reading from the store gives. */
function asStored(report: Report): Report {
  return JSON.parse(JSON.stringify(report)) as Report;
}

/**
 * A report with text in every place that can hold some, as values and as keys: `text(n)` is asked for each place, counted from 0.
 * Shapes as the checks have them: records, hops, header pairs, categories, nested objects.
 */
export function reportOf(text: (place: number) => string): Report {
  let place = 0;
  const next = () => text(place++);
  const entries = (...values: unknown[]) => Object.fromEntries(values.map((value) => [next(), value]));
  const finding = (severity: (typeof severities)[number]): Finding => ({
    code: next(),
    part: next(),
    severity,
    title: next(),
    detail: `Before ${next()} after.`,
    scoreEffect: -12,
    evidence: [entries(next(), 3, [next()]), entries({ deep: next() }), {}],
    fix: {
      text: next(),
      record: { name: next(), type: 'TXT', value: next() },
      snippets: Object.fromEntries([[next(), next()]]),
    },
    references: [
      { title: next(), url: next() },
      { title: next(), url: 'https://www.rfc-editor.org/rfc/rfc9110.html#section-15.4' },
    ],
  });
  const report = {
    schemaVersion: 1,
    reportId: next(),
    check: next(),
    target: { url: next(), ...entries(next()) },
    state: 'partial',
    checkedAt: next(),
    freshUntil: next(),
    expiresAt: next(),
    durationMs: 412,
    score: 62,
    grade: 'D',
    rulesVersion: 3,
    summary: { critical: 1, high: 1, medium: 1, low: 1, info: 1, passed: 2, notTested: 1 },
    findings: severities.map(finding),
    passed: [next(), next()],
    notTested: [{ code: next(), reason: next() }],
    hops: [
      {
        url: next(),
        status: 301,
        location: next(),
        timings: { wait: 1, dns: 2, tcp: 3, tls: 4, ttfb: 5, download: 6 },
      },
      {
        url: next(),
        status: next(),
        headers: [
          [next(), next()],
          ['Server', next()],
        ],
        timings: null,
      },
    ],
    categories: entries({ score: 80, summary: next() }, { score: null }),
    records: { TXT: [{ data: next(), ttl: 300 }], ...entries([{ data: { tag: next() }, ttl: 300 }]) },
    tree: { children: [{ children: [{ children: [next()] }, next()] }] },
    exists: true,
    mixed: [1, next(), null, [next(), 2], { a: next() }, []],
    ...entries(next(), [next(), next()]),
  };
  return report as unknown as Report;
}

/** A stored report of about so many bytes: many findings with evidence, and the fields of a large target. */
export function largeReport(bytes: number): Report {
  const report = reportOf((place) => `place ${place}`);
  const finding = report.findings[0] as Finding;
  const value = 'v=spf1 include:_spf.example.test ip4:192.0.2.0/24 <b>&amp;</b> -all';
  const evidence = Array.from({ length: 40 }, (_, index) => ({
    host: `mx${index}.example.test`,
    value,
    index,
  }));
  const hop = (_: unknown, index: number) => ({
    url: `https://example.test/${index}`,
    status: 200,
    headers: Array.from({ length: 20 }, (_item, at) => [`X-Field-${at}`, value]),
  });
  const findings = Array.from({ length: 25 }, (_, index) => ({
    ...finding,
    code: `rule-${index}`,
    evidence,
  }));
  const size = JSON.stringify({ ...report, findings }).length;
  const one = JSON.stringify(hop(0, 100)).length;
  const extraHops = Array.from({ length: Math.max(1, Math.round((bytes - size) / one)) }, hop);
  return { ...report, findings, extraHops };
}
