import type { Rule } from '../../../../model/verdict.ts';

/**
 * What can be wrong with all that a sender policy leads to: includes, names, and the limits on lookups. Points are of the 22 that SPF
 * weighs: high 20, medium 9, low 2.
 */
export const spfTreeRules = {
  'spf-include-syntax': {
    part: 'spf',
    severity: 'high',
    points: 20,
    title: 'An included SPF record breaks the grammar',
    detail: 'The record of {name}, reached by {term}, is wrong at character {position}: {problem}.',
    fix: 'Tell the owner of that record, or remove the term. The error makes your whole policy a permerror.',
    references: ['RFC 7208 §5.2', 'RFC 7208 §4.6'],
  },
  'spf-record-lookup-failed': {
    part: 'spf',
    severity: 'high',
    points: 20,
    title: 'The lookup of the SPF record fails',
    detail:
      'The lookup of TXT of {name} fails: {reason}. Receivers answer temperror: they delay the mail, or go on without SPF.',
    fix: 'Repair the zone on its name servers. If it is signed, look at its DNSSEC findings first.',
    references: ['RFC 7208 §2.6.6'],
  },
  'spf-lookup-failed': {
    part: 'spf',
    severity: 'medium',
    points: 9,
    title: 'A DNS lookup of the SPF policy fails',
    detail:
      'The lookup of {name} ({term} of {from}) fails: {reason}. Receivers whose lookup fails too answer temperror: they delay the mail, or check it without SPF.',
    fix: 'Repair the DNS of that name, or remove the term if the service no longer sends for you.',
    references: ['RFC 7208 §2.6.6', 'RFC 7208 §4.4'],
  },
  'spf-too-many-lookups': {
    part: 'spf',
    severity: 'high',
    points: 20,
    title: 'The SPF record needs more than ten lookups',
    detail:
      'The terms that were followed need {lookups} DNS lookups. After the tenth, receivers answer permerror. Terms after that were not followed.',
    fix: 'Remove services that no longer send, or give each service a subdomain with its own record.',
    references: ['RFC 7208 §4.6.4'],
  },
  'spf-near-limit': {
    part: 'spf',
    severity: 'low',
    points: 2,
    title: 'The SPF record is near the limit of ten lookups',
    detail:
      'All terms together need {lookups} DNS lookups. The next change in an included record may exceed ten.',
    fix: 'Remove services that no longer send.',
    references: ['RFC 7208 §4.6.4'],
  },
  'spf-too-many-voids': {
    part: 'spf',
    severity: 'high',
    points: 20,
    title: 'Too many lookups of the SPF record find nothing',
    detail:
      '{voids} terms lead to names without such a record ({names}). After the second, receivers answer permerror.',
    fix: 'Remove the terms whose names no longer exist.',
    references: ['RFC 7208 §4.6.4', 'RFC 7208 §11.1'],
  },
  'spf-void-one-family': {
    part: 'spf',
    severity: 'info',
    points: 0,
    title: 'For IPv4 or IPv6 senders, too many lookups of the SPF record find nothing',
    detail:
      'For senders over {family}, {voids} terms find no address ({names}). Receivers that follow the standard strictly answer permerror for them.',
    fix: 'List the addresses with ip4: and ip6: instead, or remove terms that are not needed.',
    references: ['RFC 7208 §4.6.4', 'RFC 7208 §5'],
  },
  'spf-mx-limit': {
    part: 'spf',
    severity: 'high',
    points: 20,
    title: 'An mx term leads to more than ten hosts',
    detail: '{term} leads to {count} mail hosts; after the tenth, receivers answer permerror.',
    fix: 'List the addresses with ip4: and ip6: instead.',
    references: ['RFC 7208 §4.6.4', 'RFC 7208 §5.4'],
  },
  'spf-loop': {
    part: 'spf',
    severity: 'high',
    points: 20,
    title: 'An SPF record includes itself',
    detail: '{term} of {from} leads back to {name}. Receivers reach the limit of ten lookups.',
    fix: 'Remove the term that leads back.',
    references: ['RFC 7208 §4.6.4', 'RFC 7208 §11.1'],
  },
  'spf-include-missing': {
    part: 'spf',
    severity: 'high',
    points: 20,
    title: 'An include leads to a name without SPF',
    detail: '{term} in the record of {from} leads to {name}: {found}, and receivers answer permerror.',
    fix: 'Remove the include, or correct the name.',
    references: ['RFC 7208 §5.2'],
  },
  'spf-redirect-missing': {
    part: 'spf',
    severity: 'high',
    points: 20,
    title: 'A redirect leads to a name without SPF',
    detail: '{term} in the record of {from} leads to {name}: {found}, and receivers answer permerror.',
    fix: 'Correct the name, or end the record with an all term instead.',
    references: ['RFC 7208 §6.1'],
  },
  'spf-include-empty': {
    part: 'spf',
    severity: 'low',
    points: 2,
    title: 'An include allows no sender',
    detail:
      '{term} in the record of {from} leads to {name}, whose record allows no sender. The lookup is wasted.',
    fix: 'Remove the include.',
    references: ['RFC 7208 §5.2', 'RFC 7208 §4.6.4'],
  },
  'spf-include-contained': {
    part: 'spf',
    severity: 'low',
    points: 2,
    title: 'An include is contained in another one',
    detail: '{term} adds nothing: {other} also leads to the record of {name}, so its lookups are made twice.',
    fix: 'Remove the include.',
    references: ['RFC 7208 §4.6.4'],
  },
  'spf-name-missing': {
    part: 'spf',
    severity: 'low',
    points: 2,
    title: 'A term names a host that does not exist',
    detail:
      '{term} in the record of {from} leads to {name}, which does not exist. If someone else can register that name, they can send mail as you.',
    fix: 'Remove the term, or correct the name.',
    references: ['RFC 7208 §5.3', 'RFC 7208 §11.1'],
  },
} as const satisfies Record<string, Rule>;
