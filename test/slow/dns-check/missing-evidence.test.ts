import { expect, test } from 'vitest';
import { rules } from '#shared/catalogue/dns-check/rules';
import { assessDnsCheck } from '../../../worker/checks/dns-check/assess.ts';
import { dnsSights } from '../../unit/missing/dns.ts';
import { tryWithout } from '../../unit/missing/try-without.ts';

test(
  'what dns-check found broken is never passed, gone or fixed where it was not looked at again',
  { timeout: 600_000 },
  async () => {
    const tried = tryWithout('dns-check', assessDnsCheck, await dnsSights(), 1);
    expect(tried.untrue).toEqual([]);
    expect(tried.rules).toBe(Object.keys(rules).length);
  },
);
