import type { Rule } from '../../../model/verdict.ts';

/** What the DNS says of the certificate. It informs: browsers read none of it. */
export const nameRules = {
  'caa-missing': {
    part: 'dns',
    severity: 'info',
    points: 0,
    title: 'Any CA may issue certificates for the name',
    detail: 'Neither {host} nor a name above it has a CAA record.',
    fix: 'Publish a CAA record that names your CA.',
    references: ['RFC 8659 §3'],
  },
  'tlsa-mismatch': {
    part: 'dns',
    severity: 'info',
    points: 0,
    title: 'No TLSA record matches the certificate',
    detail:
      '{name} has {count|TLSA record|TLSA records}. None matches the chain that the server sends with the certificate of {subject}.',
    fix: 'Publish the digest of the new key before you use it, and remove the old record afterwards.',
    references: ['RFC 6698 §2.1', 'RFC 7671 §8'],
  },
  'tlsa-insecure': {
    part: 'dns',
    severity: 'info',
    points: 0,
    title: 'TLSA records are published without DNSSEC',
    detail: '{name} has TLSA records, but the answer is not signed with DNSSEC. Clients must ignore them.',
    fix: 'Sign the zone, or remove the records.',
    references: ['RFC 6698 §4.1'],
  },
} as const satisfies Record<string, Rule>;
export type NameCode = keyof typeof nameRules;
