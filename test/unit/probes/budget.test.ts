import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { noPace, openMemoryPace } from '#shared/limits/pace/memory';
import type { Slot } from '#shared/ports/job-queue';
import type { Pace, PaceOrder } from '#shared/ports/pace';
import { describeSpent, openBudget } from '../../../worker/probes/budget.ts';
import type { DnsAnswer } from '../../../worker/probes/dns/port.ts';
import type { Charge } from '../../../worker/probes/pace-turns.ts';
import { dnsReply } from '../../kit/dns-reply.ts';

const { signal } = new AbortController();
const owner = { site: 'a.test', isAnonymous: true };

/** How many of so many charges were let through. */
async function chargeMany(what: Charge, hosts: readonly string[], budget = openBudget(noPace, owner)) {
  const refusals = await Promise.all(hosts.map((host) => budget.charge(what, host, signal)));
  return refusals.filter((refusal) => refusal === undefined).length;
}

const names = (count: number, domain: string) =>
  Array.from({ length: count }, (_, index) => `n${index}.${domain}`);

test.for([
  { what: 'foreign questions', hosts: names(200, 'victim.test'), through: 120 },
  { what: 'foreign questions', hosts: names(200, 'a.test'), through: 200 },
  // Names that no host may have are of their domain, too.
  { what: 'foreign questions', hosts: names(200, 'victim.test').map((name) => `*.${name}`), through: 120 },
  { what: 'foreign questions', hosts: names(200, 'victim.test').map((name) => `_x._${name}`), through: 120 },
  { what: 'foreign questions', hosts: names(200, 'a.test').map((name) => `*.${name}`), through: 200 },
  { what: 'foreign connections', hosts: names(200, 'victim.test'), through: 24 },
  { what: 'foreign connections', hosts: names(200, 'a.test'), through: 200 },
  { what: 'packets', hosts: Array<string>(200).fill('192.0.2.1'), through: 60 },
  { what: 'server connections', hosts: Array<string>(20).fill('192.0.2.1'), through: 6 },
  { what: 'packets', hosts: Array.from({ length: 60 }, (_, index) => `192.0.2.${index}`), through: 26 },
] as const)(
  'of $hosts.length $what to $hosts.0 and so on, one run makes $through',
  async ({ what, hosts, through }) => {
    expect(await chargeMany(what, hosts)).toBe(through);
  },
);

test('without an owner no host is foreign', async () => {
  expect(
    await chargeMany('foreign questions', names(200, 'victim.test'), openBudget(noPace, undefined)),
  ).toBe(200);
});

test('an address that never answers is silent after nine packets; one that answered once is not', () => {
  const budget = openBudget(noPace, owner);
  for (let packet = 0; packet < 9; packet += 1) budget.note('192.0.2.1', 'unanswered');
  for (let packet = 0; packet < 9; packet += 1) budget.note('192.0.2.2', 'unanswered');
  budget.note('192.0.2.2', 'answered');
  expect(['192.0.2.1', '192.0.2.2', '192.0.2.3'].map((address) => budget.isSilent(address))).toEqual([
    true,
    false,
    false,
  ]);
});

test('all runs together keep one pace at an address; anonymous callers use a quarter of it', async () => {
  const pace = openMemoryPace();
  const through = async (isAnonymous: boolean, address: string) => {
    const gone = new AbortController();
    let count = 0;
    const charges = Array.from({ length: 1000 }, (_, at) => {
      const run = openBudget(pace, { site: `a${at}.test`, isAnonymous });
      return run.charge('handshakes', address, gone.signal).then(
        (refusal) => void (count += refusal === undefined ? 1 : 0),
        () => undefined, // it would have had to wait
      );
    });
    await delay(200);
    gone.abort();
    await Promise.all(charges);
    return count;
  };
  const anonymous = await through(true, '192.0.2.1');
  expect(anonymous).toBeGreaterThanOrEqual(200);
  expect(anonymous).toBeLessThanOrEqual(210);
  const known = await through(false, '192.0.2.2');
  expect(known).toBeGreaterThanOrEqual(800);
  expect(known).toBeLessThanOrEqual(840);
  // At the same address known callers still have what anonymous ones cannot use.
  expect(await through(false, '192.0.2.1')).toBeGreaterThanOrEqual(580);
  await pace.close();
});

test('one question to a name server takes one unit of its pace', async () => {
  const orders: PaceOrder[] = [];
  const pace: Pace = { ...noPace, take: async (order) => (orders.push(order), 0) };
  const budget = openBudget(pace, owner);
  for (const host of ['192.0.2.1', '192.0.2.1', '192.0.2.2']) await budget.charge('packets', host, signal);
  expect(orders.map(({ key, isAnonymous }) => [key, isAnonymous])).toEqual([
    ['packets 192.0.2.1', true],
    ['packets 192.0.2.1', true],
    ['packets 192.0.2.2', true],
  ]);
});

