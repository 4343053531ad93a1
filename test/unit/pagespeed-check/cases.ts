import type { PagespeedCode } from '#shared/catalogue/pagespeed-check/rules';
import { codesOf } from '#shared/model/verdict';
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

export const row = {
  url: 'http://a.test/x',
  selector: 'img',
  passed: false,
  label: 'it should be fast',
  entity: 'Ads',
};
export const failing = (id: string, more = {}) =>
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
export const field = (lcp: number, cls: number, inp?: number): PagespeedEvidence => {
  const metric = (p75: number) => ({ p75, distribution: [0.8, 0.15, 0.05] });
  const observation: FieldObservation = {
    kind: 'record',
    scope: 'url',
    formFactor: 'PHONE',
    metrics: { lcp: metric(lcp), cls: metric(cls), ...(inp === undefined ? {} : { inp: metric(inp) }) },
  };
  return { ...seen(load()), field: observation };
};
export const refusal = (
  code: 'target-address-not-allowed' | 'target-not-allowed' | 'connection-refused' | 'budget-spent',
  host = 'a.test',
) => ({
  refused: [{ host, port: 80, code, reason: 'the reason' }],
});

export const metrics: readonly Case[] = [
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

export const lost = (
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

export const cases = [...metrics, ...insights, ...ends, ...surroundings, ...remote];
