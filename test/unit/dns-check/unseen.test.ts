import { expect, test } from 'vitest';
import { assessDnsCheck } from '../../../worker/checks/dns-check/assess.ts';
import type { DnsCheckEvidence } from '../../../worker/checks/dns-check/gather.ts';
import { apexTypes } from '../../../worker/checks/dns-check/halves.ts';
import { unheard } from '../../../worker/dns/not-asked.ts';
import { goodWorld } from './good-world.ts';
import { gatherIn } from './run-check.ts';

/** Evidence in which these answers of the resolver never came. */
function without(evidence: DnsCheckEvidence, types: readonly string[]): DnsCheckEvidence {
  const apex = Object.fromEntries(
    apexTypes.map((type) => {
      const answer = evidence.dns.apex[type];
      return [type, types.includes(type) ? unheard(answer.question, 'no answer within 3 tries') : answer];
    }),
  ) as DnsCheckEvidence['dns']['apex'];
  return { ...evidence, dns: { ...evidence.dns, apex } };
}

test('what is not seen gives no better score than the same thing seen to be good', async () => {
  const evidence = await gatherIn(goodWorld());
  const good = assessDnsCheck(evidence).score ?? 0;
  const scores = [...apexTypes.map((type) => [type]), [...apexTypes]].map(
    (types) => assessDnsCheck(without(evidence, types)).score,
  );
  expect(scores.filter((score) => typeof score === 'number' && score > good)).toEqual([]);
  expect(scores.at(-1)).toBeNull();
});