test('a wave of questions that waits for long gives the slot up once, and takes it again once', async () => {
  const told: string[] = [];
  const slot: Slot = {
    release: () => void told.push('release'),
    retake: async () => void told.push('retake'),
  };
  const seen = new Set<string>();
  // The first time each is told to come back after more than a second.
  const pace: Pace = {
    ...noPace,
    take: async ({ key }) => (seen.has(key) ? 0 : (seen.add(key), 1100)),
  };
  const budget = openBudget(pace, owner, slot);
  const hosts = ['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4'];
  expect(await chargeMany('packets', hosts, budget)).toBe(4);
  expect(told).toEqual(['release', 'retake']);
  const page = ['192.0.2.5', '192.0.2.6'].map((host) => budget.chargeInSlot('requests', host, signal));
  expect(await Promise.all(page)).toEqual([undefined, undefined]);
  expect(told).toEqual(['release', 'retake']);
});

test('what would wait beyond the end of the run is not asked, and told', async () => {
  const pace = openMemoryPace();
  const run = (limitMs: number) => openBudget(pace, { site: 'a.test', isAnonymous: true, limitMs });
  const gone = new AbortController();
  const crowd = Array.from({ length: 300 }, () => run(15_000).charge('handshakes', '192.0.2.1', gone.signal));
  const start = performance.now();
  const refused = await run(4000).charge('handshakes', '192.0.2.1', signal);
  // It would have waited for four.
  expect(performance.now() - start).toBeLessThan(3500);
  expect(refused && describeSpent(refused)).toBe(
    'other checks have asked 192.0.2.1 as often as we allow for now',
  );
  gone.abort();
  await Promise.allSettled(crowd);
  await pace.close();
});

const dnsAnswer = (name: string, type: string, ...data: string[]) =>
  dnsReply({ name, type }, { answers: data.map((text) => ({ name, type, ttl: 60, data: text })) });

test.for([
  { name: 'ns1.google.com', because: [] },
  { name: 'arya.ns.cloudflare.com', because: [] },
  { name: 'ns-1.awsdns-00.co.uk', because: [] },
  { name: 'ns1-01.azure-dns.com', because: [] },
  { name: 'ns01.domaincontrol.com', because: [] },
  { name: 'a.gtld-servers.net', because: [] },
  { name: 'a.registry.example', because: [dnsAnswer('museum', 'NS', 'a.registry.example')] },
  { name: 'a.registry.example', because: [dnsAnswer('co.uk', 'NS', 'A.registry.example')] },
])('$name is asked four times as fast', async ({ name, because }) => {
  expect(await rateOf('192.0.2.1', [...because, dnsAnswer(name, 'A', '192.0.2.1')])).toBe(800);
});

test.for([
  { name: 'ns1.victim.test', because: [] },
  { name: 'www.google.com', because: [] },
  { name: 'ns1.google.com.victim.test', because: [] },
  { name: 'ns.cloudflare.com.test', because: [] },
  { name: 'ns1.victim.test', because: [dnsAnswer('a.test', 'NS', 'ns1.victim.test')] },
  // Anybody can have a part below a private suffix.
  { name: 'ns1.victim.test', because: [dnsAnswer('github.io', 'NS', 'ns1.victim.test')] },
])('$name is asked as fast as any', async ({ name, because }) => {
  expect(await rateOf('192.0.2.1', [...because, dnsAnswer(name, 'A', '192.0.2.1')])).toBe(200);
});

async function rateOf(address: string, heard: readonly DnsAnswer[]): Promise<number | undefined> {
  let perSecond: number | undefined;
  const pace: Pace = { ...noPace, take: async ({ rate }) => ((perSecond = rate.perSecond), 0) };
  const budget = openBudget(pace, owner);
  for (const answer of heard) budget.hear(answer);
  await budget.charge('packets', address, signal);
  return perSecond;
}

test('what ran out is listed once, and told in a clause', async () => {
  const budget = openBudget(noPace, owner);
  await chargeMany('foreign connections', names(40, 'victim.test'), budget);
  expect(budget.spent()).toEqual([{ what: 'foreign connections', of: 'victim.test', limit: 24 }]);
  expect(budget.spent().map(describeSpent)).toEqual([
    'one check makes at most 24 foreign connections to victim.test',
  ]);
});

test('bytes of answers are counted over the whole run, and told when they run out', () => {
  const budget = openBudget(noPace, owner);
  expect(budget.receive(999_999)).toBeUndefined();
  expect(budget.spent()).toEqual([]);
  const spent = { what: 'answer bytes', of: 'DNS', limit: 1_000_000 } as const;
  expect([budget.receive(1), budget.receive(0)]).toEqual([spent, spent]);
  expect(budget.spent()).toEqual([spent]);
  expect(describeSpent(spent)).toBe('one check reads at most 1000000 bytes of DNS answers');
});
