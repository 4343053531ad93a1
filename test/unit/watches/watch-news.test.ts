import { expect, test } from 'vitest';
import type { Outline } from '#shared/catalogue/outline';
import { type TurnNews, judgeTurn } from '#shared/catalogue/watch-news';
import type { WatchTarget } from '#shared/model/watch';
import { nextTurn } from '#shared/model/watch-times';
import { signWebhook } from '../../../worker/watches/send-delivery.ts';

const hour = 3_600_000;
const day = 24 * hour;

const outline = (isBroken: boolean, more: Partial<Outline['reports'][number]> = {}): Outline => ({
  reports: [
    {
      check: 'dns-check',
      target: 'a.test',
      state: 'complete',
      checkedAt: '2026-11-21T03:00:00.000Z',
      score: 90,
      grade: 'A',
      rulesVersion: 1,
      findings: isBroken ? [{ code: 'x', severity: 'high', title: 'X', scoreEffect: -5, fix: 'Fix.' }] : [],
      passed: isBroken ? [] : ['x'],
      notTested: [],
      ...more,
    },
  ],
  expiries: [],
});

/** Judges one report after the other, an hour apart, and gives what was told each time. */
function tellAll(reports: readonly Outline[], minSeverity: 'low' | 'critical' = 'low'): readonly string[] {
  let from: Outline | undefined;
  let kept: Pick<TurnNews, 'memory' | 'expiries'> = { memory: {}, expiries: {} };
  return reports.map((to, at) => {
    const notify = { minSeverity, daysBefore: [30, 7, 1] };
    const judged = judgeTurn({ from, to, ...kept, notify, everySeconds: 3600, now: at * hour });
    kept = judged;
    from = judged.base;
    return judged.news.map(({ kind, code }) => `${kind} ${code ?? ''}`.trim()).join();
  });
}

const [good, bad] = [outline(false), outline(true)];
const partial = outline(false, { state: 'partial', passed: [], notTested: ['x'] });

test.for<{ name: string; reports: readonly Outline[]; told: readonly string[] }>([
  {
    name: 'what breaks and is fixed is told each time once',
    reports: [good, bad, bad, good],
    told: ['', 'finding-added x', '', 'finding-fixed x'],
  },
  { name: 'what was so from the first is no news', reports: [bad, bad], told: ['', ''] },
  {
    name: 'what flaps is told as bad once and as good once, and again when it has come to rest',
    reports: [good, bad, good, bad, good, bad, bad, bad, bad, bad],
    told: ['', 'finding-added x', 'finding-fixed x', '', '', '', '', '', 'finding-added x', ''],
  },
  {
    name: 'a report that saw less is no news, and the one before it is still what the next is compared with',
    reports: [good, partial, bad],
    told: ['', '', 'finding-added x'],
  },
  {
    name: 'of a target that can only be seen in part, what was seen is told',
    reports: [partial, outline(false, { state: 'partial' }), outline(true, { state: 'partial' })],
    told: ['', '', 'finding-added x'],
  },
  {
    name: 'a run of ours that failed is no news',
    reports: [bad, outline(false, { state: 'failed' }), bad],
    told: ['', '', ''],
  },
  {
    name: 'a rise of the grade is told where its fall was',
    reports: [good, outline(false, { grade: 'C' }), good],
    told: ['', 'grade', 'grade'],
  },
  {
    name: 'a rise of the grade alone is not',
    reports: [outline(false, { grade: 'C' }), good],
    told: ['', ''],
  },
])('$name', ({ reports, told }) => {
  expect(tellAll(reports)).toEqual(told);
});

test('what is not grave enough is not told', () => {
  expect(tellAll([good, bad, good], 'critical')).toEqual(['', '', '']);
});

