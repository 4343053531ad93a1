import { expect, test } from 'vitest';
import { brokenIf, isBroken, type Verdict } from '#shared/model/verdict';
import { withZone } from '../../../worker/checks/dns-check/with-zone.ts';

const publishes = (name: string): Verdict =>
  brokenIf(true, {}, { text: 'Publish it.', record: { name, type: 'TXT', value: 'v' } });
const cloudflare = ['ada.ns.cloudflare.com', 'bob.ns.cloudflare.com'];

test.for([
  [
    'one provider',
    '_dmarc.a.test',
    { zone: 'a.test', parent: cloudflare, child: cloudflare },
    { name: 'a.test', host: 'Cloudflare' },
  ],
  [
    'Route 53, which has many domains',
    'a.test',
    { zone: 'a.test', parent: ['ns-1.awsdns-00.com', 'ns-2000.awsdns-63.co.uk'], child: null },
    { name: 'a.test', host: 'Amazon Route 53' },
  ],
  [
    'two providers',
    'a.test',
    { zone: 'a.test', parent: [...cloudflare, 'ns1.dnsimple.com'], child: null },
    { name: 'a.test' },
  ],
  [
    'a server of its own beside',
    'a.test',
    { zone: 'a.test', parent: cloudflare, child: [...cloudflare, 'ns.a.test'] },
    { name: 'a.test' },
  ],
  ['no list of servers', 'b.a.test', { zone: 'a.test', parent: null, child: null }, { name: 'a.test' }],
  [
    'a record of another zone',
    'a.test._report._dmarc.b.test',
    { zone: 'a.test', parent: null, child: null },
    undefined,
  ],
  ['no zone', 'a.test', { zone: null, parent: cloudflare, child: null }, undefined],
] as const)('where a record is published: %s', ([, name, ns, expected]) => {
  const { rule } = withZone({ rule: publishes(name) }, ns);
  expect(rule && isBroken(rule) ? rule.fix?.zone : 'none').toEqual(expected);
});
