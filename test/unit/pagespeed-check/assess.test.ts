import { expect, test } from 'vitest';
import { z } from 'zod';
import { pagespeedReportShape } from '#shared/catalogue/pagespeed-check/report';
import { type PagespeedCode, rules } from '#shared/catalogue/pagespeed-check/rules';
import { speedRules } from '#shared/catalogue/pagespeed-check/rules/speed';
import { listVerdicts } from '#shared/model/finding';
import { envelopeShape, makeReport } from '#shared/model/report';
import { codesBroken, codesOf, isBroken } from '#shared/model/verdict';
import { assessPagespeed } from '../../../worker/checks/pagespeed-check/assess.ts';
import type { PagespeedEvidence } from '../../../worker/checks/pagespeed-check/evidence.ts';
import { auditOf } from '../../../worker/checks/pagespeed-check/judge/insights.ts';
import type { FieldObservation } from '../../../worker/probes/browser/port.ts';
import {
  challenged,
  ended,
  gaveUp,
  load,
  readImagesRun,
  requestSeen,
  requestsSeen,
  seen,
} from './evidence-kit.ts';
import { psiAnswer, psiError, psiResult, seenByPsi } from './psi-kit.ts';

type Case = {
  readonly name: string;
  readonly evidence: PagespeedEvidence;
  /** Exactly these rules are broken. */
  readonly broken: readonly PagespeedCode[];
  /** Default: "measured". */
  readonly ended?: string;
  /** Default: 100. */
  readonly score?: number | null;
  /** Default: complete. */
  readonly state?: 'complete' | 'partial' | 'unreachable';
};

const row = {
  url: 'http://a.test/x',
  selector: 'img',
  passed: false,
  label: 'it should be fast',
  entity: 'Ads',
};
const failing = (id: string, more = {}) =>
  seen(
    load({
      audits: { [id]: { score: 0, mode: 'metricSavings', items: [row, row, row], itemCount: 3, ...more } },
    }),
  );
/** A load that ended at an address, after documents in that order. */
const documents = (finalUrl: string, ...loaded: readonly (readonly [url: string, status: number])[]) => {
  const entries = loaded.map(([url, status], at) =>
    requestSeen({ url, status, type: 'Document', startMs: at, endMs: at }),
  );
  return load({ page: { finalUrl, requests: requestsSeen(entries) } });
};
const thirdParties = (...busyMs: readonly number[]) => ({
  mode: 'informative',
  score: 1,
  items: busyMs.map((mainThreadTime) => ({ entity: 'Ads', mainThreadTime, transferSize: 100 })),
  itemCount: busyMs.length,
});
const field = (lcp: number, cls: number, inp?: number): PagespeedEvidence => {
  const metric = (p75: number) => ({ p75, distribution: [0.8, 0.15, 0.05] });
  const observation: FieldObservation = {
    kind: 'record',
    scope: 'url',
    formFactor: 'PHONE',
    metrics: { lcp: metric(lcp), cls: metric(cls), ...(inp === undefined ? {} : { inp: metric(inp) }) },
  };
  return { ...seen(load()), field: observation };
};
const refusal = (
  code: 'target-address-not-allowed' | 'target-not-allowed' | 'connection-refused' | 'budget-spent',
  host = 'a.test',
) => ({
  refused: [{ host, port: 80, code, reason: 'the reason' }],
});

