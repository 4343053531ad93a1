import { afterAll, beforeEach, expect, test } from 'vitest';
import type { RdapAnswer, RegistryRests } from '../../../worker/probes/rdap/port.ts';
import { prepareProbesOf } from '../../../worker/start/probe-settings.ts';
import { openLab } from '../kit/lab.ts';
import { openTrap } from '../kit/trap.ts';
import { answerAs, answerWith, type Manner, openLabRegistries } from './registries.ts';

const registries = openLabRegistries({
  one: 'rdap.one.test',
  two: 'rdap.two.test',
  old: 'rdap.old.test',
  inside: 'rdap.inside.test',
});
const lab = await openLab({
  sites: {
    ...registries.sites,
    'https://registrar.test': (_request, response) => response.end('{}'),
  },
  zone: { 'rdap.inside.test': { A: ['10.0.0.1'] } },
  certificates: { 'rdap.old.test': { notAfter: new Date(Date.now() - 3_600_000) } },
});
const probes = prepareProbesOf(lab.config(registries.settings));
const rested: [string, number][] = [];
const rests: RegistryRests = {
  isResting: async (host) => rested.some(([name]) => name === host),
  rest: async (host, seconds) => void rested.push([host, seconds]),
};
const never = new AbortController().signal;
const limits = new AbortController();
afterAll(async () => {
  limits.abort();
  probes.close();
  await lab.close();
  registries.close();
});
beforeEach(() => {
  registries.asked.length = 0;
  registries.manners.clear();
  rested.length = 0;
});

async function ask(domain: string, ending = never): Promise<RdapAnswer> {
  const opened = probes.open(limits.signal);
  const answer = await opened.rdap.ask(domain, rests, ending);
  opened.close();
  return answer;
}

const unknown = (reason: RegExp) => ({ kind: 'unknown', reason: expect.stringMatching(reason) as string });

test('the registry of the top-level domain is asked, also below a public suffix of two labels', async () => {
  expect(await ask('a.com.one')).toMatchObject({
    kind: 'domain',
    domain: { registrar: 'Example Registrar Inc.' },
  });
  expect(registries.asked).toEqual(['rdap.one.test/rdap/domain/a.com.one']);
});

test('a top-level domain that is not in the list is not asked about', async () => {
  expect(await ask('a.none')).toEqual({ kind: 'no-rdap' });
  expect(registries.asked).toEqual([]);
});

const endless: Manner = (_request, response) => {
  response.writeHead(200, { 'content-type': 'application/rdap+json' });
  const more = () => {
    while (response.write(' '.repeat(10_000)));
    response.once('drain', more);
  };
  more();
};

const cases: { name: string; manner: Manner; answer: object }[] = [
  {
    name: 'no such name',
    manner: answerWith(404, { 'content-type': 'application/rdap+json' }, '{}'),
    answer: { kind: 'missing' },
  },
  { name: 'no such name, without a body', manner: answerWith(404), answer: { kind: 'missing' } },
  {
    name: 'a page that is missing',
    manner: answerWith(404, { 'content-type': 'text/html' }, '<p>'),
    answer: unknown(/status 404/),
  },
  { name: 'a fault of its own', manner: answerWith(500), answer: unknown(/status 500/) },
  {
    name: 'an answer without a date',
    manner: answerAs({ events: [] }),
    answer: { kind: 'domain', domain: { expiresAt: null } },
  },
  { name: 'a body without end', manner: endless, answer: unknown(/too long/) },
  { name: 'deep JSON', manner: answerWith(200, {}, '['.repeat(200_000)), answer: unknown(/with JSON/) },
  {
    name: 'a body that breaks off',
    manner: (_request, response) => {
      response.writeHead(200, { 'content-length': '1000' });
      response.write('{', () => response.destroy());
    },
    answer: unknown(/broke off/),
  },
  { name: 'another name', manner: answerAs({ ldhName: 'b.one' }), answer: unknown(/another name/) },
  {
    name: 'a redirect to itself',
    manner: answerWith(302, { location: 'https://rdap.one.test/rdap/domain/a.one' }),
    answer: unknown(/circle/),
  },
  {
    name: 'redirects without end',
    manner: (request, response) =>
      void response
        .writeHead(302, { location: `https://rdap.one.test/rdap/x/${request.url?.length}${request.url}` })
        .end(),
    answer: unknown(/more than 3 times/),
  },
  {
    name: 'a redirect to a registrar',
    manner: answerWith(302, { location: 'https://registrar.test/domain/a.one' }),
    answer: unknown(/none of a registry/),
  },
  {
    name: 'a redirect to http',
    manner: answerWith(302, { location: 'http://rdap.two.test/rdap/domain/a.one' }),
    answer: unknown(/none of a registry/),
  },
  {
    name: 'a redirect outside of the base',
    manner: answerWith(302, { location: 'https://rdap.two.test/rdap/../other' }),
    answer: unknown(/none of a registry/),
  },
  {
    name: 'a redirect to an address that is not public',
    manner: answerWith(302, { location: 'https://10.0.0.1/rdap/' }),
    answer: unknown(/none of a registry/),
  },
];
test.for(cases)('$name', async ({ manner, answer }) => {
  registries.manners.set('rdap.one.test', manner);
  expect(await ask('a.one')).toMatchObject(answer);
  expect(rested).toEqual([]);
});