test.for([
  ['a domain', 'domain', 365, [31, 30, 29, 7, 6, 1, 0], [30, 7, 1]],
  [
    'a certificate of 90 days, whose 30 days are more than a quarter',
    'certificate',
    90,
    [30, 8, 7, 1],
    [7, 1],
  ],
  ['a certificate of 6 days, with a fifth left', 'certificate', 6, [3, 2, 1, 0.5], [1]],
  ['an OCSP answer of 7 days, with a fifth left', 'ocsp', 7, [5, 2, 1.3, 1], [1.3]],
] as const)(
  '%s is told of before its end, once for each number of days',
  ([, what, lifetimeDays, days, told]) => {
    let expiries: WatchTarget['expiries'] = {};
    const expiresAt = new Date(400 * day).toISOString();
    const seen = days.filter((daysLeft) => {
      const to = { ...good, expiries: [{ what, name: 'a.test', expiresAt, lifetimeDays }] };
      const notify = { minSeverity: 'medium', daysBefore: [30, 7, 1] } as const;
      const judged = judgeTurn({
        from: good,
        to,
        memory: {},
        expiries,
        notify: { ...notify, daysBefore: [...notify.daysBefore] },
        everySeconds: 3600,
        now: (400 - daysLeft) * day,
      });
      expiries = judged.expiries;
      return judged.endings.length > 0;
    });
    expect(seen).toEqual(told);
  },
);

test('turns lie spread over the interval, at the same place in each, and never twice in one', () => {
  const watch = { watchId: 'w', everySeconds: 3600 };
  const places = Array.from({ length: 600 }, (_, at) => nextTurn(watch, `${at}.test`, 10 * hour) - 10 * hour);
  expect(places.every((place) => place > 0 && place <= hour)).toBe(true);
  const minutes = Map.groupBy(places, (place) => Math.floor(place / 60_000));
  expect(Math.max(...[...minutes.values()].map(({ length }) => length))).toBeLessThan(35);
  const first = nextTurn(watch, 'a.test', 0);
  expect([nextTurn(watch, 'a.test', first - 1), nextTurn(watch, 'a.test', first)]).toEqual([
    first,
    first + hour,
  ]);
});

test('a signature is that of the example of Standard Webhooks', () => {
  const fields = signWebhook(
    { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', timestampS: 1_614_265_330, body: '{"test": 2432232314}' },
    ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
  );
  expect(fields).toEqual({
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  });
});

test('what was told of a code is remembered under the name that it has today', () => {
  const at = (code: string, rulesVersion: number): Outline =>
    outline(false, {
      check: 'security-header-check',
      rulesVersion,
      findings: [{ code, severity: 'high', title: code, scoreEffect: 0, fix: '' }],
    });
  const notify = { minSeverity: 'low' as const, daysBefore: [] };
  const known = { told: 'bad', toldAt: 0, now: 'bad', flips: 1 } as const;
  const { news, memory, base } = judgeTurn({
    from: at('redirect-downgrade', 5),
    to: at('https-downgrade', 16),
    memory: { 'finding  redirect-downgrade': known },
    expiries: {},
    notify,
    everySeconds: 3600,
    now: hour,
  });
  expect([news, memory]).toEqual([[], { 'finding  https-downgrade': known }]);
  expect(base?.reports[0]?.findings.map(({ code }) => code)).toEqual(['https-downgrade']);
});

test('what was wrong at an address that is silent now is neither fixed nor forgotten', () => {
  const seen = (codes: readonly string[], passed: readonly string[]): Outline =>
    outline(false, {
      check: 'ssl-check',
      findings: codes.map((code) => ({ code, severity: 'high', title: code, scoreEffect: 0, fix: '' })),
      passed: [...passed],
    });
  const both = seen(['certificate-expired'], ['endpoint-unreachable']);
  const silent = seen(['endpoint-unreachable'], ['certificate-expired']);
  expect(tellAll([both, silent, both, seen([], ['certificate-expired', 'endpoint-unreachable'])])).toEqual([
    '',
    'finding-added endpoint-unreachable',
    'finding-fixed endpoint-unreachable',
    'finding-fixed certificate-expired',
  ]);
});
