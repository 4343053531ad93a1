import { expect, test } from 'vitest';
import { type DnsCheckCode, rules } from '#shared/catalogue/dns-check/rules';
import { codesBroken } from '#shared/model/verdict';
import { checkDomain } from './check-domain.ts';
import { freshMail } from './fresh-mail.ts';
import { resolver, worldOf } from './fresh-world.ts';
import { freshZones } from './fresh-zones.ts';
import { openWireWorld } from './wire-world.ts';

/** What every zone here has, beside its own fault: it is on IPv4 alone, has one mail host and no key, and most are not signed. */
const grave = ['critical', 'high', 'medium'];

test.for(freshZones)('$kind: $name', async ({ setup, domain = 'a.test', told, score, state }) => {
  const world = await openWireWorld(worldOf(setup), resolver);
  try {
    const seen = await checkDomain(domain, world.settings);
    const broken = codesBroken(seen.verdicts) as DnsCheckCode[];
    const wanted = told.toSorted();
    const isGrave = (code: DnsCheckCode) => grave.includes(rules[code].severity);
    expect(broken.filter((code) => isGrave(code) || told.includes(code)).toSorted()).toEqual(wanted);
    expect([seen.score, seen.state]).toEqual([
      score === undefined ? seen.score : score,
      state === undefined ? seen.state : state,
    ]);
  } finally {
    await world.close();
  }
});

/** What every zone here has, beside its slip. */
const usual: readonly DnsCheckCode[] = [
  'bimi-without-dmarc',
  'dkim-revoked',
  'dnssec-unsigned',
  'mta-sts-missing',
  'mx-single',
  'ns-no-ipv6',
  'tls-rpt-missing',
];

test.for(freshMail)('mail: $name', async ({ setup, domain = 'a.test', told }) => {
  const world = await openWireWorld(worldOf(setup), resolver);
  try {
    const { verdicts } = await checkDomain(domain, world.settings);
    const broken = (codesBroken(verdicts) as DnsCheckCode[]).filter(
      (code) => rules[code].severity !== 'info' && !usual.includes(code),
    );
    expect(broken.toSorted()).toEqual(told.toSorted());
  } finally {
    await world.close();
  }
});
