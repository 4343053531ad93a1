import { expect, test } from 'vitest';
import type { News } from '#shared/catalogue/news';
import type { Outline } from '#shared/catalogue/outline';
import { holdBack, replacePart } from '#shared/catalogue/second-look';
import { judgeTurn, type TurnNews } from '#shared/catalogue/watch-news';
import { secondLook } from '#shared/model/watch-times';
import { lookAt, lookAtPart, type Moment, weatherOf } from '../../kit/weather.ts';

const everySeconds = 10_800;
const watch = { watchId: 'w1', everySeconds };
const notify = { minSeverity: 'low' as const, daysBefore: [] };

type Told = { readonly news: News; readonly moment: Moment };
type Run = { readonly told: readonly Told[]; readonly mails: number; readonly seconds: number };

/** A watch over days: each turn, and the second look that it asks for. */
function watchOver(moments: readonly Moment[]): Run {
  const told: Told[] = [];
  let [mails, seconds] = [0, 0];
  let from: Outline | undefined;
  let pending: readonly string[] = [];
  let kept: Pick<TurnNews, 'memory' | 'expiries'> = { memory: {}, expiries: {} };
  const judge = (to: Outline, moment: Moment, now: number, only?: { check: string; target: string }) => {
    const held = from && holdBack({ from, to, pending, only }, notify.minSeverity);
    const judged = judgeTurn({ from, to: held?.outline ?? to, seen: to, ...kept, notify, everySeconds, now });
    [kept, from, pending] = [judged, judged.base, held?.pending ?? []];
    told.push(...judged.news.map((news) => ({ news, moment })));
    if (judged.news.length > 0) mails += 1;
    return held?.wanted;
  };
  for (const [turn, moment] of moments.entries()) {
    const { at, truth, sky } = moment;
    const to = lookAt(truth, sky, at);
    const wanted = judge(to, moment, at);
    const again = wanted && secondLook(watch, 'a.test', at);
    // There is no room for one in five.
    if (!wanted || again === undefined || turn % 5 === 0) continue;
    seconds += 1;
    const part = lookAtPart(wanted.check, truth, { ...sky, misread: undefined, late: new Set() }, again);
    if (part) judge(replacePart(to, part), moment, again, wanted);
  }
  return { told, mails, seconds };
}

const critical = ['mx-none-reachable', 'certificate-expired'];
const isCritical = (truth: Iterable<string>) =>
  [...truth].some((fault) => critical.includes(fault.split(' ')[1] ?? ''));

/** Whether that is so which was told. */
function isTrue({ news: { kind, code, severity }, moment: { truth, sky } }: Told): boolean {
  if (kind === 'state') return (severity === 'critical') === sky.isGone;
  if (kind === 'grade') return true;
  if (code === 'target-unreachable' || code === 'connection-refused')
    return sky.isGone === (kind !== 'finding-fixed');
  // What a look reads the wrong way round it must be allowed to tell.
  const misread = sky.misread === undefined ? [] : [sky.misread];
  if (misread.some((one) => one.endsWith(` ${code}`) || (code === 'finding-critical' && isCritical([one]))))
    return true;
  if (code === 'finding-critical') return isCritical(truth) === (kind !== 'finding-fixed');
  return [...truth].some((one) => one.endsWith(` ${code}`)) === (kind !== 'finding-fixed');
}

const days = 30;
const seeds = Array.from({ length: 40 }, (_, seed) => seed);
const runs = seeds.map((seed) => {
  const moments = weatherOf(seed, days, everySeconds * 1000);
  return { seed, moments, ...watchOver(moments) };
});

test('in thirty days of weather nothing untrue is told', () => {
  const untrue = runs.flatMap(({ seed, told }) =>
    told
      .filter((one) => !isTrue(one))
      .map(({ news, moment }) => `${seed} ${moment.at / 3_600_000} h: ${news.text}`),
  );
  const of = (name: 'mails' | 'seconds') => runs.reduce((sum, run) => sum + run[name], 0) / runs.length;
  console.log(
    `${runs.length} watches of ${days} days: ${of('mails')} mails and ${of('seconds')} second looks each`,
  );
  expect(untrue).toEqual([]);
});

test('each state is told once', () => {
  const twice = runs.flatMap(({ seed, told, moments }) => {
    const last = new Map<string, Told>();
    return told.flatMap((one) => {
      const { kind, category, code, text } = one.news;
      if (code === null || kind === 'finding-changed') return [];
      const before = last.get(`${category} ${code}`);
      last.set(`${category} ${code}`, one);
      if (before?.news.kind !== kind || text.startsWith('Still')) return [];
      // It was otherwise meanwhile, of which nothing was told as it went to and fro.
      const between = moments.filter(({ at }) => at > before.moment.at && at < one.moment.at);
      const wasOtherwise = between.some(
        (moment) =>
          !isTrue({ news: one.news, moment: { ...moment, sky: { ...moment.sky, misread: undefined } } }),
      );
      return wasOtherwise ? [] : [`${seed} ${one.moment.at / 3_600_000} h: ${text}`];
    });
  });
  expect(twice).toEqual([]);
});

test('what lasts is told', () => {
  const missed = runs.flatMap(({ seed, moments, told }) => {
    const faults = new Set(moments.flatMap(({ truth }) => [...truth]));
    const end = moments.slice(-16);
    return [...faults].flatMap((fault) => {
      const code = fault.split(' ')[1] ?? '';
      const isNow = end.at(-1)?.truth.has(fault) === true;
      if (end.some(({ truth, sky }) => truth.has(fault) !== isNow || sky.isGone || sky.misread === fault))
        return [];
      const first = moments[0]?.truth.has(fault) === true;
      const last = told.findLast(({ news }) => news.code === code && news.kind !== 'finding-changed');
      const believed = last === undefined ? first : last.news.kind === 'finding-added';
      return believed === isNow ? [] : [`${seed} ${fault}: ${isNow ? 'broken' : 'well'}`];
    });
  });
  expect(missed).toEqual([]);
});
