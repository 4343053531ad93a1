import { expect, test } from 'vitest';
import { entryPointQuestions, webHostOf } from '#shared/catalogue/domain-health/sources';

const own = (host: string) => [`http://${host}/`, `https://${host}/`];

test.for([
  ['a.test', ['a.test', 'www.a.test']],
  ['a.co.uk', ['a.co.uk', 'www.a.co.uk']],
  ['in.a.test', ['in.a.test']],
  ['a.github.io', ['a.github.io']],
] as const)('of %s the entry points %j are asked', ([domain, hosts]) => {
  expect(entryPointQuestions(domain).map(({ target }) => target)).toEqual(hosts.flatMap(own));
});

test.for([
  ['a.test', true, 'a.test'],
  ['a.test', false, 'www.a.test'],
  ['in.a.test', false, 'in.a.test'],
  ['a.github.io', false, 'a.github.io'],
] as const)('%s, with an address: %s, is met at %s', ([domain, hasAddress, host]) => {
  expect(webHostOf(domain, hasAddress)).toBe(host);
});
