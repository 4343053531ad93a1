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
