import type { MailCode } from '../../../shared/catalogue/dns-check/mail/rules.ts';
import { codesBroken, type Json, type Verdicts } from '../../../shared/model/verdict.ts';
import type { MailAssessment } from './mail/assess.ts';
import type { MailEvidence } from './mail/evidence.ts';
import { mailPart } from './mail/index.ts';
import type { Part, PartContext } from './parts.ts';

/** The mail half as a part: its questions go the way of all others, and its points become shares of 100. */
export const mailHalf: Part<MailEvidence, MailCode> = {
  async gather({ domain, options, ask, probes }) {
    return mailPart.gather({
      target: domain,
      options: asJson(options),
      probes: { ...probes, dns: { ask } },
      // Counted by `ask` already.
      progress: () => undefined,
    });
  },
  assess(evidence) {
    const { verdicts, fields, mailScore, parts } = mailPart.assess(evidence);
    return {
      verdicts,
      fields,
      score: mailScore,
      scoreEffects: effectsOf(verdicts, parts),
      // DKIM is unknown wherever the selector was not guessed, which no second look would change.
      isPartial: parts.some(({ part, state }) => part !== 'dkim' && state === 'unknown'),
    };
  },
};

// A part's points are of its weight, and the score is the kept share of the weights that count; what belongs to no such part costs nothing.
function effectsOf(
  verdicts: Verdicts<MailCode>,
  parts: MailAssessment['parts'],
): { readonly [code: string]: number } {
  const counted = parts.filter(({ score }) => score !== null);
  const weights = counted.reduce((sum, { weight }) => sum + weight, 0);
  const lost = counted.flatMap((part) => part.lost);
  return Object.fromEntries([
    ...codesBroken(verdicts).map((code) => [code, 0] as const),
    ...lost.map(({ code, points }) => [code, (-100 * points) / weights] as const),
  ]);
}

function asJson(options: PartContext['options']): { readonly [name: string]: Json } {
  return Object.fromEntries(
    Object.entries(options).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])),
  );
}
