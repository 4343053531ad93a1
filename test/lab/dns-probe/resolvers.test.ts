import { expect, test } from 'vitest';
import { noPace } from '#shared/limits/pace/memory';
import { openBudget } from '../../../worker/probes/budget.ts';
import { openResolvers } from '../../../worker/probes/dns/resolvers.ts';
import { openDnsServer } from '../kit/dns-server.ts';

const run = { budget: openBudget(noPace, undefined), signal: new AbortController().signal };
const question = { name: 'a.test', type: 'A' } as const;
const settings = { resolverTries: [200], tcpTimeoutMs: 200 };

test('a resolver that was made anew at another address is found by its name', async () => {
  const server = await openDnsServer({ 'a.test': { A: ['192.0.2.1'] } });
  const [, port] = server.address.split(':');
  // Nobody listens at the first of them.
  const addresses = ['127.0.0.77', '127.0.0.1'];
  let looks = 0;
  const resolvers = openResolvers({ ...settings, servers: [`resolver.lan:${port}`] }, async () => {
    looks += 1;
    return { address: addresses.shift() ?? '127.0.0.1' };
  });
  expect(await resolvers.ask(question, {}, run)).toMatchObject({ kind: 'failure' });
  await expect
    .poll(async () => (await resolvers.ask(question, {}, run)).kind, { timeout: 10_000, interval: 200 })
    .toBe('answer');
  expect(looks).toBe(2);
  resolvers.close();
  await server.close();
});

test('a name that could not be looked up at first is looked up again', async () => {
  const server = await openDnsServer({ 'a.test': { A: ['192.0.2.1'] } });
  const [, port] = server.address.split(':');
  let looks = 0;
  const resolvers = openResolvers({ ...settings, servers: [`resolver.lan:${port}`] }, async () => {
    looks += 1;
    if (looks === 1) throw new Error('getaddrinfo EAI_AGAIN resolver.lan');
    return { address: '127.0.0.1' };
  });
  await expect(resolvers.ask(question, {}, run)).rejects.toThrow('EAI_AGAIN');
  const asked = async () =>
    resolvers.ask(question, {}, run).then(
      ({ kind }) => kind,
      () => 'rejected',
    );
  await expect.poll(asked, { timeout: 10_000, interval: 200 }).toBe('answer');
  resolvers.close();
  await server.close();
});