const metrics: readonly Case[] = [
  { name: 'a fast page is as good as it gets', evidence: seen(load()), broken: [] },
  ...(['lcp', 'cls', 'tbt', 'fcp', 'si'] as const).flatMap((metric): Case[] => [
    {
      name: `${metric} just below 0.5 is poor`,
      evidence: seen(load({ metrics: { [metric]: { value: 9000, score: 0.49 } } })),
      broken: [`${metric}-poor`],
    },
    {
      name: `${metric} of 0.5 needs improvement`,
      evidence: seen(load({ metrics: { [metric]: { value: 3000, score: 0.5 } } })),
      broken: [`${metric}-needs-improvement`],
    },
    {
      name: `${metric} just below 0.9 still needs improvement`,
      evidence: seen(load({ metrics: { [metric]: { value: 3000, score: 0.89 } } })),
      broken: [`${metric}-needs-improvement`],
    },
    {
      name: `${metric} of 0.9 is good`,
      evidence: seen(load({ metrics: { [metric]: { value: 2000, score: 0.9 } } })),
      broken: [],
    },
    {
      name: `${metric} that the browser did not give is not tested`,
      evidence: seen(load({ metrics: { [metric]: { value: null, score: null } }, page: { score: null } })),
      broken: [],
      score: null,
    },
  ]),
  {
    name: 'the captured page of heavy images has the score of Lighthouse',
    evidence: seen(readImagesRun()),
    broken: [
      'lcp-poor',
      'tbt-needs-improvement',
      'fcp-poor',
      'render-blocking-requests',
      'images-wasteful',
      'lcp-request-late',
      'cache-lifetime-short',
      'fonts-hide-text',
      'viewport-not-mobile',
      'css-not-minified',
      'css-unused',
      'javascript-not-minified',
      'javascript-unused',
      'page-too-heavy',
      'images-without-dimensions',
    ],
    score: 54,
  },
];

const insights: readonly Case[] = [
  ...codesOf(auditOf)
    .filter((code) => code !== 'dom-too-large' && code !== 'third-parties-heavy')
    .map((code): Case => ({
      name: `${auditOf[code]} below 0.9 breaks ${code}`,
      evidence: failing(auditOf[code], { score: 0.5 }),
      broken: [code],
    })),
  {
    name: '1400 elements are not too many',
    evidence: failing('dom-size-insight', { mode: 'numeric', score: 1, value: 1400 }),
    broken: [],
  },
  {
    name: '1401 elements are too many, though Lighthouse only informs',
    evidence: failing('dom-size-insight', { mode: 'informative', score: 1, value: 1401 }),
    broken: ['dom-too-large'],
  },
  {
    name: 'elements that were not counted are not tested',
    evidence: failing('dom-size-insight', { mode: 'numeric', score: 1, value: null }),
    broken: [],
  },
  {
    name: 'third parties that take 250 ms of the main thread together are no burden',
    evidence: failing('third-parties-insight', thirdParties(200, 50)),
    broken: [],
  },
  {
    name: 'third parties that take more are one, though Lighthouse only informs',
    evidence: failing('third-parties-insight', thirdParties(200, 51)),
    broken: ['third-parties-heavy'],
  },
  {
    name: 'a document and its style sheet are no long chain',
    evidence: failing('network-dependency-tree-insight', { items: [row, row], itemCount: 2 }),
    broken: [],
  },
  {
    name: 'an audit that only informs breaks nothing',
    evidence: failing('cache-insight', { mode: 'informative' }),
    broken: [],
  },
  {
    name: 'an audit that failed itself is not tested',
    evidence: failing('dom-size-insight', { mode: 'error', score: null }),
    broken: [],
  },
  {
    name: 'an audit without a score does not apply',
    evidence: failing('dom-size-insight', { mode: 'notApplicable', score: null }),
    broken: [],
  },
  {
    name: 'audits that Lighthouse no longer has are not tested',
    evidence: seen(load({ page: { audits: [] } })),
    broken: [],
  },
];

const lost = (
  name: string,
  run: ReturnType<typeof ended>,
  code: PagespeedCode,
  state: Case['state'] = 'partial',
): Case => ({
  name,
  evidence: seen(run),
  broken: [code],
  ended: code,
  score: null,
  state,
});

