import { expect, test } from 'vitest';
import { type DnsCheckCode, rules } from '#shared/catalogue/dns-check/rules';
import { codesBroken, isBroken } from '#shared/model/verdict';
import { checkDomain } from './check-domain.ts';
import { resolver, worldOf } from './fresh-world.ts';
import { providerZones } from './provider-zones.ts';
import { openWireWorld } from './wire-world.ts';

const grave = ['critical', 'high', 'medium'];

test.for(providerZones)('$name', async ({ setup, told, never = [], fix = [] }) => {
  const world = await openWireWorld(worldOf(setup), resolver);
  try {
    const seen = await checkDomain('a.test', world.settings);
    const broken = codesBroken(seen.verdicts) as DnsCheckCode[];
    const isShown = (code: DnsCheckCode) =>
      grave.includes(rules[code].severity) || told.includes(code) || never.includes(code);
    expect(broken.filter(isShown).toSorted()).toEqual(told.toSorted());
    const [code, name, value] = fix;
    const verdict = code === undefined ? undefined : seen.verdicts[code];
    const record = verdict !== undefined && isBroken(verdict) ? verdict.fix?.record : undefined;
    expect([record?.name, record?.value]).toEqual([name, value]);
  } finally {
    await world.close();
  }
});
