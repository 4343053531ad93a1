import { expect, test } from 'vitest';
import { noPace, openMemoryPace } from '#shared/pace/memory';
import { type Charge, describeSpent, openBudget } from '../../../worker/probes/budget.ts';

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

test('all runs together keep one pace at an address; callers with a token have four times as much', async () => {
  const pace = openMemoryPace(() => 0);
  const run = (isAnonymous: boolean) => openBudget(pace, { site: 'a.test', isAnonymous });
  const gone = new AbortController();
  const through = async (isAnonymous: boolean, address: string) => {
    let count = 0;
    for (let runs = 0; runs < 60; runs += 1) {
      const charges = Array.from({ length: 30 }, () =>
        run(isAnonymous)
          .charge('handshakes', address, gone.signal)
          .then(
            (refusal) => refusal === undefined,
            () => false, // it would have had to wait
          ),
      );
      gone.abort();
      count += (await Promise.all(charges)).filter(Boolean).length;
    }
    return count;
  };
  expect(await through(true, '192.0.2.1')).toBe(200);
  expect(await through(false, '192.0.2.2')).toBe(800);
});

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
