import { expect, test } from 'vitest';
import { dnsCheckOptions } from '#shared/catalogue/dns-check/options';
import { outOfTime } from '#shared/model/failure';
import type { Progress } from '#shared/ports/job-queue';
import { gatherDnsCheck } from '../../../worker/checks/dns-check/gather.ts';
import { openQuestions } from '../../../worker/dns/questions.ts';
import type { DnsAnswer, DnsProbe } from '../../../worker/probes/dns/port.ts';
import { type Change, goodWorld } from './good-world.ts';
import { inRounds } from './rounds.ts';
import { labPolicy, probesOf } from './run-check.ts';
import { openWorld } from './world.ts';

async function gatherCounted(change: Change, domain = 'good.test') {
  const { probe, asked } = openWorld(goodWorld(change));
  const counted = inRounds(probe);
  const progress: Progress[] = [];
  const evidence = await gatherDnsCheck({
    target: domain,
    options: {},
    probes: probesOf(onceEach(counted.probe)),
    progress: (one) => progress.push(one),
  });
  return { evidence, progress, asked: asked(), rounds: counted.rounds() };
}

// Equal questions of a run are asked once; the world's probe does the same, behind the rounds.
function onceEach(probe: DnsProbe): DnsProbe {
  const asked = new Map<string, Promise<DnsAnswer>>();
  return {
    ask: async (question, options = {}) => {
      const key = JSON.stringify([question.name, question.type, options]);
      const answer = asked.get(key) ?? probe.ask(question, options);
      asked.set(key, answer);
      return answer;
    },
  };
}

const waves: readonly { name: string; change: Change; domain?: string; most: number }[] = [
  { name: 'a usual domain takes four rounds', change: {}, most: 4 },
  { name: 'so does one that is not signed', change: { signed: false }, most: 4 },
  {
    name: 'a domain that does not exist takes three: the parent’s servers are asked whether all say so',
    change: {},
    domain: 'nothing.test',
    most: 3,
  },
  { name: 'a host inside a zone takes three', change: {}, domain: 'www2.good.test', most: 3 },
  {
    name: 'a bogus domain takes five: its records are asked once more without checking',
    change: { resolver: { validates: true, bogus: 'good.test' } },
    most: 5,
  },
  {
    name: 'a name server that the parent alone knows costs two more',
    change: { parentAdd: ['good.test 3600 NS ns.test'] },
    most: 5,
  },
];
test.for(waves)('$name', async ({ change, domain, most }) => {
  const { rounds } = await gatherCounted(change, domain);
  expect(rounds).toBeLessThanOrEqual(most);
});

test('a mail domain of the SOA that is the domain’s own costs no question more', async () => {
  const own = await gatherCounted({});
  const without = await gatherCounted({
    without: ['@ 3600 SOA'],
    add: ['@ 3600 SOA ns1.good.test hostmaster@good.test 1 14400 3600 1209600 3600'],
  });
  expect(own.evidence.dns.mailbox?.exchanges.map(({ name }) => name)).toEqual(['mail.good.test']);
  expect(without.evidence.dns.mailbox).toBeUndefined();
  expect(own.asked).toBe(without.asked);
});

test('progress counts answers, and ends complete', async () => {
  const { progress, asked } = await gatherCounted({});
  expect(progress.at(-1)?.done).toBe(progress.at(-1)?.total);
  expect(progress.at(-1)?.done).toBeGreaterThanOrEqual(asked);
  expect(progress.map(({ done }) => done)).toEqual(progress.map((_, at) => at + 1));
});

test('one type that is never answered holds up nothing but itself', async () => {
  const { probe } = openWorld(goodWorld());
  const never = new Promise<DnsAnswer>(() => undefined);
  const slow: DnsProbe = {
    ask: async (question, options) => (question.type === 'HTTPS' ? never : probe.ask(question, options)),
  };
  const questions = openQuestions({
    dns: slow,
    target: 'good.test',
    policy: labPolicy,
    progress: () => undefined,
    deadlineMs: 50,
  });
  const late = questions.ask({ name: 'good.test', type: 'HTTPS' });
  expect(await questions.ask({ name: 'good.test', type: 'A' })).toMatchObject({ kind: 'answer' });
  expect(await late).toMatchObject({ kind: 'failure', reason: outOfTime });
  questions.close();
});

