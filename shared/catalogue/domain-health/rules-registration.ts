import type { Rule } from '../../model/verdict.ts';

const eppStatus = {
  title: 'ICANN: EPP status codes',
  url: 'https://www.icann.org/resources/pages/epp-status-codes-2014-06-16-en',
};
const rdapStatus = ['RFC 8056 §2', 'RFC 9083 §10.2.2'] as const;
const expiry = ['RFC 9083 §4.5', 'RFC 9083 §10.2.3'] as const;

/** What a registry tells of the registration of a domain. A rule that costs no points: the thing itself works until it is gone. */
export const registrationRules = {
  'registration-expired': {
    part: 'dns',
    severity: 'high',
    points: 0,
    title: 'The registration of the domain has ended',
    detail:
      'By its registry, the registration of {name} ended at {expiresAt}. The registry can delete it at any time.',
    fix: 'Renew the domain at its registrar now.',
    references: expiry,
  },
  'registration-expires-within-days': {
    part: 'dns',
    severity: 'medium',
    points: 0,
    title: 'The registration of the domain ends within days',
    detail: 'The registration of {name} ends at {expiresAt}, in {left}.',
    fix: 'Renew the domain now, or check at your registrar that automatic renewal is on and that its payment works.',
    references: expiry,
  },
  'registration-expires-soon': {
    part: 'dns',
    severity: 'low',
    points: 0,
    title: 'The registration of the domain ends soon',
    detail: 'The registration of {name} ends at {expiresAt}, in {left}.',
    fix: 'Renew the domain, or check at your registrar that automatic renewal is on and that its payment works.',
    references: expiry,
  },
  'registration-on-hold': {
    part: 'dns',
    severity: 'critical',
    points: 0,
    title: 'The domain is on hold',
    detail:
      'The registry lists {name} with the status {status}. A domain on hold is not delegated, so it stops working once resolvers have forgotten its name servers.',
    fix: 'Ask your registrar for the reason. Common ones are an address that was never confirmed, an unpaid bill, a complaint and a legal dispute.',
    references: ['RFC 5731 §2.3', ...rdapStatus, eppStatus],
  },
  'registration-redemption': {
    part: 'dns',
    severity: 'critical',
    points: 0,
    title: 'The registration of the domain was deleted',
    detail:
      'The registry lists {name} with the status redemptionPeriod: the registration was deleted, and only its last owner can still have it restored.',
    fix: 'Ask your registrar to restore the domain. After the redemption period, usually 30 days, anyone can register it.',
    references: ['RFC 3915 §3.1', ...rdapStatus, eppStatus],
  },
  'registration-pending-delete': {
    part: 'dns',
    severity: 'critical',
    points: 0,
    title: 'The domain is about to be deleted',
    detail:
      'The registry lists {name} with the status pendingDelete, so it will soon be free for anyone to register.',
    fix: 'Ask your registrar whether the deletion can still be stopped.',
    references: ['RFC 5731 §2.3', 'RFC 3915 §3.1', ...rdapStatus, eppStatus],
  },
  'registration-name-servers-differ': {
    part: 'dns',
    severity: 'low',
    points: 0,
    title: 'The registry lists other name servers than the delegation',
    detail: 'The registry lists {registry} for {name}, but the parent zone delegates to {parent}.',
    fix: 'If you have just changed the name servers, wait some hours. Otherwise ask your registrar to send them to the registry again.',
    references: ['RFC 9083 §5.3', 'RFC 1034 §4.2.2'],
  },
  'registration-ds-differs': {
    part: 'dns',
    severity: 'low',
    points: 0,
    title: 'The registry lists other DS records than the parent zone',
    detail: 'The registry lists {registry} for {name}, but the parent zone has {parent}.',
    fix: 'If you have just changed keys, wait some hours. Otherwise ask your registrar to send the DS records to the registry again.',
    references: ['RFC 9083 §5.3', 'RFC 5910 §4', 'RFC 4035 §2.4'],
  },
  'registration-transfer-unlocked': {
    part: 'dns',
    severity: 'info',
    points: 0,
    title: 'The domain is not locked against transfers',
    detail: 'The registry lists {name} without clientTransferProhibited or serverTransferProhibited.',
    fix: 'Turn on the transfer lock at your registrar. A stolen password or transfer code is then not enough to move the domain away.',
    references: ['RFC 5731 §2.3', ...rdapStatus, eppStatus],
  },
} as const satisfies Record<string, Rule>;

export type RegistrationCode = keyof typeof registrationRules;
