/**
 * What each part of mail weighs in `mailScore`; `rules` are the parts of the rule tables that count towards it.
 * BIMI is a choice and weighs nothing.
 */
export const mailWeights = [
  { part: 'dmarc', weight: 25, rules: ['dmarc'] },
  { part: 'spf', weight: 20, rules: ['spf'] },
  { part: 'dkim', weight: 10, rules: ['dkim'] },
  { part: 'mx', weight: 10, rules: ['mx'] },
  { part: 'transport', weight: 5, rules: ['mtaSts', 'dane'] },
  { part: 'tlsRpt', weight: 2, rules: ['tlsRpt'] },
] as const;

export type MailPart = (typeof mailWeights)[number]['part'];
