import { expect, test } from 'vitest';
import { assessPagespeed } from '../../../worker/checks/pagespeed-check/assess.ts';
import { readMainThread } from '../../../worker/probes/browser/child/main-thread.ts';
import type { LoadObservation, MainThreadObservation } from '../../../worker/probes/browser/port.ts';
import { load, requestSeen, requestsSeen, seen } from './evidence-kit.ts';
import { psiAnswer, seenByPsi } from './psi-kit.ts';

const table = (...items: readonly unknown[]) => ({ details: { type: 'table', items } });

test('kinds, scripts and long tasks are read; what belongs to no script has no address', () => {
  expect(
    readMainThread({
      'mainthread-work-breakdown': table(
        { group: 'scriptEvaluation', duration: 600.06 },
        { group: 'styleLayout', duration: 50 },
      ),
      'bootup-time': table(
        { url: 'https://a.test/a.js', total: 618.5, scripting: 599.7, scriptParseCompile: 15.2 },
        { url: 'Unattributable', total: 496, scripting: 4, scriptParseCompile: 0 },
      ),
      'long-tasks': table({ url: 'https://a.test/a.js', duration: 619, startTime: 7967.7 }),
    }),
  ).toEqual({
    byKind: { scriptEvaluation: 600.1, styleLayout: 50 },
    scripts: [
      { url: 'https://a.test/a.js', totalMs: 618.5, scriptingMs: 599.7, parseMs: 15.2 },
      { url: null, totalMs: 496, scriptingMs: 4, parseMs: 0 },
    ],
    longTasks: [{ url: 'https://a.test/a.js', startMs: 7967.7, durationMs: 619 }],
  });
});

test.for([
  ['nothing', {}],
  ['details of another shape', { 'bootup-time': { details: { items: 'many' } }, 'long-tasks': {} }],
  ['rows of another shape', { 'mainthread-work-breakdown': table(null, 3, { group: '__proto__' }) }],
] as const)('%s is no time', ([, audits]) => {
  expect(readMainThread(audits)).toEqual({ byKind: {}, scripts: [], longTasks: [] });
});

test('rows and the characters of their addresses have a limit', () => {
  const long = { url: `https://a.test/${'x'.repeat(9000)}`, total: 100 };
  expect(readMainThread({ 'bootup-time': table(long, long, long) }).scripts).toHaveLength(2);
  const many = Array.from({ length: 5000 }, () => ({ url: 'https://a.test/', total: 60 }));
  expect(readMainThread({ 'bootup-time': table(...many) }).scripts).toHaveLength(20);
});

const busy: MainThreadObservation = {
  byKind: { scriptEvaluation: 700.5, other: 100.1 },
  scripts: [
    { url: 'https://cdn.example/ads.js', totalMs: 400, scriptingMs: 390, parseMs: 5 },
    { url: 'https://www.a.test/a.js', totalMs: 200, scriptingMs: 180, parseMs: 10 },
    { url: 'https://cdn.example/more.js', totalMs: 100, scriptingMs: 90, parseMs: 1 },
    { url: null, totalMs: 90, scriptingMs: 1, parseMs: 0 },
  ],
  longTasks: [{ url: 'https://cdn.example/ads.js', startMs: 900, durationMs: 350 }],
};
const reported = (page: LoadObservation) =>
  assessPagespeed(seen(load({ page: { finalUrl: 'https://www.a.test/', ...page } as object }))).fields
    .mainThread;

test('the report says whose each script is, and sums by owner', () => {
  const ads = { url: 'https://cdn.example/ads.js', owner: 'Ads & Co', isThirdParty: true };
  const requests = requestsSeen([
    requestSeen(ads),
    requestSeen({ ...ads, url: 'https://cdn.example/more.js' }),
  ]);
  expect(reported({ mainThread: busy, requests })).toMatchObject({
    totalMs: 800.6,
    scripts: [
      ads,
      { url: 'https://www.a.test/a.js', owner: null, isThirdParty: false },
      { owner: 'Ads & Co' },
      { url: null, owner: null, isThirdParty: false },
    ],
    owners: [
      { owner: 'Ads & Co', isThirdParty: true, totalMs: 500 },
      { owner: 'www.a.test', isThirdParty: false, totalMs: 200 },
    ],
    longTasks: [{ ...ads, startMs: 900, durationMs: 350 }],
  });
});

test('a script whose request was not kept is told by its host', () => {
  expect(reported({ mainThread: busy })?.owners[0]).toEqual({
    owner: 'cdn.example',
    isThirdParty: true,
    totalMs: 500,
  });
});

test('evidence of an older version has no main thread; of another shape it is empty', () => {
  expect(reported({})).toBeNull();
  const broken = { byKind: 3, scripts: [null, { url: 7, totalMs: 'long' }], longTasks: {} };
  expect(reported({ mainThread: broken } as unknown as LoadObservation)).toMatchObject({
    totalMs: 0,
    scripts: [
      { url: null, totalMs: 0 },
      { url: null, totalMs: 0 },
    ],
    owners: [],
    longTasks: [],
  });
});

test('PageSpeed Insights tells it too', () => {
  expect(assessPagespeed(seenByPsi(psiAnswer())).fields.mainThread).toMatchObject({ longTasks: [] });
});
