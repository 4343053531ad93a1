import { beforeAll, expect, test } from 'vitest';
import { codesBroken } from '#shared/model/verdict';
import { assessDnsCheck } from '../../../worker/checks/dns-check/assess.ts';
import { gatherDnsCheck } from '../../../worker/checks/dns-check/gather.ts';
import type { DnsAskOptions, DnsProbe, DnsQuestion } from '../../../worker/probes/dns/port.ts';
import { goodWorld } from './good-world.ts';
import { probesOf } from './run-check.ts';
import { openWorld, type World } from './world.ts';

const reason = 'the limit of this run was reached';
type IsSpent = (question: DnsQuestion, options: DnsAskOptions) => boolean;

// The questions for which it is true are answered as by a probe whose budget is spent.
async function checkSpent(world: World, isSpent: IsSpent) {
  const { probe } = openWorld(world);
  const dns: DnsProbe = {
    ask: async (question, options = {}) =>
      isSpent(question, options)
        ? { kind: 'failure', question, code: 'budget-spent', reason, server: options.server ?? '' }
        : probe.ask(question, options),
  };
  const probes = probesOf(dns);
  const evidence = await gatherDnsCheck({
    target: 'good.test',
    options: {},
    probes,
    progress: () => undefined,
  });
  return assessDnsCheck(evidence).verdicts;
}

const random = /^[0-9a-f]{16}\./;
const kindOf = ({ name, type }: DnsQuestion, { server = '' }: DnsAskOptions): string =>
  `${type} ${name.replace(random, '*.')} @${server}`;

// Signed once: a world is never changed by being asked.
const world = goodWorld();
const kinds = new Set<string>();
const usual: string[] = [];
beforeAll(async () => {
  const verdicts = await checkSpent(world, (question, options) => {
    kinds.add(kindOf(question, options));
    return false;
  });
  usual.push(...codesBroken(verdicts));
});

test('no rule blames the target for any one question that our budget held back', async () => {
  const blamed: string[] = [];
  for (const kind of kinds) {
    const verdicts = await checkSpent(world, (...asked) => kindOf(...asked) === kind);
    const more = codesBroken(verdicts).filter((code) => !usual.includes(code));
    blamed.push(...more.map((code) => `${kind}: ${code}`));
  }
  expect(kinds.size).toBeGreaterThan(50);
  expect(blamed).toEqual([]);
  // One run for each kind of question, on a machine that may be busy.
}, 60_000);

const waves: readonly { name: string; isSpent: IsSpent }[] = [
  { name: 'every question', isSpent: () => true },
  { name: 'every question to a server', isSpent: (_, { server }) => server !== undefined },
  { name: 'every question to the resolver', isSpent: (_, { server }) => server === undefined },
  { name: 'every question by TCP', isSpent: (_, { transport }) => transport === 'tcp' },
  { name: 'every question for TXT', isSpent: ({ type }) => type === 'TXT' },
  { name: 'every question for an address', isSpent: ({ type }) => type === 'A' || type === 'AAAA' },
];
test.for(waves)('$name held back by our budget blames nothing on the target', async ({ isSpent }) => {
  const verdicts = await checkSpent(world, isSpent);
  expect(codesBroken(verdicts).filter((code) => !usual.includes(code))).toEqual([]);
});

test('a lookup that our budget held back is not tested, with the reason', async () => {
  const verdicts = await checkSpent(world, ({ type }) => type === 'CAA');
  expect([verdicts['lookup-failed'], verdicts['caa-missing']]).toEqual([
    { notTested: reason },
    { notTested: `CAA of good.test: ${reason}` },
  ]);
});
