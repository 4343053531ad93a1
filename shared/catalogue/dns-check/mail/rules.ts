import { bimiRules } from './rules/bimi.ts';
import { dkimRules } from './rules/dkim.ts';
import { dmarcRules } from './rules/dmarc.ts';
import { mxRules } from './rules/mx.ts';
import { spfRules } from './rules/spf.ts';
import { transportRules } from './rules/transport.ts';

/**
 * All rules of the mail half of dns-check. Points are of the weight of their part (weights.ts; 100 together): a critical finding takes all of it,
 * high 20, medium 9, low 2, and up to 7 where what protects mail on its way has no effect. What a finding took from `mailScore` also depends on which parts count, and is worked out with the score.
 */
export const mailRules = {
  ...spfRules,
  ...dmarcRules,
  ...dkimRules,
  ...mxRules,
  ...transportRules,
  ...bimiRules,
} as const;

export type MailCode = keyof typeof mailRules;

/**
 * What each part of mail weighs in `mailScore`; `rules` are the parts of the rule tables that count towards it.
 * Together they are 100, so that points of mail weigh as much as
 * those of the DNS. BIMI is a choice and weighs nothing.
 */
export const mailWeights = [
  { part: 'dmarc', weight: 26, rules: ['dmarc'] },
  { part: 'spf', weight: 22, rules: ['spf'] },
  { part: 'dkim', weight: 20, rules: ['dkim'] },
  { part: 'mx', weight: 22, rules: ['mx'] },
  { part: 'transport', weight: 7, rules: ['mtaSts', 'dane'] },
  { part: 'tlsRpt', weight: 3, rules: ['tlsRpt'] },
] as const;

export type MailPart = (typeof mailWeights)[number]['part'];
