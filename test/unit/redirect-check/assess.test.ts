import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { redirectReportShape } from '#shared/catalogue/redirect-check/report';
import { type RedirectCode, rules } from '#shared/catalogue/redirect-check/rules';
import { listVerdicts } from '#shared/model/finding';
import { codesBroken, codesOf, isBroken, type Rules, type Verdict } from '#shared/model/verdict';
import { assessRedirects } from '../../../worker/checks/redirect-check/assess.ts';
import type { RedirectEvidence } from '../../../worker/checks/redirect-check/evidence.ts';
import { cases, numbered, redirect, refreshes } from './cases.ts';
import { chain, failed, late, sends, stopped } from './chain.ts';

test.for(cases)('$name', ({ evidence, broken, score: expected }) => {
  const { state, verdicts, score } = assessRedirects(evidence);
  expect(codesBroken(verdicts).sort()).toEqual([...broken].sort());
  expect(score).toBe(expected === undefined && state === 'complete' ? 100 : (expected ?? null));
});

test.for(cases)('every placeholder is filled: $name', ({ evidence }) => {
  const { findings } = listVerdicts(rules, assessRedirects(evidence).verdicts);
  expect(findings.filter(({ detail }) => /\{\w*\}|null|undefined/.test(detail))).toEqual([]);
});

test.for(cases)('the report has the shape that is promised: $name', ({ evidence }) => {
  const { target: _target, ...own } = redirectReportShape;
  expect(z.object(own).safeParse(assessRedirects(evidence).fields).error).toBeUndefined();
});

describe('each rule has a row', () => {
  const judged = cases.map(({ evidence }) => assessRedirects(evidence).verdicts);
  const kindsOf = (code: RedirectCode) => new Set(judged.map((verdicts) => kindOf(verdicts[code])));
  const rulesWithout = (kind: string) => codesOf(rules).filter((code) => !kindsOf(code).has(kind));

  test('for broken', () => {
    expect(rulesWithout('broken')).toEqual([]);
  });
  test('for holds', () => {
    expect(rulesWithout('holds')).toEqual([]);
  });
  test('for notTested, as any chain can break before the rule was looked at', () => {
    expect(rulesWithout('notTested')).toEqual([]);
  });
  test('for not-applicable, but those that ask something of every chain', () => {
    expect(rulesWithout('not-applicable').sort()).toEqual([
      'answer-malformed', // of every answer
      'http-not-upgraded', // of every last page
      'redirect-chain-slow',
      'redirect-loop',
      'redirect-status-not-followed', // of every answer
      'redirect-too-many',
      'target-error-status',
      'target-rate-limits',
    ]);
  });
});

function kindOf(verdict: Verdict): string {
  if (typeof verdict === 'string') return verdict;
  return isBroken(verdict) ? 'broken' : 'notTested';
}

test.for([
  [
    'https://b.internal/',
    'the host "b.internal" is a special-use name. Visitors on the internet cannot look up that name either.',
  ],
  [
    'https://10.0.0.1/',
    '10.0.0.1 is an address that is not checked. Visitors on the internet cannot reach that address either.',
  ],
  ['https://b.example.com:25/', 'it names port 25, which is not checked. Visitors may get there.'],
  ['https://192.0.78.9:8443/', 'it names port 8443, which is not checked. Visitors may get there.'],
] as const)('what %s means for visitors stands behind the reason', ([url, told]) => {
  const [reason = ''] = told.split('. V');
  const evidence = changeFailures(failed('target-not-allowed', 'https://a.test/', url), (seen) => ({
    ...seen,
    reason,
  }));
  const { findings } = listVerdicts(rules, assessRedirects(evidence).verdicts);
  expect(findings[0]?.detail).toBe(`Hop 2 was not asked: ${told}`);
});

test('no rule is without a source', () => {
  const table: Rules = rules;
  expect(codesOf(table).filter((code) => table[code]?.references.length === 0)).toEqual([]);
});

/** The same, of hops that failed. */
function changeFailures(evidence: RedirectEvidence, change: (seen: Failure) => Failure): RedirectEvidence {
  const hops = evidence.hops.map((hop) =>
    hop.seen.kind === 'failure' ? { ...hop, seen: change(hop.seen) } : hop,
  );
  return { ...evidence, hops };
}

type Failure = Extract<RedirectEvidence['hops'][number]['seen'], { kind: 'failure' }>;

function withoutTimes(evidence: RedirectEvidence): RedirectEvidence {
  return changeFailures(evidence, ({ waitedMs: _waitedMs, ...seen }) => seen);
}

function atAddress(address: string, evidence: RedirectEvidence): RedirectEvidence {
  return changeFailures(evidence, (seen) => ({ ...seen, address }));
}