test('the operator’s origin zone is asked wherever it is, its neighbours are not', async () => {
  const asked: string[] = [];
  const { probe } = openWorld(goodWorld());
  const dns: DnsProbe = {
    originZones: { ipv4: 'origin.as.internal', ipv6: 'origin6.as.internal' },
    ask: async (question, options) => {
      asked.push(question.name);
      return probe.ask(question, options);
    },
  };
  const progress = () => undefined;
  const questions = openQuestions({
    dns,
    target: 'good.test',
    policy: labPolicy,
    progress,
    deadlineMs: 5000,
  });
  for (const name of ['1.2.0.192.origin.as.internal', 'db.as.internal'])
    await questions.ask({ name, type: 'TXT' });
  questions.close();
  expect(asked).toEqual(['1.2.0.192.origin.as.internal']);
});

test('an aborted run rejects, and leaves no promise behind', async () => {
  const aborted: DnsProbe = { ask: async () => Promise.reject(new Error('the run was aborted')) };
  const run = gatherDnsCheck({
    target: 'good.test',
    options: {},
    probes: probesOf(aborted),
    progress: () => undefined,
  });
  await expect(run).rejects.toThrow('the run was aborted');
});

const options: readonly { name: string; given: object; good: boolean }[] = [
  { name: 'none', given: {}, good: true },
  { name: 'selectors', given: { dkimSelector: ['s1', 'S2', 'a.b', '_x'] }, good: true },
  { name: 'an IPv4 address', given: { ip: '192.0.2.1' }, good: true },
  { name: 'an IPv6 address', given: { ip: '2001:db8::1' }, good: true },
  {
    name: 'a message',
    given: { ip: '192.0.2.1', sender: 'a@example.test', helo: 'mail.example.test' },
    good: true,
  },
  {
    name: 'an empty local part and an odd HELO name (RFC 7208 §4.3)',
    given: { ip: '192.0.2.1', sender: '@example.test', helo: '(OEM),{0}!x' },
    good: true,
  },
  {
    name: 'a quoted local part',
    given: { ip: '192.0.2.1', sender: '"a b@c\\""@example.test' },
    good: true,
  },
  {
    name: 'a HELO name and a local part with a space',
    given: { ip: '192.0.2.1', sender: 'a b@example.test', helo: 'a b' },
    good: true,
  },
  { name: 'a HELO name of two lines', given: { ip: '192.0.2.1', helo: 'a\r\nb' }, good: false },
  { name: 'a sender of two lines', given: { ip: '192.0.2.1', sender: 'a\nb@example.test' }, good: false },
  { name: 'a domain with a space', given: { ip: '192.0.2.1', sender: 'a@b c.test' }, good: false },
  { name: 'a sender without a domain', given: { ip: '192.0.2.1', sender: '""@' }, good: false },
  {
    name: 'eleven selectors',
    given: { dkimSelector: Array.from({ length: 11 }, (_, at) => `s${at}`) },
    good: false,
  },
  { name: 'an empty selector', given: { dkimSelector: [''] }, good: false },
  { name: 'a selector with a dot at its end', given: { dkimSelector: ['a.'] }, good: false },
  { name: 'a selector with an empty label', given: { dkimSelector: ['a..b'] }, good: false },
  { name: 'a selector with a space', given: { dkimSelector: ['a b'] }, good: false },
  { name: 'a selector of 64 characters', given: { dkimSelector: ['a'.repeat(64)] }, good: false },
  { name: 'text for an address', given: { ip: 'localhost' }, good: false },
  { name: 'a sender of 321 characters', given: { sender: 'a'.repeat(321) }, good: false },
];
test.for(options)('options: $name', ({ given, good }) => {
  expect(dnsCheckOptions.safeParse(given).success).toBe(good);
});

test('selectors are one whatever their letter case', () => {
  expect(dnsCheckOptions.parse({ dkimSelector: ['S1'] }).dkimSelector).toEqual(['s1']);
});
