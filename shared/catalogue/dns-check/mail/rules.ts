import { bimiRules } from './rules/bimi.ts';
import { dkimRules } from './rules/dkim.ts';
import { dmarcRules } from './rules/dmarc.ts';
import { mxRules } from './rules/mx.ts';
import { spfRules } from './rules/spf.ts';
import { transportRules } from './rules/transport.ts';

/** All rules of the mail half of dns-check. Points are of the whole score of 100, of which mail has 72. */
export const mailRules = {
  ...spfRules,
  ...dmarcRules,
  ...dkimRules,
  ...mxRules,
  ...transportRules,
  ...bimiRules,
} as const;

export type MailCode = keyof typeof mailRules;
