import { expect, test } from 'vitest';
import { rules } from '#shared/catalogue/dns-check/rules';
import { listVerdicts } from '#shared/model/finding';
import { goodWorld } from './good-world.ts';
import { checkIn } from './run-check.ts';

async function fixesOf(domain: string) {
  const world = goodWorld({
    signed: false,
    without: ['@ 3600 CAA'],
    add: [
      'shop.good.test 3600 CNAME plain.good.test',
      'plain.good.test 3600 A 192.0.2.81',
      'plain.good.test 3600 MX 0 ',
    ],
  });
  const { verdicts } = await checkIn(world, domain);
  const { findings } = listVerdicts(rules, verdicts);
  return findings.flatMap(({ code, fix }) => (fix === undefined ? [] : [{ code, fix }]));
}

test('a host that is an alias is told of no record to publish beside it', async () => {
  const fixes = await fixesOf('shop.good.test');
  expect(fixes.filter(({ fix }) => fix.record?.name === 'shop.good.test')).toEqual([]);
  const texts = fixes.map(({ fix }) => fix.text).filter((text) => text.includes('is an alias (CNAME)'));
  expect(texts[0]).toContain('shop.good.test is an alias (CNAME) for plain.good.test');
});

test('names below the alias, and hosts with addresses of their own, get theirs', async () => {
  const alias = await fixesOf('shop.good.test');
  expect(alias.map(({ fix }) => fix.record?.name)).toContain('_dmarc.shop.good.test');
  const plain = await fixesOf('plain.good.test');
  expect(plain.map(({ fix }) => fix.record?.name)).toContain('plain.good.test');
});