const ends: readonly Case[] = [
  lost('a name without an address', gaveUp('DNS_FAILURE'), 'target-unreachable', 'unreachable'),
  lost(
    'a connection that is refused is told as the proxy saw it',
    gaveUp('FAILED_DOCUMENT_REQUEST', refusal('connection-refused')),
    'target-unreachable',
    'unreachable',
  ),
  lost(
    'a name that leads to a private address',
    gaveUp('FAILED_DOCUMENT_REQUEST', refusal('target-address-not-allowed')),
    'target-address-not-allowed',
    'unreachable',
  ),
  lost(
    'a redirect to a private literal',
    gaveUp('FAILED_DOCUMENT_REQUEST', refusal('target-not-allowed', '127.0.0.1')),
    'target-not-allowed',
    'unreachable',
  ),
  ...['none', 'https', 'localhost', 'a_$b'].map((host) =>
    lost(
      `a redirect to ${host}`,
      gaveUp('FAILED_DOCUMENT_REQUEST', refusal('target-not-allowed', host)),
      'redirect-to-nowhere',
    ),
  ),
  lost(
    'a redirect to a name for special use',
    gaveUp('FAILED_DOCUMENT_REQUEST', refusal('target-not-allowed', 'host.internal')),
    'target-not-allowed',
    'unreachable',
  ),
  lost(
    'a server that accepts and stays silent',
    ended({ kind: 'killed', why: 'silent' }),
    'target-unreachable',
    'unreachable',
  ),
  lost('a certificate that browsers refuse', gaveUp('INSECURE_DOCUMENT_REQUEST'), 'certificate-not-trusted'),
  lost('a connection that breaks', gaveUp('FAILED_DOCUMENT_REQUEST'), 'page-not-loaded'),
  lost(
    'a browser that asks for nothing',
    gaveUp('FAILED_DOCUMENT_REQUEST', { connections: 0 }),
    'browser-failed',
  ),
  lost('redirects without end', gaveUp('CHROME_INTERSTITIAL_ERROR'), 'page-interstitial'),
  lost('an error page', gaveUp('ERRORED_DOCUMENT_REQUEST', {}, 500), 'target-error-status'),
  lost('a site that is down', gaveUp('ERRORED_DOCUMENT_REQUEST', {}, 503), 'target-blocks-checks'),
  lost('a teapot', gaveUp('ERRORED_DOCUMENT_REQUEST', {}, 418), 'target-blocks-checks'),
  ...[403, 405, 429, 451].map((status) =>
    lost(
      `a status ${status}, which bot walls answer`,
      gaveUp('ERRORED_DOCUMENT_REQUEST', {}, status),
      'target-blocks-checks',
    ),
  ),
  lost('a challenge page of a bot wall, with status 200', challenged(), 'target-blocks-checks'),
  lost('the own page of a server', challenged('default-nginx'), 'target-is-default-page'),
  lost('a login', gaveUp('ERRORED_DOCUMENT_REQUEST', {}, 401), 'target-blocks-checks'),
  lost('a picture', gaveUp('NOT_HTML'), 'page-not-html'),
  ...['NO_FCP', 'NO_LCP', 'NO_NAVSTART', 'NO_SPEEDLINE_FRAMES', 'NO_METRICS'].map((code) =>
    lost(`nothing painted, as ${code}`, gaveUp(code), 'page-not-painted'),
  ),
  lost('a page that answers no longer', gaveUp('PAGE_HUNG'), 'page-hung'),
  lost('a page that does not end', ended({ kind: 'killed', why: 'deadline' }), 'page-hung'),
  lost('a tab that dies', gaveUp('TARGET_CRASHED'), 'page-crashed'),
  lost('a page that takes all memory', ended({ kind: 'killed', why: 'memory' }), 'page-memory-excessive'),
  lost(
    'a browser that dies is our fault',
    ended({ kind: 'crashed', message: 'exit SIGSEGV' }),
    'browser-failed',
  ),
  lost('a code of Lighthouse that we do not know is our fault', gaveUp('SOMETHING_NEW'), 'browser-failed'),
  {
    name: 'no browser is told with what mends it, and says nothing of the page',
    evidence: seen({
      kind: 'failure',
      code: 'browser-unavailable',
      reason: 'no Chrome was found',
      fix: 'Install one.',
    }),
    broken: ['browser-unavailable'],
    ended: 'browser-unavailable',
    score: null,
    state: 'partial',
  },
  {
    name: 'a target that is refused by its text',
    evidence: seen({ kind: 'failure', code: 'target-not-allowed', reason: 'the port is not checked' }),
    broken: ['target-not-allowed'],
    ended: 'target-not-allowed',
    score: null,
    state: 'unreachable',
  },
];

