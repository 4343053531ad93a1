import type { Rule } from '../../../model/verdict.ts';

const iana = {
  title: 'IANA: DNS Security Algorithm Numbers',
  url: 'https://www.iana.org/assignments/dns-sec-alg-numbers/',
};

/** What can be wrong with DNSSEC. Points: 50 the domain is gone for resolvers that validate, 20 it soon will be, 9 it works but is weak, 2 hygiene. */
export const dnssecRules = {
  'dnssec-bogus': {
    part: 'dnssec',
    severity: 'critical',
    points: 50,
    title: 'Validating resolvers reject the domain',
    detail:
      'The resolver refuses {type} of {name} as bogus ({reason}); users of validating resolvers get no answer.',
    fix: 'Sign the zone again, or remove the DS records at the registrar until it is signed rightly.',
    references: ['RFC 4035 §5.5', 'RFC 8914 §4.7'],
  },
  'dnssec-ds-without-key': {
    part: 'dnssec',
    severity: 'critical',
    points: 50,
    title: 'No key of the zone fits the parent’s DS',
    detail:
      'The parent has DS {ds}, but no DNSKEY of the zone has that digest; nothing in the zone can be validated.',
    fix: 'Enter the DS of a key that the zone has, or remove the DS records at the registrar.',
    references: ['RFC 4035 §5.2'],
  },
  'dnssec-ds-stale': {
    part: 'dnssec',
    severity: 'low',
    points: 2,
    title: 'The parent still has a DS of a key that is gone',
    detail: 'DS {ds} fits no DNSKEY of the zone; others do, so validation works.',
    fix: 'Remove that DS at the registrar once the key rollover is over.',
    references: ['RFC 6781 §4.1.2'],
  },
  'dnssec-signature-invalid': {
    part: 'dnssec',
    severity: 'critical',
    points: 50,
    title: 'A signature does not hold',
    detail: '{type} of {name}: {reason}. Validating resolvers refuse the answer.',
    fix: 'Sign the zone again, with a clock that is right, and see that the signer runs by itself.',
    references: ['RFC 4035 §5.3'],
  },
  'dnssec-server-signature-invalid': {
    part: 'dnssec',
    severity: 'high',
    points: 30,
    title: 'One name server gives signatures that do not hold',
    detail:
      '{server} ({ip}) gives the SOA without a signature that holds: {reason}. Other servers give a good one, so the domain fails only where a resolver picks this server.',
    fix: 'Bring the zone to the same version on that server; look at its zone transfers first.',
    references: ['RFC 4035 §2.2', 'RFC 6781 §4.4.1'],
  },
  'dnssec-signature-expires-today': {
    part: 'dnssec',
    severity: 'high',
    points: 20,
    title: 'A signature ends within 12 hours',
    detail:
      'The signature over {type} of {name} ends at {expires}; then validating resolvers refuse the domain.',
    fix: 'Start the signer now, and find out why it stopped.',
    references: ['RFC 4035 §5.3.1', 'RFC 6781 §4.4.2'],
  },
  'dnssec-signature-expires-soon': {
    part: 'dnssec',
    severity: 'medium',
    points: 9,
    title: 'A signature ends within three days',
    detail: 'The signature over {type} of {name} ends at {expires}, and most of its life is over.',
    fix: 'Look whether the signer still runs; signatures should be renewed when a quarter of their life is left.',
    references: ['RFC 6781 §4.4.2'],
  },
  'dnssec-unsigned': {
    part: 'dnssec',
    severity: 'low',
    points: 2,
    title: 'The zone is not signed',
    detail:
      '{zone} has no DNSSEC; answers can be forged on the way, and neither DANE nor trust in CAA is possible.',
    fix: 'Switch DNSSEC on at the DNS provider, then enter the DS at the registrar.',
    references: ['RFC 9364 §1'],
  },
  'dnssec-ds-missing': {
    part: 'dnssec',
    severity: 'low',
    points: 2,
    title: 'The zone is signed, but the parent does not know',
    detail: '{zone} has keys ({keys}), but no DS in the parent zone; nobody checks its signatures.',
    fix: 'Enter the DS of the key-signing key at the registrar.',
    references: ['RFC 4035 §2.4'],
  },
  'dnssec-algorithm-weak': {
    part: 'dnssec',
    severity: 'medium',
    points: 9,
    title: 'DNSSEC relies on an outdated algorithm',
    detail:
      '{what} uses {algorithm}, which must not be used for signing any more; many validators treat it as unsigned.',
    fix: 'Roll over to algorithm 13 (ECDSA P-256) with SHA-256 (digest type 2) in the DS.',
    references: ['RFC 9904', 'RFC 9905', 'RFC 9906', iana],
  },
  'dnssec-key-short': {
    part: 'dnssec',
    severity: 'medium',
    points: 9,
    title: 'An RSA key is short',
    detail: 'Key {keyTag} has {bits} bits; 2048 or more are wanted.',
    fix: 'Roll over to a key of 2048 bits, or better to algorithm 13 (ECDSA P-256), whose answers are smaller.',
    references: ['RFC 6781 §3.4.2'],
  },
  'dnssec-nsec3-iterations': {
    part: 'dnssec',
    severity: 'medium',
    points: 9,
    title: 'NSEC3 hashes more than once',
    detail:
      'NSEC3PARAM asks for {iterations} extra iterations; the number must be 0, and validators may treat more as unsigned or bogus.',
    fix: 'Set the iterations to 0 and the salt to “-”.',
    references: ['RFC 9276 §3.1'],
  },
  'dnssec-nsec3-salt': {
    part: 'dnssec',
    severity: 'info',
    points: 0,
    title: 'NSEC3 uses a salt',
    detail: 'NSEC3PARAM has a salt of {octets} octets; it protects nothing, and should be empty.',
    fix: 'Set the salt to “-”.',
    references: ['RFC 9276 §3.1'],
  },
  'dnssec-cds-mismatch': {
    part: 'dnssec',
    severity: 'low',
    points: 2,
    title: 'The zone asks its parent for another DS',
    detail: '{record} {value} {reason}.',
    fix: 'If a rollover is under way, wait for the parent. If not, correct or remove CDS and CDNSKEY, or enter the DS by hand.',
    references: ['RFC 7344 §4.1', 'RFC 8078 §2'],
  },
} as const satisfies Record<string, Rule>;
