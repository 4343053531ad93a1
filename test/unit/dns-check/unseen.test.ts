import { expect, test } from 'vitest';
import { capOf } from '#shared/catalogue/dns-check/points';
import { codesBroken } from '#shared/model/verdict';
import { assessDnsCheck } from '../../../worker/checks/dns-check/assess.ts';
import type { DnsCheckEvidence } from '../../../worker/checks/dns-check/gather.ts';
import { apexTypes } from '../../../worker/checks/dns-check/halves.ts';
import { unheard } from '../../../worker/dns/not-asked.ts';
import { runsOf } from '../../kit/property-runs.ts';
import { cases } from './cases.ts';
import { goodWorld } from './good-world.ts';
import { gatherIn } from './run-check.ts';

const why = 'no answer within 3 tries';

/** Evidence in which these answers of the resolver never came. */
function withoutApex(evidence: DnsCheckEvidence, types: readonly string[]): DnsCheckEvidence {
  const apex = Object.fromEntries(
    apexTypes.map((type) => {
      const answer = evidence.dns.apex[type];
      return [type, types.includes(type) ? unheard(answer.question, why) : answer];
    }),
  ) as DnsCheckEvidence['dns']['apex'];
  return { ...evidence, dns: { ...evidence.dns, apex } };
}

/** Evidence in which nothing at these names was seen for mail. */
function withoutSights(evidence: DnsCheckEvidence, isHidden: (name: string) => boolean): DnsCheckEvidence {
  const sights = evidence.mail.sights.map((observation) =>
    isHidden(observation.name)
      ? { ...observation, outcome: 'unknown' as const, records: [], why }
      : observation,
  );
  return { ...evidence, mail: { ...evidence.mail, sights } };
}

type Hide = (evidence: DnsCheckEvidence) => DnsCheckEvidence;

/** All ways of not seeing that are tried, by name. */
const ways: { readonly [name: string]: Hide } = {
  ...Object.fromEntries(
    apexTypes.map((type) => [type, (seen: DnsCheckEvidence) => withoutApex(seen, [type])]),
  ),
  'all of the resolver': (seen) => withoutApex(seen, apexTypes),
  'the parent': (seen) => ({ ...seen, dns: { ...seen.dns, referrals: [] } }),
  'the name servers': (seen) => ({ ...seen, dns: { ...seen.dns, servers: [], direct: [] } }),
  'the addresses of name servers': (seen) => ({
    ...seen,
    dns: { ...seen.dns, hosts: [], servers: [], direct: [] },
  }),
  DMARC: (seen) => withoutSights(seen, (name) => name.startsWith('_dmarc.')),
  DKIM: (seen) => withoutSights(seen, (name) => name.includes('_domainkey.')),
  'mail hosts': (seen) => withoutSights(seen, (name) => name.startsWith('mail') || name.endsWith('.arpa')),
  'the domain itself': (seen) => withoutSights(seen, (name) => name === seen.mail.domain),
};

type Part = { readonly weight: number; readonly state: string; readonly score: number | null };

/** The score of the same report if all that was not seen were good. */
function mostOf({ fields, verdicts }: ReturnType<typeof assessDnsCheck>): number {
  const { dnsScore, mailScoreParts } = fields as {
    readonly dnsScore: number | null;
    readonly mailScoreParts: readonly Part[];
  };
  const parts = mailScoreParts.filter(({ state }) => state !== 'not-applicable');
  const weight = parts.reduce((sum, part) => sum + part.weight, 0);
  const kept = parts.reduce((sum, part) => sum + (part.score ?? part.weight), 0);
  const halves = [dnsScore ?? 100, ...(weight === 0 ? [] : [(100 * kept) / weight])];
  const mean = halves.reduce((sum, half) => sum + half, 0) / halves.length;
  return Math.min(Math.ceil(mean), capOf(codesBroken(verdicts)));
}

test('what is not seen gives no better score than the same thing seen to be good', async () => {
  const evidence = await gatherIn(goodWorld());
  const good = assessDnsCheck(evidence).score ?? 0;
  const scores = [...apexTypes.map((type) => [type]), [...apexTypes]].map(
    (types) => assessDnsCheck(withoutApex(evidence, types)).score,
  );
  expect(scores.filter((score) => typeof score === 'number' && score > good)).toEqual([]);
  expect(assessDnsCheck(withoutApex(evidence, apexTypes)).score).toBeNull();
});

// A tenth of the rows, each time others by name; SOAK=1 takes all.
const step = Math.max(1, Math.round(cases.length / runsOf(cases.length)));

test.for(cases.filter((_, at) => at % step === 0))(
  '$name: hiding any of it gives no better score than if that were good',
  async ({ change, domain }) => {
    const evidence = await gatherIn(goodWorld(change), domain);
    const wrong = Object.entries(ways).flatMap(([name, hide]) => {
      const seen = assessDnsCheck(hide(evidence));
      const { score = null } = seen;
      return score === null || score <= mostOf(seen) ? [] : [{ name, score, most: mostOf(seen) }];
    });
    expect(wrong).toEqual([]);
  },
);