const surroundings: readonly Case[] = [
  {
    name: 'a page that loads without measure',
    evidence: seen(load({ traffic: { cut: 'bytes', receivedBytes: 100_000_001 } })),
    broken: ['page-transfer-excessive'],
  },
  {
    name: 'a budget that ran out is told also where nothing was measured',
    evidence: seen(ended({ kind: 'killed', why: 'deadline' }, { cut: 'connections' })),
    broken: ['page-hung', 'page-transfer-excessive'],
    ended: 'page-hung',
    score: null,
    state: 'partial',
  },
  {
    name: 'a page that never rests',
    evidence: seen(
      load({ page: { warnings: ['The page loaded too slowly to finish within the time limit.'] } }),
    ),
    broken: ['page-not-quiet'],
  },
  {
    name: 'a page whose script sends its visitor on',
    evidence: seen(
      documents(
        'https://a.test/home',
        ['http://a.test/', 301],
        ['https://a.test/', 200],
        ['https://a.test/home', 200],
      ),
    ),
    broken: ['page-sends-on'],
  },
  {
    name: 'a page that a redirect leads to, and that loads another in a frame',
    evidence: seen(
      documents(
        'https://a.test/#top',
        ['http://a.test/', 301],
        ['https://a.test/', 200],
        ['https://b.test/', 200],
      ),
    ),
    broken: [],
  },
  {
    name: 'an image at a private address',
    evidence: seen(load({ traffic: refusal('target-address-not-allowed', 'inner.test') })),
    broken: ['requests-not-allowed'],
  },
  {
    name: 'a script of a dead host',
    evidence: seen(load({ traffic: refusal('connection-refused', 'dead.test') })),
    broken: ['requests-unreachable'],
  },
  {
    name: 'a busy machine makes the numbers uncertain',
    evidence: seen(
      load({ page: { environment: { ...readImagesRun().end.page.environment, benchmarkIndex: 999 } } }),
    ),
    broken: ['measurement-uncertain'],
  },
  {
    name: 'runs that lie far apart make the numbers uncertain',
    evidence: seen(load(), load({ page: { score: 0.89 } })),
    broken: ['measurement-uncertain'],
    score: 89,
  },
  {
    name: 'runs ten points apart are what chance does',
    evidence: seen(load(), load({ page: { score: 0.9 } })),
    broken: [],
    score: 90,
  },
  {
    name: 'a second run that failed does not take the first one back, but makes it uncertain',
    evidence: seen(load(), ended({ kind: 'killed', why: 'deadline' })),
    broken: ['measurement-uncertain'],
  },
  {
    name: 'a browser that dies in a later load is told beside the numbers of the first',
    evidence: seen(load(), ended({ kind: 'crashed', message: 'exit SIGSEGV' })),
    broken: ['browser-failed', 'measurement-uncertain'],
  },
  { name: 'vitals exactly at their limits pass', evidence: field(2500, 0.1, 200), broken: [] },
  { name: 'one ms more of LCP fails', evidence: field(2501, 0.1, 200), broken: ['field-vitals-failed'] },
  { name: 'too slow an INP fails', evidence: field(2000, 0, 201), broken: ['field-vitals-failed'] },
  { name: 'without INP the other two decide', evidence: field(2000, 0), broken: [] },
  {
    name: 'too much CLS fails without INP as well',
    evidence: field(2000, 0.11),
    broken: ['field-vitals-failed'],
  },
];

const remote: readonly Case[] = [
  {
    name: 'a page that PageSpeed Insights measured is judged like any other, its visitors with it',
    evidence: seenByPsi(psiAnswer()),
    broken: ['lcp-needs-improvement', 'field-vitals-failed', 'render-blocking-requests'],
    score: 88,
  },
  {
    name: 'a page that is too slow for PageSpeed Insights never rests here either',
    evidence: seenByPsi(
      psiResult({ runWarnings: ['The page loaded too slowly to finish within the time limit.'] }),
    ),
    broken: ['lcp-needs-improvement', 'field-vitals-failed', 'render-blocking-requests', 'page-not-quiet'],
    score: 88,
  },
  {
    ...lost('', gaveUp(''), 'page-not-painted'),
    name: 'a page that painted nothing for PageSpeed Insights',
    evidence: seenByPsi(psiError('Lighthouse returned error: NO_FCP. The page did not paint.')),
  },
  {
    ...lost('', gaveUp(''), 'browser-failed'),
    name: 'a code of PageSpeed Insights that we do not know says nothing of the page',
    evidence: seenByPsi(psiError('Lighthouse returned error: SOMETHING_NEW.')),
  },
  {
    ...lost('', gaveUp(''), 'browser-unavailable'),
    name: 'a key that PageSpeed Insights refuses leaves us without a browser',
    evidence: seenByPsi(psiError('API key not valid.')),
  },
];

