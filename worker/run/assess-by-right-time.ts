import type { Assessment } from '#shared/model/report';
import { type Vantage, vantageTexts } from '#shared/model/vantage';
import { isBroken, type Json, notTested, type Verdict } from '#shared/model/verdict';
import type { Check } from '../checks/check.ts';

type SeenAt = {
  readonly evidence: Json;
  readonly checkedAtMs: number;
  readonly vantage?: Vantage;
};

/**
 * Judges what was seen. On a machine whose clock is wrong it does so by that clock and by the right time, or by both ends of what the right
 * time may be: what differs between them is not tested, what does not depend on the time stands.
 */
export function assessByRightTime(check: Pick<Check, 'assess' | 'atTime'>, file: SeenAt): Assessment {
  const ours = check.assess(file.evidence, file);
  const { clockOffsetMs = 0, clockMostMs = clockOffsetMs } = file.vantage ?? {};
  if (clockOffsetMs === 0) return ours;
  const right = [...new Set([clockOffsetMs, clockMostMs])].map((byMs) =>
    check.assess(check.atTime?.(file.evidence, byMs) ?? file.evidence, {
      checkedAtMs: file.checkedAtMs + byMs,
    }),
  );
  const differing = Object.keys(ours.verdicts).filter((code) =>
    right.some(({ verdicts }) => kindOf(verdicts[code]) !== kindOf(ours.verdicts[code])),
  );
  if (differing.length === 0) return ours;
  const unsure = Object.fromEntries(differing.map((code) => [code, notTested(vantageTexts.clock.reason)]));
  const isBlamedIn = ({ verdicts }: Assessment) =>
    differing.some((code) => kindOf(verdicts[code]) === 'broken');
  // The one that blames the target for nothing of it has the score without it.
  const fair = [...right, ours].find((one) => !isBlamedIn(one));
  return {
    ...(fair ?? { ...ours, state: 'partial' as const, score: null }),
    verdicts: { ...(fair ?? ours).verdicts, ...unsure },
    missing: [...(ours.missing ?? []), 'clock'],
  };
}

/** What a verdict says, without its evidence: how many days are left differs always. */
function kindOf(verdict: Verdict | undefined): string {
  if (verdict === undefined || typeof verdict === 'string') return verdict ?? '';
  return isBroken(verdict) ? 'broken' : 'not-tested';
}
