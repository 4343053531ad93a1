import { expect, test } from 'vitest';
import { type PagespeedCode, rules } from '#shared/catalogue/pagespeed-check/rules';
import type { FailureCode } from '#shared/model/failure';
import { codesOf, type Rules } from '#shared/model/verdict';
import { assessPagespeed } from '../../../worker/checks/pagespeed-check/assess.ts';
import type { PagespeedEvidence } from '../../../worker/checks/pagespeed-check/evidence.ts';
import { ended, gaveUp, load, seen } from './evidence-kit.ts';
import { psiError, seenByPsi } from './psi-kit.ts';

// A rule holds only where what it speaks of was seen. Here is every way of not seeing, and all that still holds.

type Row = {
  readonly name: string;
  readonly evidence: PagespeedEvidence;
  readonly holds: readonly PagespeedCode[];
};

/** Our browser was there and did its part. */
const ours: readonly PagespeedCode[] = ['browser-failed', 'browser-unavailable'];
/** The address gave an answer. */
const answered: readonly PagespeedCode[] = [
  'target-not-allowed',
  'target-address-not-allowed',
  'redirect-to-nowhere',
  'target-unreachable',
];
/** The document itself came. */
const loaded: readonly PagespeedCode[] = [...answered, 'page-not-loaded', 'page-interstitial'];
/** With a good status, and as HTML. */
const good: readonly PagespeedCode[] = [
  ...loaded,
  'target-error-status',
  'target-is-default-page',
  'target-blocks-checks',
  'page-not-html',
];

const refused = (code: FailureCode) =>
  seen(
    gaveUp('FAILED_DOCUMENT_REQUEST', {
      refused: [{ host: 'a.test', port: 80, code, reason: 'the reason' }],
    }),
  );
const overHttps = (evidence: PagespeedEvidence): PagespeedEvidence => ({
  ...evidence,
  url: 'https://a.test/',
});

const rows: readonly Row[] = [
  ...(
    [
      'name-not-found',
      'name-unresolved',
      'target-address-not-allowed',
      'target-not-allowed',
      'connection-refused',
      'connection-reset',
      'connection-timeout',
    ] as const
  ).map((code): Row => ({ name: `${code} at the page’s own address`, evidence: refused(code), holds: ours })),
  { name: 'a name that the browser cannot resolve', evidence: seen(gaveUp('DNS_FAILURE')), holds: ours },
  {
    name: 'a connection over which nothing comes',
    evidence: seen(ended({ kind: 'killed', why: 'silent' })),
    holds: ours,
  },
  {
    name: 'a load that fails without saying at what',
    evidence: seen(gaveUp('FAILED_DOCUMENT_REQUEST')),
    holds: ours,
  },
  {
    name: 'an error page of the browser, for redirects without end or for a certificate',
    evidence: seen(gaveUp('CHROME_INTERSTITIAL_ERROR')),
    holds: ours,
  },
  {
    name: 'a certificate that the browser refuses',
    evidence: overHttps(seen(gaveUp('INSECURE_DOCUMENT_REQUEST'))),
    holds: [...ours, ...answered],
  },
  {
    name: 'an error status over http says nothing of a certificate',
    evidence: seen(gaveUp('ERRORED_DOCUMENT_REQUEST', {}, 404)),
    holds: [...ours, ...loaded],
  },
  {
    name: 'an error status over https came with a good one',
    evidence: overHttps(seen(gaveUp('ERRORED_DOCUMENT_REQUEST', {}, 404))),
    holds: [...ours, ...loaded, 'certificate-not-trusted'],
  },
  { name: 'what is no HTML', evidence: seen(gaveUp('NOT_HTML')), holds: [...ours, ...loaded] },
  {
    name: 'a page that paints nothing',
    evidence: overHttps(seen(gaveUp('NO_FCP'))),
    holds: [...ours, ...good, 'certificate-not-trusted'],
  },
  {
    name: 'a page that hangs after its document came',
    evidence: overHttps(seen(gaveUp('PAGE_HUNG'))),
    holds: [...ours, ...good, 'certificate-not-trusted'],
  },
  {
    name: 'a browser that stops answering Lighthouse, at whatever it was',
    evidence: seen(gaveUp('PROTOCOL_TIMEOUT')),
    holds: [...ours, ...answered],
  },
  {
    name: 'a load that was ended at its deadline, at whatever it was',
    evidence: seen(ended({ kind: 'killed', why: 'deadline' })),
    holds: [...ours, ...answered],
  },
  {
    name: 'a load that was ended for its memory',
    evidence: seen(ended({ kind: 'killed', why: 'memory' })),
    holds: [...ours, ...answered],
  },
  { name: 'a tab that crashes', evidence: seen(gaveUp('TARGET_CRASHED')), holds: ours },
  {
    name: 'a browser that dies',
    evidence: seen(ended({ kind: 'crashed', message: 'exit SIGSEGV' })),
    holds: ['browser-unavailable'],
  },
  {
    name: 'a code of Lighthouse that we do not know',
    evidence: seen(gaveUp('SOMETHING_NEW')),
    holds: ['browser-unavailable'],
  },
  {
    name: 'no browser',
    evidence: seen({
      kind: 'failure',
      code: 'browser-unavailable',
      reason: 'none was found',
      fix: 'Install one.',
    }),
    holds: [],
  },
  {
    name: 'an address that is refused by its text',
    evidence: seen({
      kind: 'failure',
      code: 'target-not-allowed',
      reason: 'port 25 is not a port of the web',
    }),
    holds: [],
  },
  {
    name: 'a page that PageSpeed Insights saw paint nothing',
    evidence: overHttps(seenByPsi(psiError('Lighthouse returned error: NO_FCP. It did not paint.'))),
    holds: [...good, 'certificate-not-trusted'],
  },
];

const heldIn = (evidence: PagespeedEvidence) => {
  const { verdicts } = assessPagespeed(evidence);
  return codesOf(verdicts).filter((code) => verdicts[code] === 'holds');
};

test.for(rows)('$name', ({ evidence, holds }) => {
  expect(heldIn(evidence).toSorted()).toEqual([...holds].toSorted());
});

test('of a page over http no certificate is praised', () => {
  const page = load({ page: { finalUrl: 'http://a.test/' } });
  expect(assessPagespeed(seen(page)).verdicts['certificate-not-trusted']).toBe('not-applicable');
  const upgraded = load({ page: { finalUrl: 'https://a.test/' } });
  expect(assessPagespeed(seen(upgraded)).verdicts['certificate-not-trusted']).toBe('holds');
});

test('a load that hung is not said to have come to its end because another did', () => {
  const { verdicts } = assessPagespeed(seen(load(), gaveUp('PAGE_HUNG')));
  expect(verdicts['page-hung']).toBe('not-applicable');
  expect(verdicts['page-crashed']).toBe('holds');
});

test('of a page that was cut off at its budget only what loading itself shows still holds', () => {
  const held = new Set(heldIn(seen(load({ traffic: { cut: 'bytes' } }))));
  const lost = heldIn(seen(load())).filter((code) => !held.has(code));
  const insights = codesOf(rules).filter((code) => rules[code].part === 'insights');
  expect(lost.toSorted()).toEqual(
    [...insights, 'page-transfer-excessive', 'requests-not-allowed', 'requests-unreachable'].toSorted(),
  );
});

test('no rule is without a source', () => {
  const table: Rules = rules;
  expect(codesOf(table).filter((code) => table[code]?.references.length === 0)).toEqual([]);
});
