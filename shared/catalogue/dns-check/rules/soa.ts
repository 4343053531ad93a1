import type { Rule } from '../../../model/verdict.ts';

/** What can be wrong with the SOA record. Bounds of the timers are the least that RFC 1912 names. Points: 12 weak, 3 hygiene. */
export const soaRules = {
  'soa-serial-mismatch': {
    part: 'soa',
    severity: 'medium',
    points: 12,
    title: 'The name servers have different versions of the zone',
    detail:
      '{server} ({ip}) has serial {serial}, others have {others}. Visitors get old or new records by chance.',
    fix: 'Find out why the zone is not copied to all servers (NOTIFY, zone transfers, access lists). Directly after a change this is normal for some minutes.',
    references: ['RFC 1034 §4.3.5'],
  },
  'soa-fields-mismatch': {
    part: 'soa',
    severity: 'medium',
    points: 12,
    title: 'The name servers give different SOA records',
    detail: '{server} ({ip}) differs from the others in {fields}, although the serial is the same.',
    fix: 'Serve the same zone from all servers. If two providers serve it, keep both copies equal.',
    references: ['RFC 1034 §4.3.5'],
  },
  'soa-refresh-range': {
    part: 'soa',
    severity: 'low',
    points: 3,
    title: 'The SOA refresh time is out of range',
    detail:
      'Refresh is {refresh} s. Secondary servers should ask every 1200 s (20 minutes) or less often, and rely on NOTIFY in between.',
    fix: 'Set refresh to 3600 or more. Without zone transfers the value has no effect.',
    references: ['RFC 1912 §2.2'],
  },
  'soa-retry-range': {
    part: 'soa',
    severity: 'low',
    points: 3,
    title: 'The SOA retry time is out of range',
    detail:
      'Retry is {retry} s with a refresh of {refresh} s; it should be 180 s or more, and less than refresh.',
    fix: 'Set retry to 900, below refresh.',
    references: ['RFC 1912 §2.2'],
  },
  'soa-expire-range': {
    part: 'soa',
    severity: 'low',
    points: 3,
    title: 'The SOA expire time is out of range',
    detail:
      'Expire is {expire} s with a refresh of {refresh} s; secondary servers should keep answering for 259200 s (three days) or more without the primary.',
    fix: 'Set expire to 1209600 (two weeks).',
    references: ['RFC 1912 §2.2'],
  },
  'soa-minimum-range': {
    part: 'soa',
    severity: 'low',
    points: 3,
    title: 'The negative caching time is out of range',
    detail:
      'Minimum is {minimum} s; between 60 s and 86400 s is usual. If it is longer, a new name stays invisible; if it is shorter, every typing error reaches the servers.',
    fix: 'Set the last SOA field to 3600.',
    references: ['RFC 2308 §5'],
  },
  'soa-mname-alias': {
    part: 'soa',
    severity: 'low',
    points: 3,
    title: 'The primary server named in the SOA is an alias',
    detail:
      'MNAME is {mname}, which is a CNAME for {target}. Dynamic updates and NOTIFY may not find the primary.',
    fix: 'Use the host’s own name in the SOA.',
    references: ['RFC 1035 §3.3.13', 'RFC 2181 §10.3'],
  },
  'soa-mname-without-address': {
    part: 'soa',
    severity: 'low',
    points: 3,
    title: 'The primary server named in the SOA has no address',
    detail: 'MNAME is {mname}, and that name {reason}.{slip} Dynamic updates cannot find the primary.',
    fix: 'Use the name of the primary server in the SOA. A primary that the public cannot reach still needs a name that exists.',
    references: ['RFC 1035 §3.3.13', 'RFC 2136 §4.3'],
  },
  'soa-rname-invalid': {
    part: 'soa',
    severity: 'medium',
    points: 12,
    title: 'The SOA contains no valid mail address',
    detail: 'RNAME is {rname}: {reason}. People who find a fault cannot write to you.',
    fix: 'Write the address with a dot instead of the @, for example hostmaster.example.com for hostmaster@example.com. Write a dot before the @ as “\\.”.',
    references: ['RFC 1035 §3.3.13', 'RFC 1912 §2.2'],
  },
  'soa-rname-no-mail': {
    part: 'soa',
    severity: 'low',
    points: 3,
    title: 'The mail address in the SOA does not accept mail',
    detail: 'RNAME stands for {mail}, but {host} {found}. People who find a fault cannot write to you.',
    fix: 'Use an address that someone reads, at a domain that accepts mail.',
    references: ['RFC 1035 §3.3.13', 'RFC 1912 §2.2', 'RFC 5321 §5.1', 'RFC 7505 §3'],
  },
} as const satisfies Record<string, Rule>;
