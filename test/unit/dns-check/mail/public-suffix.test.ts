import { expect, test } from 'vitest';
import { codesBroken } from '#shared/model/verdict';
import { assessMail } from '../../../../worker/checks/dns-check/mail/assess.ts';
import { gatherMail } from '../../../../worker/checks/dns-check/mail/gather.ts';
import { contextOf, stubDns, stubWeb, type ZoneLiteral } from './zone-literal.ts';

const rows: readonly { domain: string; zone: ZoneLiteral; broken: readonly string[]; scored: boolean }[] = [
  // Registries sell names below it; nobody sends mail as it.
  { domain: 'co.uk', zone: { 'co.uk NS': 'ns.nic.test' }, broken: [], scored: false },
  // A website without mail below a suffix is judged as one that should say that it has none.
  {
    domain: 'shop.co.uk',
    zone: { 'shop.co.uk A': '192.0.2.80', 'co.uk NS': 'ns.nic.test' },
    broken: ['spf-missing-parked'],
    scored: true,
  },
];
test.for(rows)('$domain as the target', async ({ domain, zone, broken, scored }) => {
  const dns = stubDns({ ' SOA': 'root', ...zone }, { isSigned: false });
  const evidence = await gatherMail({ ...contextOf(dns, stubWeb({ status: 404 })), domain });
  const { verdicts, score } = assessMail(evidence);
  expect(codesBroken(verdicts)).toEqual(expect.arrayContaining([...broken]));
  expect(codesBroken(verdicts).length > 0).toBe(scored);
  expect(score !== null).toBe(scored);
});
