import { expect, test } from 'vitest';
import { assessDnsCheck } from '../../../../worker/checks/dns-check/assess.ts';
import type { DnsCheckEvidence } from '../../../../worker/checks/dns-check/gather.ts';
import { gatherDnsCheck } from '../../../../worker/checks/dns-check/gather.ts';
import type { DnsAnswer, DnsProbe } from '../../../../worker/probes/dns/port.ts';
import { goodWorld } from '../good-world.ts';
import { dnsCodesBroken, gatherIn, probesOf } from '../run-check.ts';
import { openWorld } from '../world.ts';

const server = '198.51.100.1';
const lost = (question: DnsAnswer['question']): DnsAnswer => ({
  kind: 'failure',
  question,
  code: 'timeout',
  reason: 'no answer within 3 tries',
  server,
});

test('a question with EDNS that was lost proves nothing where another one was answered', async () => {
  const evidence = await gatherIn(goodWorld());
  const servers = evidence.dns.servers.map((one) =>
    one.address === server ? { ...one, soa: lost(one.soa.question) } : one,
  );
  const doubtful: DnsCheckEvidence = { ...evidence, dns: { ...evidence.dns, servers } };
  expect(dnsCodesBroken(assessDnsCheck(doubtful))).toEqual([]);
});

test('a domain whose SOA is not answered, but whose address is, exists', async () => {
  const evidence = await gatherIn(goodWorld());
  const apex = { ...evidence.dns.apex, SOA: lost(evidence.dns.apex.SOA.question) };
  const { verdicts, fields } = assessDnsCheck({ ...evidence, dns: { ...evidence.dns, apex } });
  expect([verdicts['domain-not-found'], fields['exists']]).toEqual(['holds', true]);
});

test('TCP is tried a second time before it is called missing', async () => {
  const { probe } = openWorld(goodWorld());
  const once: DnsProbe = {
    ask: async (question, options) =>
      options?.transport === 'tcp' && options.server === server && question.type === 'SOA'
        ? lost(question)
        : probe.ask(question, options),
  };
  const evidence = await gatherDnsCheck({
    target: 'good.test',
    options: {},
    probes: probesOf(once),
    progress: () => undefined,
  });
  expect(dnsCodesBroken(assessDnsCheck(evidence))).toEqual([]);
});
