import { type BimiCode, bimiRules } from '../../../../../shared/catalogue/dns-check/mail/rules/bimi.ts';
import {
  brokenBy,
  brokenIf,
  notTested,
  type Verdict,
  type Verdicts,
} from '../../../../../shared/model/verdict.ts';
import { forAll } from '../../verdicts.ts';
import type { ChosenPolicy } from '../dmarc/choose-policy.ts';
import type { MailMode } from '../mode.ts';
import { showFault } from '../text/fault.ts';
import type { BimiFacts } from './see-bimi.ts';

/**
 * Judges the brand indicator.
 * @param policy the DMARC policy for the domain; null where none applies, undefined where nobody knows
 */
export function assessBimi(
  { name, sight, texts, bimi, faults }: BimiFacts,
  mode: MailMode,
  policy: ChosenPolicy | null | undefined,
): Verdicts<BimiCode> {
  if (mode === 'parked') return forAll(bimiRules, 'not-applicable');
  if (sight.outcome === 'unknown')
    return forAll(bimiRules, notTested(`${name} could not be read: ${sight.why}`));
  const wantsLogo = bimi !== null && bimi.logo !== null;
  return {
    'bimi-missing': brokenIf(texts.length === 0, { name }),
    'bimi-multiple': brokenIf(texts.length > 1, { name, count: texts.length }),
    'bimi-syntax': brokenBy(faults.map((fault) => ({ name, ...showFault(fault) }))),
    'bimi-without-dmarc': wantsLogo ? judgeEnforcement(name, policy) : 'not-applicable',
    'bimi-no-certificate': wantsLogo ? brokenIf(bimi.authority === null, { name }) : 'not-applicable',
  };
}

function judgeEnforcement(name: string, policy: ChosenPolicy | null | undefined): Verdict {
  if (policy === null) return brokenIf(true, { name, policy: 'none at all' });
  if (policy === undefined || policy.effective === null) return notTested('the DMARC policy is not known');
  const isWeak = policy.effective === 'none' || policy.policy === 'none';
  return brokenIf(isWeak, { name, policy: policy.effective });
}