const cases = [...metrics, ...insights, ...ends, ...surroundings, ...remote];

test.for(cases)('$name', ({ evidence, broken, ended: end = 'measured', score = 100, state = 'complete' }) => {
  const assessment = assessPagespeed(evidence);
  expect(codesBroken(assessment.verdicts).toSorted()).toEqual([...broken].toSorted());
  expect(assessment.fields['ended']).toBe(end);
  expect(assessment.state).toBe(state);
  expect(assessment.score).toBe(score);
});

test.for(cases)(
  'the report of "$name" has the promised shape, and every sentence is filled',
  ({ evidence }) => {
    const assessment = assessPagespeed(evidence);
    expect(Object.keys(assessment.verdicts).toSorted()).toEqual(Object.keys(rules).toSorted());
    const report = makeReport(
      {
        check: 'pagespeed-check',
        target: { url: evidence.url },
        rules,
        rulesVersion: 1,
        reportId: undefined,
        checkedAtMs: 0,
        durationMs: 0,
        freshForS: 1,
        keepForS: 1,
      },
      assessment,
    );
    expect(
      z.looseObject({ ...envelopeShape, ...pagespeedReportShape }).safeParse(report).error,
    ).toBeUndefined();
    const { findings } = listVerdicts(rules, assessment.verdicts);
    expect(
      findings.map(({ detail }) => detail).filter((detail) => /\{\w+\}|undefined|null/.test(detail)),
    ).toEqual([]);
  },
);

test('each rule has a row for broken, for holds and, where it can happen, for notTested', () => {
  const verdicts = cases.map(({ evidence }) => assessPagespeed(evidence).verdicts);
  // Budgets and the categories beside performance have files of their own.
  const own = codesOf(speedRules);
  const missing = own.flatMap((code) => {
    const found = verdicts.map((all) => all[code]);
    return [
      found.some(isBroken) ? [] : [`${code} broken`],
      found.includes('holds') ? [] : [`${code} holds`],
      found.some((verdict) => typeof verdict === 'object' && 'notTested' in verdict)
        ? []
        : [`${code} notTested`],
    ].flat();
  });
  expect(missing).toEqual([]);
});

test('what the metrics take from the score adds up to what it lacks', () => {
  const { scoreEffects = {}, verdicts, score } = assessPagespeed(seen(readImagesRun()));
  const lost = codesBroken(verdicts).reduce((sum, code) => sum - (scoreEffects[code] ?? 0), 0);
  // Each is rounded for itself, and what a good metric lacks of 1 is told by no finding.
  expect(Math.abs(100 - (score ?? 0) - lost)).toBeLessThanOrEqual(4);
});

test('a host that our budget kept the page from is not called unreachable', () => {
  const { verdicts } = assessPagespeed(seen(load({ traffic: refusal('budget-spent', 'many.test') })));
  expect(verdicts['requests-unreachable']).toEqual({
    notTested: 'the budget of this run for requests to other hosts was spent',
  });
});

test('what only our own browser sees is not tested where PageSpeed Insights measured', () => {
  const { verdicts } = assessPagespeed(seenByPsi(psiAnswer()));
  const { notTested } = listVerdicts(rules, verdicts);
  expect(notTested.map(({ code }) => code)).toEqual(
    expect.arrayContaining([
      'page-memory-excessive',
      'page-transfer-excessive',
      'requests-not-allowed',
      'requests-unreachable',
      'measurement-uncertain',
    ]),
  );
  expect(verdicts['browser-failed']).toBe('not-applicable');
  expect(verdicts['browser-unavailable']).toBe('not-applicable');
});

test('the report says that PageSpeed Insights measured, and with what', () => {
  const { fields } = assessPagespeed(seenByPsi(psiAnswer()));
  expect(fields).toMatchObject({
    environment: {
      provider: 'psi',
      lighthouse: '13.0.1',
      browser: 'HeadlessChrome/152.0.0.0',
      sandbox: null,
      benchmarkIndex: 561.5,
      confidence: null,
      receivedBytes: null,
    },
    blockedRequests: [],
    runs: { count: 1, chosen: 'single', scores: [88], spread: null },
    coreWebVitals: { assessment: 'failed', basis: 'field' },
    field: {
      provider: 'psi',
      scope: 'url',
      metrics: { inp: { p75: 214, rating: 'needs-improvement' } },
      origin: { metrics: { lcp: { p75: 2900, rating: 'needs-improvement' } }, history: null },
    },
  });
});

