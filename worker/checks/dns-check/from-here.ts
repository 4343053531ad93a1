import { codesOf, notTested, type Verdict, type Verdicts } from '#shared/model/verdict';
import type { DnsAnswer } from '../../probes/dns/port.ts';
import type { DnsEvidence } from './dns/evidence.ts';

/** Why name servers could not be asked from this network; undefined where they could. */
function whyNotFromHere({ referrals, servers }: DnsEvidence): string | undefined {
  const answers: readonly DnsAnswer[] = [...referrals, ...servers.map(({ soa }) => soa)];
  const lost = answers.find((answer) => answer.kind === 'failure' && answer.code === 'not-from-here');
  return lost?.kind === 'failure' ? lost.reason : undefined;
}

/** Rules that rest on questions to name servers say why there were none. */
export function explainFromHere<Code extends string>(
  verdicts: Verdicts<Code>,
  evidence: DnsEvidence,
): Verdicts<Code> {
  const why = whyNotFromHere(evidence);
  if (why === undefined) return verdicts;
  const told: { -readonly [C in Code]: Verdict } = { ...verdicts };
  for (const code of codesOf(verdicts)) {
    const verdict = verdicts[code];
    if (typeof verdict !== 'object' || !('notTested' in verdict)) continue;
    const { notTested: reason } = verdict;
    if (/\bname servers?\b/.test(reason) && !reason.includes(why))
      told[code] = notTested(`${reason}: ${why}`);
  }
  return told;
}
