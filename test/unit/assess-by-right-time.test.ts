import { describe, expect, test } from 'vitest';
import { vantageTexts } from '#shared/model/vantage';
import { brokenBy, notTested } from '#shared/model/verdict';
import { assessByRightTime } from '../../worker/run/assess-by-right-time.ts';

/** Valid from 100 to 200, beside a rule that knows no time. */
const check = {
  atTime: (evidence: unknown, byMs: number) => ({ at: (evidence as { at: number }).at + byMs }),
  assess(evidence: unknown) {
    const { at } = evidence as { at: number };
    const early = at < 100;
    const late = at > 200;
    return {
      state: 'complete' as const,
      score: early || late ? 20 : 90,
      fields: { at },
      verdicts: {
        'not-yet-valid': early ? brokenBy([{ at }]) : ('holds' as const),
        expired: late ? brokenBy([{ at }]) : ('holds' as const),
        weak: brokenBy([{ at }]),
      },
    };
  },
};
const unsure = notTested(vantageTexts.clock.reason);
const seen = (at: number, clockOffsetMs?: number, clockMostMs?: number) => ({
  evidence: { at },
  checkedAtMs: at,
  vantage: {
    id: null,
    missing: [],
    ...(clockOffsetMs === undefined ? {} : { clockOffsetMs }),
    ...(clockMostMs === undefined ? {} : { clockMostMs }),
  },
});

describe('a verdict by a wrong clock', () => {
  test('is given where the clock is right', () => {
    const { verdicts, score, missing } = assessByRightTime(check, seen(50));
    expect({ verdicts, score, missing }).toMatchObject({
      verdicts: { 'not-yet-valid': { broken: [{}] }, expired: 'holds' },
      score: 20,
      missing: undefined,
    });
  });

  test.for<[string, number, number, number | undefined]>([
    ['too slow', 50, 100, undefined],
    ['too fast', 250, -100, undefined],
    ['too slow by an unknown time, whose nearer end is outside', 10, 50, 150],
    ['right by its own time, wrong by ours', 150, 100, undefined],
  ])('%s: what differs is not tested, and costs nothing', ([, at, offsetMs, mostMs]) => {
    const { verdicts, score, missing } = assessByRightTime(check, seen(at, offsetMs, mostMs));
    expect(
      Object.values(verdicts).filter((one) => JSON.stringify(one) === JSON.stringify(unsure)),
    ).toHaveLength(1);
    expect(verdicts['weak']).toMatchObject({ broken: [{}] });
    expect({ score, missing }).toEqual({ score: 90, missing: ['clock'] });
  });

  test('stands where both times say the same', () => {
    const { verdicts, score, missing } = assessByRightTime(check, seen(10, 50));
    expect({ score, missing }).toEqual({ score: 20, missing: undefined });
    expect(verdicts['not-yet-valid']).toMatchObject({ broken: [{}] });
  });

  test('that blames at each time has no score', () => {
    const { score, state, verdicts } = assessByRightTime(check, seen(50, 200));
    expect({ score, state }).toEqual({ score: null, state: 'partial' });
    expect([verdicts['not-yet-valid'], verdicts['expired']]).toEqual([unsure, unsure]);
  });
});