test('evidence of an older version tells neither days, history nor origin', () => {
  expect(assessPagespeed(field(2000, 0.05, 100)).fields.field).toMatchObject({
    period: null,
    history: null,
    origin: null,
  });
});

test('a record of the Chrome UX Report goes before what came with PageSpeed Insights', () => {
  const { field: crux } = field(2000, 0.05, 100);
  const { fields } = assessPagespeed({ ...seenByPsi(psiAnswer()), field: crux });
  expect(fields).toMatchObject({ field: { provider: 'crux' }, coreWebVitals: { assessment: 'passed' } });
});

test.for([
  ['document-latency-high', 'usesCompression', 'The reason: the document is not compressed.'],
  ['lcp-request-late', 'requestDiscoverable', 'The reason: the image is not in the HTML.'],
  ['lcp-request-late', 'somethingNew', 'The reason: Lighthouse’s own words.'],
] as const)('%s says in our words that %s failed', ([code, check, sentence]) => {
  const items = [
    { check: 'noRedirects', passed: true, label: 'Avoids redirects' },
    { check, passed: false, label: 'Lighthouse’s own words' },
  ];
  const { verdicts } = assessPagespeed(failing(auditOf[code], { score: 0, items }));
  const { findings } = listVerdicts(rules, verdicts);
  expect(findings.find((finding) => finding.code === code)?.detail).toBe(sentence);
});

test('a document that lacks compression alone is told so, and is no medium fault of a fast page', () => {
  const items = [
    { check: 'noRedirects', passed: true, label: 'Avoids redirects' },
    { check: 'serverResponseIsFast', passed: true, label: 'Server responds quickly' },
    { check: 'usesCompression', passed: false, label: 'No compression applied' },
  ];
  const { verdicts } = assessPagespeed(failing('document-latency-insight', { score: 0, items }));
  const found = listVerdicts(rules, verdicts).findings.find(({ code }) => code === 'document-latency-high');
  expect(found).toMatchObject({
    severity: 'low',
    title: 'The HTML document could arrive sooner',
    fix: { text: 'Compress the HTML document on the server, with Brotli or gzip.' },
  });
});

test('each fault of the document’s request has its own cure', () => {
  const items = ['noRedirects', 'serverResponseIsFast', 'usesCompression'].map((check) => ({
    check,
    passed: false,
    label: check,
  }));
  const { verdicts } = assessPagespeed(failing('document-latency-insight', { score: 0, items }));
  const found = listVerdicts(rules, verdicts).findings.find(({ code }) => code === 'document-latency-high');
  expect(found?.fix.text).toMatch(/redirect.*faster.*Brotli/);
});

test.for([
  [
    { kind: 'failure', code: 'target-not-allowed', reason: 'the host "a.localhost" is a special-use name' },
    'a.test was not asked: the host "a.localhost" is a special-use name.',
  ],
  [
    gaveUp('FAILED_DOCUMENT_REQUEST'),
    'The browser stopped: the browser says “because of FAILED_DOCUMENT_REQUEST”.',
  ],
  [ended({ kind: 'killed', why: 'deadline' }), 'The page was stopped: it had not finished after 25 s.'],
] as const)('a sentence has one end: %#', ([run, detail]) => {
  const { findings } = listVerdicts(rules, assessPagespeed(seen(run)).verdicts);
  expect(findings[0]?.detail).toBe(detail);
});

test('an audit that only informs is not said to hold', () => {
  const { verdicts } = assessPagespeed(failing('cache-insight', { mode: 'informative', score: 1 }));
  expect(verdicts['cache-lifetime-short']).toBe('not-applicable');
});

test('judging the same evidence twice gives the same', () => {
  const evidence = seen(readImagesRun());
  expect(assessPagespeed(evidence)).toEqual(assessPagespeed(structuredClone(evidence)));
});
