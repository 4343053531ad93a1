import { expect, test } from 'vitest';
import { rules } from '#shared/catalogue/dns-check/rules';
import { listVerdicts } from '#shared/model/finding';
import { assessDnsCheck } from '../../../worker/checks/dns-check/assess.ts';
import { gatherDnsCheck } from '../../../worker/checks/dns-check/gather.ts';
import { budgetLimits, openBudget } from '../../../worker/dns/budget.ts';
import { countingProbe, mostOf, sumOf } from './count-questions.ts';
import { probesOf } from './run-check.ts';
import { hostileWorld, usualWorlds, worldWith } from './usual-worlds.ts';
import type { World } from './world.ts';

async function gatherCounted(world: World) {
  const { probe, cost } = countingProbe(world, 'good.test');
  const probes = probesOf(probe);
  const evidence = await gatherDnsCheck({
    target: 'good.test',
    options: {},
    probes,
    progress: () => undefined,
  });
  return { evidence, cost };
}

// EDNS version 1 and an unknown option cost two questions at each address, and the proofs of the one signed zone, the first, two more:
// 16, 8, 8, 8 and 24 questions. A domain without DMARC is asked for it under the doubled name too, and one without keys for those.
const questionsOf: Readonly<Record<string, number>> = {
  'its own mail host': 119,
  'Google Workspace': 133,
  'Microsoft 365': 110,
  Cloudflare: 114,
  'six name servers of one provider': 181,
};

test.for(usualWorlds)(
  '$name: nothing is held back, and each limit leaves room for half as much again',
  async (usual) => {
    const { evidence, cost } = await gatherCounted(usual.world);
    expect(evidence.heldBack).toEqual({ refused: [], spent: [] });
    expect(cost.questions).toBe(questionsOf[usual.name]);
    expect(mostOf(cost.byDomain)[1] * 2).toBeLessThanOrEqual(budgetLimits.perDomain);
    expect(mostOf(cost.packets)[1] * 1.5).toBeLessThanOrEqual(budgetLimits.perAddress);
    expect(cost.packets.size * 1.5).toBeLessThanOrEqual(budgetLimits.addresses);
  },
);

test('a domain that names a victim everywhere asks about it 50 times, and each of 16 servers for little', async () => {
  const { evidence, cost } = await gatherCounted(hostileWorld);
  const victim = mostOf(cost.byDomain);
  expect(victim).toEqual(['example.com', budgetLimits.perDomain]);
  // Its own sixteen, and one of the parent's.
  expect(cost.packets.size).toBe(17);
  expect(sumOf(cost.packets)).toBeLessThanOrEqual(16 * 10);
  expect(sumOf(cost.connections)).toBeLessThanOrEqual(16);
  const assessment = assessDnsCheck(evidence);
  expect(assessment.fields['budget']).toMatchObject({
    exhausted: true,
    limits: [{ limit: 'perDomain', of: 'example.com', allowed: 50 }],
  });
  const { notTested } = listVerdicts(rules, assessment.verdicts);
  expect(notTested.map(({ reason }) => reason).join('\n')).toContain('example.com');
});

test('mail hosts beyond the budget are not tested, with the reason', async () => {
  const hosts = Array.from({ length: 20 }, (_, at) => `@ 3600 MX ${at} m${at}.victim.example.com`);
  const { evidence } = await gatherCounted(
    worldWith({ signed: false, without: ['@ 3600 MX'], add: hosts }, {}),
  );
  expect(evidence.heldBack?.spent).toEqual([
    { limit: 'perDomain', of: 'example.com', allowed: 50, notAsked: 10 },
  ]);
  const seen = evidence.mail.sights.filter(({ outcome }) => outcome === 'unknown').map(({ why }) => why);
  expect(new Set(seen)).toEqual(
    new Set(['a limit of this run was reached: 50 questions about names of example.com']),
  );
});

test('the target’s own names are not counted, whatever their number', () => {
  const budget = openBudget('www.good.test');
  const spent = Array.from({ length: 500 }, (_, at) => budget.spend({ name: `h${at}.good.test`, type: 'A' }));
  expect(spent.filter((reason) => reason !== undefined)).toEqual([]);
});

test('letter case and private suffixes make no new domain', () => {
  const budget = openBudget('good.test', { perDomain: 2, addresses: 1, perAddress: 1 });
  const names = ['a.github.io', 'b.GITHUB.io', 'c.github.io'];
  expect(names.map((name) => budget.spend({ name, type: 'A' }) === undefined)).toEqual([true, true, false]);
});

test('one address too many, and one question too many to an address, are refused and counted', () => {
  const budget = openBudget('good.test', { perDomain: 1, addresses: 1, perAddress: 1 });
  const question = { name: 'good.test', type: 'SOA' };
  const spent = ['192.0.2.1', '192.0.2.1', '192.0.2.2', '192.0.2.3'].map((server) =>
    budget.spend(question, server),
  );
  expect(spent).toEqual([
    undefined,
    'a limit of this run was reached: 1 questions to 192.0.2.1',
    'a limit of this run was reached: 1 addresses of name servers',
    'a limit of this run was reached: 1 addresses of name servers',
  ]);
  expect(budget.spent()).toEqual([
    { limit: 'perAddress', of: '192.0.2.1', allowed: 1, notAsked: 1 },
    { limit: 'addresses', of: '', allowed: 1, notAsked: 2 },
  ]);
});
