import { expect, test } from 'vitest';
import { assessHealth } from '#shared/health/assess';
import { assessPagespeed } from '../../worker/checks/pagespeed-check/assess.ts';
import { assessRedirects } from '../../worker/checks/redirect-check/assess.ts';
import { assessHeaders } from '../../worker/checks/security-header-check/assess.ts';
import { assessSmtp } from '../../worker/checks/smtp-check/assess.ts';
import { assessSsl } from '../../worker/checks/ssl-check/assess.ts';
import { headerSights } from './missing/headers.ts';
import { healthSights } from './missing/health.ts';
import type { Sight } from './missing/lost.ts';
import { pagespeedSights } from './missing/pagespeed.ts';
import { redirectSights } from './missing/redirect.ts';
import { smtpSights } from './missing/smtp.ts';
import { sslSights } from './missing/ssl.ts';
import { type Judge, tryWithout } from './missing/try-without.ts';

// dns-check has so many questions that its own stands among the slow tests.
const plans: readonly (readonly [string, Judge, () => readonly Sight<unknown>[], number])[] = [
  ['security-header-check', assessHeaders, headerSights, 162],
  // Most of its rules are audits, which all come with the one load.
  ['pagespeed-check', assessPagespeed, pagespeedSights, 58],
  ['domain-health', assessHealth, healthSights, 34],
  ['redirect-check', assessRedirects, redirectSights, 49],
  ['ssl-check', assessSsl, sslSights, 96],
  ['smtp-check', assessSmtp, smtpSights, 21],
];

test.for(plans)(
  'what %s found broken is never passed, gone or fixed where it was not looked at again',
  { timeout: 60_000 },
  ([check, judge, sights, rules]) => {
    const tried = tryWithout(check, judge, sights(), 3);
    expect(tried.untrue).toEqual([]);
    expect(tried.rules).toBe(rules);
  },
);