describe('the report of', () => {
  const reports: readonly (readonly [name: string, evidence: RedirectEvidence, expected: object])[] = [
    [
      'a chain that arrives',
      chain('http://a.test/', 'https://a.test/'),
      {
        state: 'complete',
        fields: {
          ended: 'ok',
          finalUrl: 'https://a.test/',
          finalStatus: 200,
          redirects: 1,
          totalMs: 16.4,
          hops: [
            {
              url: 'http://a.test/',
              status: 301,
              location: 'https://a.test/',
              via: 'http',
              address: '192.0.2.1',
            },
            { url: 'https://a.test/', status: 200, location: null, tls: { trusted: true } },
          ],
        },
      },
    ],
    [
      'a loop',
      stopped({ kind: 'loop', to: 'https://a.test/' }, 'https://a.test/', 'https://a.test/b'),
      { state: 'complete', fields: { ended: 'loop', finalUrl: null, finalStatus: null, redirects: 2 } },
    ],
    [
      'a chain too long',
      stopped({ kind: 'too-many' }, ...numbered(21)),
      { state: 'complete', fields: { ended: 'too-many', finalUrl: null } },
    ],
    [
      'an invalid Location',
      stopped({ kind: 'invalid-location' }, ['https://a.test/', { status: 302, ...sends('http://[b') }]),
      { state: 'complete', fields: { ended: 'invalid-location', hops: [{ location: 'http://[b' }] } },
    ],
    [
      'a foreign scheme',
      stopped({ kind: 'foreign-scheme', scheme: 'ftp' }, 'https://a.test/'),
      { state: 'complete', fields: { ended: 'refused' } },
    ],
    [
      'an address too long',
      stopped({ kind: 'location-too-long', length: 9000 }, 'https://a.test/'),
      { state: 'partial', fields: { ended: 'unreachable' } },
    ],
    [
      'a gate of cookies',
      chain('https://a.test/', 'https://a.test/in', 'https://a.test/'),
      { state: 'complete', fields: { ended: 'cookie-required', finalUrl: 'https://a.test/' } },
    ],
    [
      'a dead hop',
      failed('connection-refused', 'https://a.test/'),
      {
        state: 'unreachable',
        fields: {
          ended: 'unreachable',
          totalMs: 31.5,
          hops: [
            {
              status: null,
              address: null,
              timings: null,
              waitedMs: 31.5,
              error: { code: 'connection-refused', reason: 'the reason' },
            },
          ],
        },
      },
    ],
    [
      'a hop that was waited for in vain, behind one that answered',
      failed('response-timeout', 'http://a.test/', 'https://a.test/'),
      { state: 'unreachable', fields: { totalMs: 39.7, hops: [{ timings: { total: 8.2 } }, {}] } },
    ],
    [
      'a dead hop in evidence that does not know how long was waited',
      withoutTimes(failed('connection-refused', 'https://a.test/')),
      { state: 'unreachable', fields: { totalMs: null, hops: [{ timings: null, waitedMs: null }] } },
    ],
    [
      'a dead hop whose address is known',
      atAddress('192.0.2.7', failed('response-timeout', 'https://a.test/')),
      { state: 'unreachable', fields: { hops: [{ address: '192.0.2.7' }] } },
    ],
    [
      'a hop that is not asked',
      failed('target-not-allowed', 'https://a.test:25/'),
      { state: 'unreachable', fields: { ended: 'refused' } },
    ],
    [
      'a chain that runs out of time',
      late('https://a.test/', 'https://a.test/b'),
      { state: 'partial', score: null, fields: { ended: 'unreachable', redirects: 1 } },
    ],
    [
      'a meta refresh shows where the page leads, not where no Location does',
      chain(['https://a.test/', refreshes(0, 'https://a.test/b'), 'meta-refresh'], 'https://a.test/b'),
      { fields: { hops: [{ via: 'meta-refresh', location: 'https://a.test/b' }, {}] } },
    ],
    [
      'an empty Location before a true one shows the true one',
      redirect(sends('', '/b')),
      { fields: { hops: [{ location: '/b' }, {}] } },
    ],
  ];

  test.for(reports)('%s', ([, evidence, expected]) => {
    expect(assessRedirects(evidence)).toMatchObject(expected);
  });
});

/** The host of the lines for Apache that a finding has. */
function redirectsTo(evidence: RedirectEvidence, code: RedirectCode): string | undefined {
  const { findings } = listVerdicts(rules, assessRedirects(evidence).verdicts);
  const snippets = findings.find((finding) => finding.code === code)?.fix.snippets;
  return /permanent \/ (\S+)$/m.exec(snippets?.['apache'] ?? '')?.[1];
}

test.for([
  ['http-not-upgraded', chain('http://a.test/'), 'https://a.test/'],
  [
    'https-upgrade-late',
    chain('http://a.test/', 'http://www.a.test/', 'https://www.a.test/'),
    'https://a.test/',
  ],
  ['redirect-temporary', chain(['http://a.test/', { status: 302 }], 'https://a.test/'), 'https://a.test/'],
  ['redirect-temporary', chain(['https://a.test/', { status: 302 }], 'https://www.a.test/'), undefined],
  ['redirect-path-not-kept', chain('http://a.test/b', 'https://a.test/'), 'https://a.test/'],
  ['redirect-path-not-kept', chain('https://a.test/b', 'https://www.a.test/'), undefined],
] as const)('the lines of %s lead to https at the same host (row %#)', ([code, evidence, expected]) => {
  expect(codesBroken(assessRedirects(evidence).verdicts)).toContain(code);
  expect(redirectsTo(evidence, code)).toBe(expected);
});

test('the server that the first host names comes first', () => {
  const { findings } = listVerdicts(
    rules,
    assessRedirects(chain(['http://a.test/', { headers: [['Server', 'Caddy']] }])).verdicts,
  );
  const finding = findings.find(({ code }) => code === 'http-not-upgraded');
  expect(Object.keys(finding?.fix.snippets ?? {})[0]).toBe('caddy');
});
