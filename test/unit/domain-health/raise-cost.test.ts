import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { rules as headerRules } from '#shared/catalogue/security-header-check/rules';
import { assessHealth } from '#shared/health/assess';
import type { HealthEvidence } from '#shared/health/evidence';
import { readHealth } from '#shared/health/facts/health';
import { judgeHealth } from '#shared/health/judge/health';
import { combine } from '#shared/health/judge/score';
import { reportRaise } from '#shared/health/raise/raise';
import { listPartFindings } from '#shared/health/report/part-findings';
import { evidence, headers, dns, ssl } from './parts.ts';

/** CPU time of each act on this thread, µs: the least of several rounds that take turns, since what others do on the machine only adds to it. */
function cpuOf(...acts: readonly (() => void)[]): readonly number[] {
  const rounds = Array.from({ length: 9 }, () =>
    acts.map((act) => {
      const before = process.threadCpuUsage();
      for (let time = 0; time < 20; time += 1) act();
      const { user, system } = process.threadCpuUsage(before);
      return (user + system) / 20;
    }),
  );
  return acts.map((_, index) => Math.min(...rounds.map((costs) => costs[index] ?? Infinity)));
}

const poor = JSON.parse(readFileSync('test/fixtures/domain-health/poor.json', 'utf8')) as HealthEvidence;
const worst = evidence({
  headers: headers({ broken: Object.keys(headerRules), score: 0 }),
  dns: dns({
    broken: ['spf-all-pass', 'dmarc-missing', 'ns-single', 'caa-value-malformed', 'ns-tcp-missing'],
  }),
  ssl: ssl({ broken: ['tls10-offered', 'hsts-missing', 'suite-rc4-offered', 'certificate-expired'] }),
});

test.for([
  { name: 'a poor domain', of: poor },
  { name: 'every rule of the headers broken', of: worst },
])('$name: judging again takes a few times what judging takes, not an order of magnitude more', ({ of }) => {
  const judge = () => {
    const facts = readHealth(of, 0);
    const verdicts = judgeHealth(facts);
    return { facts, verdicts, parts: listPartFindings(facts, combine(facts.categories).usedWeight) };
  };
  const { facts, verdicts, parts } = judge();
  for (let round = 0; round < 50; round += 1) assessHealth(of);
  const [raise = Infinity, once = 1] = cpuOf(() => void reportRaise(facts, parts, verdicts), judge);
  console.log(`raise takes ${(raise / 1000).toFixed(2)} ms, judging once ${(once / 1000).toFixed(2)} ms`);
  // Measured: 1 to 4.
  expect(raise / once).toBeLessThan(15);
});

test('so many faults are judged again at most, and the rest is counted', () => {
  const { raise = [], raiseLeftOut = 0 } = assessHealth(worst).fields;
  expect(raise.length).toBeLessThanOrEqual(10);
  expect(raiseLeftOut).toBeGreaterThan(0);
});
