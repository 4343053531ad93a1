import type { Rule } from '../../../model/verdict.ts';

const iana = {
  title: 'IANA: DNS Security Algorithm Numbers',
  url: 'https://www.iana.org/assignments/dns-sec-alg-numbers/',
};

const ianaDigests = {
  title: 'IANA: DS Digest Algorithms',
  url: 'https://www.iana.org/assignments/ds-rr-types/',
};

/** What can be wrong with DNSSEC. Points: 50 the domain is gone for resolvers that validate, 20 it soon will be, 9 it works but is weak, 2 hygiene. */
export const dnssecRules = {
  'dnssec-bogus': {
    part: 'dnssec',
    severity: 'critical',
    points: 50,
    title: 'Validating resolvers reject the domain',
    detail:
      'The resolver rejects {type} of {name} as bogus ({reason}). Users of validating resolvers get no answer.',
    fix: 'Sign the zone again, or remove the DS records at the registrar until it is signed correctly.',
    references: ['RFC 4035 §5.5', 'RFC 8914 §4.7'],
  },
  'dnssec-ds-without-key': {
    part: 'dnssec',
    severity: 'critical',
    points: 50,
    title: 'No key of the zone matches the parent’s DS',
    detail:
      'The parent has DS {ds}, but no DNSKEY of the zone has that digest. Nothing in the zone can be validated.',
    fix: 'Enter the DS of a key that the zone has, or remove the DS records at the registrar.',
    references: ['RFC 4035 §5.2'],
  },
  'dnssec-ds-stale': {
    part: 'dnssec',
    severity: 'low',
    points: 2,
    title: 'The parent still has a DS of a key that is gone',
    detail: 'DS {ds} matches no DNSKEY of the zone. Other DS records do, so validation works.',
    fix: 'Remove that DS at the registrar once the key rollover is over.',
    references: ['RFC 6781 §4.1.2'],
  },
  'dnssec-signature-invalid': {
    part: 'dnssec',
    severity: 'critical',
    points: 50,
    title: 'A signature is not valid',
    detail: '{type} of {name}: {reason}. Validating resolvers reject the answer.',
    fix: 'Sign the zone again with a correct clock, and make sure that the signer runs automatically.',
    references: ['RFC 4035 §5.3'],
  },
  'dnssec-server-signature-invalid': {
    part: 'dnssec',
    severity: 'high',
    points: 30,
    title: 'One name server gives signatures that are not valid',
    detail:
      '{server} ({ip}) gives {type} without a valid signature: {reason}. Other servers give a valid one, so the domain fails only when a resolver chooses this server.',
    fix: 'Load the current version of the zone on that server. Check its zone transfers first.',
    references: ['RFC 4035 §2.2', 'RFC 6781 §4.4.1'],
  },
  'dnssec-denial-invalid': {
    part: 'dnssec',
    severity: 'critical',
    points: 50,
    title: 'The zone cannot prove that a name or type does not exist',
    detail:
      'No name server proves that {zone} does not have {what}: {reason}. Validating resolvers answer SERVFAIL instead of “there is none”.',
    fix: 'Sign the whole zone again, with its NSEC or NSEC3 records, and let all servers load it.',
    references: ['RFC 4035 §3.1.3', 'RFC 4035 §5.4', 'RFC 5155 §8'],
  },
  'dnssec-server-denial-invalid': {
    part: 'dnssec',
    severity: 'high',
    points: 30,
    title: 'One name server cannot prove that a name or type does not exist',
    detail:
      '{server} ({ip}) does not prove that {zone} does not have {what}: {reason}. Other servers do, so questions fail only when a resolver chooses this server.',
    fix: 'Load the current version of the zone on that server, and update its software if it does not know NSEC3.',
    references: ['RFC 4035 §3.1.3', 'RFC 4035 §5.4', 'RFC 5155 §8'],
  },
  'dnssec-denial-hides': {
    part: 'dnssec',
    severity: 'high',
    points: 30,
    title: 'The zone’s denial hides names or types that its servers have',
    detail:
      'The signed denial (NSEC, NSEC3) of {zone} says that {denied}, but {server} ({ip}) has {type} there. Validating resolvers answer from the denial for as long as they keep it, so the record is there for some and not for others.',
    fix: 'Sign (rectify) the zone again. With PowerDNS and records that were put straight into its database: pdnsutil rectify-zone.',
    references: ['RFC 8198 §5', 'RFC 4035 §2.3', 'RFC 5155 §7.1'],
  },
  'dnssec-keys-inconsistent': {
    part: 'dnssec',
    severity: 'medium',
    points: 9,
    title: 'The name servers give different keys',
    detail:
      '{server} ({ip}) gives the keys {keys}, other servers give {others}. A resolver that takes keys from one server and signatures from another may reject the domain.',
    fix: 'Bring the zone to the same version on all servers; with two providers, publish the keys of both at both.',
    references: ['RFC 4035 §2.1', 'RFC 8901 §2'],
  },
  'dnssec-cds-inconsistent': {
    part: 'dnssec',
    severity: 'medium',
    points: 9,
    title: 'The name servers ask the parent for different DS records',
    detail:
      '{server} ({ip}) gives the {record} {cds}, other servers give {others}. A parent that reads it may enter a DS that not all servers can serve.',
    fix: 'Bring the zone to the same version on all servers; with two providers, publish the CDS of both at both.',
    references: ['RFC 7344 §6.1', 'RFC 8901 §6'],
  },
  'dnssec-ds-inconsistent': {
    part: 'dnssec',
    severity: 'medium',
    points: 9,
    title: 'The parent’s name servers give different DS records',
    detail: 'The parent’s server {ip} gives {ds}, other servers of the parent give {others}.',
    fix: 'Directly after a change this is normal for some minutes. If it stays, ask the registry.',
    references: ['RFC 4035 §2.4', 'RFC 1034 §4.3.5'],
  },
  'dnssec-algorithm-not-signing': {
    part: 'dnssec',
    severity: 'low',
    points: 2,
    title: 'The zone has a key of an algorithm that does not sign everything',
    detail: 'There is a key of {algorithm}, but {types} of {zone} has no signature of that algorithm.',
    fix: 'Sign the whole zone with every algorithm that it has keys of, or remove the key that does not sign.',
    references: ['RFC 4035 §2.2', 'RFC 6840 §5.11'],
  },
  'dnssec-cds-unsigned': {
    part: 'dnssec',
    severity: 'low',
    points: 2,
    title: 'A request to the parent is not signed by a key that the parent knows',
    detail:
      '{record} of {zone} has no signature by a key that the parent has a DS of; the parent will ignore it.',
    fix: 'Sign CDS and CDNSKEY with the key-signing key.',
    references: ['RFC 7344 §4.1'],
  },
  'dnssec-signature-expires-today': {
    part: 'dnssec',
    severity: 'high',
    points: 20,
    title: 'A signature expires within 12 hours',
    detail:
      'The signature over {type} of {name} expires at {expires}. After that, validating resolvers reject the domain.',
    fix: 'Start the signer now, and find out why it stopped.',
    references: ['RFC 4035 §5.3.1', 'RFC 6781 §4.4.2'],
  },
  'dnssec-signature-expires-soon': {
    part: 'dnssec',
    severity: 'medium',
    points: 9,
    title: 'A signature expires within three days',
    detail: 'The signature over {type} of {name} expires at {expires}, and most of its lifetime is over.',
    fix: 'Check that the signer still runs. Signatures should be renewed when a quarter of their lifetime is left.',
    references: ['RFC 6781 §4.4.2'],
  },
  'dnssec-unsigned': {
    part: 'dnssec',
    severity: 'low',
    points: 2,
    title: 'The zone is not signed',
    detail:
      '{zone} has no DNSSEC. Answers can be forged in transit, and neither DANE nor trust in CAA is possible.',
    fix: 'Enable DNSSEC at the DNS provider, then enter the DS at the registrar.',
    references: ['RFC 9364 §1'],
  },
  'dnssec-ds-missing': {
    part: 'dnssec',
    severity: 'low',
    points: 2,
    title: 'The zone is signed, but the parent has no DS',
    detail:
      '{zone} has keys ({keys}), but no DS in the parent zone, so resolvers do not check its signatures.',
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
    references: ['RFC 9904', 'RFC 9905', 'RFC 9906', iana, ianaDigests],
  },
  'dnssec-algorithm-not-recommended': {
    part: 'dnssec',
    severity: 'low',
    points: 2,
    title: 'DNSSEC uses an algorithm that is not recommended',
    detail: '{what} uses {algorithm}, {why}. Validation works today.',
    fix: 'Roll over to algorithm 13 (ECDSA P-256) when it suits you. Remove a DS with SHA-1 where one with SHA-256 is there.',
    references: ['RFC 9904', 'RFC 9905', iana, ianaDigests],
  },
  'dnssec-number-unknown': {
    part: 'dnssec',
    severity: 'medium',
    points: 9,
    title: 'DNSSEC uses a number that few or no validators know',
    detail:
      '{what} has the {kind} {number}, which {why}. Validators that do not know it ignore it; where nothing else is left, the zone counts as unsigned for them.',
    fix: 'Use algorithm 13 (ECDSA P-256), with SHA-256 (digest type 2) in the DS.',
    references: ['RFC 4035 §5.2', 'RFC 6840 §5.2', iana, ianaDigests],
  },
  'dnssec-key-short': {
    part: 'dnssec',
    severity: 'medium',
    points: 9,
    title: 'An RSA key is short',
    detail: 'Key {keyTag} has {bits} bits; at least 2048 are recommended.',
    fix: 'Roll over to a key of 2048 bits or, better, to algorithm 13 (ECDSA P-256), whose answers are smaller.',
    references: ['RFC 6781 §3.4.2'],
  },
  'dnssec-nsec3-iterations': {
    part: 'dnssec',
    severity: 'medium',
    points: 9,
    title: 'NSEC3 hashes more than once',
    detail:
      'The zone hashes its names {iterations} extra times; the number must be 0, and validators may treat more as unsigned or bogus.',
    fix: 'Set the iterations to 0 and the salt to “-”.',
    references: ['RFC 9276 §3.1'],
  },
  'dnssec-nsec3-salt': {
    part: 'dnssec',
    severity: 'info',
    points: 0,
    title: 'NSEC3 uses a salt',
    detail: 'NSEC3 has a salt of {octets} octets. It protects nothing and should be empty.',
    fix: 'Set the salt to “-”.',
    references: ['RFC 9276 §3.1'],
  },
  'dnssec-nsec3-opt-out': {
    part: 'dnssec',
    severity: 'info',
    points: 0,
    title: 'NSEC3 leaves out delegations that are not signed',
    detail:
      'The NSEC3 records of {zone} have the opt-out flag, so delegations can be added or removed in transit without notice. Only registries with very many delegations need it.',
    fix: 'Sign the zone without opt-out.',
    references: ['RFC 9276 §3.1', 'RFC 5155 §12.2'],
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