test('a redirect to another registry of the list is followed', async () => {
  registries.manners.set(
    'rdap.one.test',
    answerWith(307, { location: 'https://rdap.two.test/rdap/domain/a.one' }),
  );
  expect(await ask('a.one')).toMatchObject({ kind: 'domain' });
  expect(registries.asked).toEqual(['rdap.one.test/rdap/domain/a.one', 'rdap.two.test/rdap/domain/a.one']);
});

test('a registry whose name leads to an address that is not public gets no packet, by a redirect either', async () => {
  const trap = openTrap();
  registries.manners.set(
    'rdap.one.test',
    answerWith(302, { location: 'https://rdap.inside.test/rdap/domain/a.one' }),
  );
  const answers = [await ask('a.inside'), await ask('a.one')];
  trap.close();
  expect(answers).toMatchObject([unknown(/not public/), unknown(/not public/)]);
  const dialled = trap.caught.filter(
    ({ what, stack }) => what === 'tcp' && stack.includes('/worker/probes/guard'),
  );
  // Only the one that redirects.
  expect(dialled.length).toBe(1);
});

test('a registry whose certificate is not good is asked nothing', async () => {
  expect(await ask('a.old')).toMatchObject(unknown(/certificate is not trusted/));
  expect(registries.asked).toEqual([]);
});

test.for([
  ['a 429 with a time', answerWith(429, { 'retry-after': '120' }), 120],
  ['a 429 without one', answerWith(429), 60],
  ['a 429 that asks for a year', answerWith(429, { 'retry-after': '31536000' }), 86_400],
  ['a 503 with a time', answerWith(503, { 'retry-after': '7' }), 7],
] as const)('%s is kept, and the registry is left alone', async ([, manner, seconds]) => {
  registries.manners.set('rdap.one.test', manner);
  expect(await ask('a.one')).toMatchObject(unknown(/asked us to wait/));
  expect(rested).toEqual([['rdap.one.test', seconds]]);
  expect(await ask('b.one')).toMatchObject(unknown(/asked us to wait/));
  expect(registries.asked).toEqual(['rdap.one.test/rdap/domain/a.one']);
});

test('a slow registry ends with the deadline of its question', async () => {
  registries.manners.set('rdap.one.test', () => undefined);
  const ending = new AbortController();
  const asking = ask('a.one', ending.signal);
  await expect.poll(() => registries.asked.length, { timeout: 30_000 }).toBe(1);
  ending.abort();
  expect(await asking).toMatchObject(unknown(/in time/));
});

test('PROBE_RDAP=off asks nobody', async () => {
  const off = prepareProbesOf(lab.config({ ...registries.settings, PROBE_RDAP: 'off' }));
  const opened = off.open(limits.signal);
  expect(await opened.rdap.ask('a.one', rests, never)).toMatchObject(unknown(/PROBE_RDAP/));
  opened.close();
  off.close();
  expect(registries.asked).toEqual([]);
});
