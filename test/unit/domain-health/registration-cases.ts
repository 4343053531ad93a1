import { type Registration, unknownRegistration } from '#shared/catalogue/domain-health/registration';
import type { HealthCode } from '#shared/catalogue/domain-health/rules';
import type { Grade } from '#shared/model/score';
import type { Case } from './cases.ts';
import { at, dns, dnsFields, evidence } from './parts.ts';

const dayMs = 86_400_000;
const inDays = (days: number) => new Date(at + days * dayMs).toISOString();
const ds = { keyTag: 2371, algorithm: 13, digestType: 2, digest: 'ab12' };

/** What a registry tells of a domain that is well. */
export const registered: Registration = {
  state: 'ok',
  name: 'a.test',
  expiresAt: inDays(400),
  registeredAt: inDays(-1000),
  askedAt: inDays(0),
  registrar: 'Example Registrar Inc.',
  statuses: ['clientTransferProhibited'],
  nameServers: ['ns1.a.test', 'ns2.a.test'],
  ds: [],
  isSigned: false,
};

function row(
  name: string,
  change: Partial<Registration>,
  broken: readonly HealthCode[] = [],
  [grade, zone]: readonly [Grade, object?] = ['A+'],
): Case {
  const found = dns({}, zone);
  const of = evidence({ dns: found, registration: { ...registered, ...change } });
  return { name: `registration: ${name}`, evidence: of, broken, score: 100, grade };
}

const signed = { dnssec: { ...dnsFields.dnssec, ds: [{ ...ds, digest: 'AB12', matches: true }] } };
const unsure = { dnssec: { ...dnsFields.dnssec, status: 'indeterminate' } };
const unseen = { ns: { ...dnsFields.ns, parent: null } };
const above = { ns: { ...dnsFields.ns, zone: 'test', parent: ['ns.nic.test'] } };

/** Each rule of the registration: what breaks it, what does not, and where nobody can tell. */
export const registrationCases: readonly Case[] = [
  row('a domain that is well', {}),
  row('it ended yesterday', { expiresAt: inDays(-1) }, ['registration-expired'], ['B']),
  row('it ends in six days', { expiresAt: inDays(6) }, ['registration-expires-within-days'], ['A']),
  row('it ends in 29 days', { expiresAt: inDays(29) }, ['registration-expires-soon'], ['A']),
  row('it ends in 31 days', { expiresAt: inDays(31) }),
  row('a name for a week with three days left', { expiresAt: inDays(3), registeredAt: inDays(-4) }),
  row('no date', {
    state: 'no-date',
    expiresAt: null,
    reason: 'the registry does not tell when the registration ends',
  }),
  row(
    'clientHold',
    { statuses: ['clientHold', 'clientTransferProhibited'] },
    ['registration-on-hold'],
    ['C'],
  ),
  row(
    'serverHold',
    { statuses: ['serverHold', 'serverTransferProhibited'] },
    ['registration-on-hold'],
    ['C'],
  ),
  row(
    'deleted, and still to be restored',
    { statuses: ['redemptionPeriod', 'pendingDelete', 'clientTransferProhibited'], expiresAt: inDays(-40) },
    ['registration-redemption'],
    ['C'],
  ),
  row(
    'about to be deleted',
    { statuses: ['pendingDelete', 'clientTransferProhibited'], expiresAt: inDays(-70) },
    ['registration-pending-delete'],
    ['C'],
  ),
  row('being restored', { statuses: ['pendingDelete', 'redemptionPeriod', 'pendingRestore', 'locked'] }),
  row('locked by registrar and registry', {
    statuses: ['clientDeleteProhibited', 'clientUpdateProhibited', 'serverTransferProhibited'],
  }),
  row('no lock', { statuses: ['ok'] }, ['registration-transfer-unlocked']),
  row('no status at all', { statuses: [] }),
  row(
    'other name servers',
    { nameServers: ['ns1.a.test', 'ns9.a.test'] },
    ['registration-name-servers-differ'],
    ['A'],
  ),
  row('name servers that are not told', { nameServers: [] }),
  row('a parent that was not seen', {}, [], ['A+', unseen]),
  row('a name below the zone that is registered', {}, [], ['A+', above]),
  row('the same DS records, in other letters', { ds: [ds], isSigned: true }, [], ['A+', signed]),
  row(
    'a DS record that the parent has not',
    { ds: [ds], isSigned: true },
    ['registration-ds-differs'],
    ['A'],
  ),
  row(
    'other DS records',
    { ds: [{ ...ds, keyTag: 1 }], isSigned: true },
    ['registration-ds-differs'],
    ['A', signed],
  ),
  row('signed, without telling by what', { isSigned: true }, [], ['A+', signed]),
  row('not signed, where the parent has DS records', {}, ['registration-ds-differs'], ['A', signed]),
  row('no word about DS records', { isSigned: null }, [], ['A+', signed]),
  row('DS records of a parent that was not seen', { ds: [ds], isSigned: true }, [], ['A+', unsure]),
  ...(['missing', 'no-rdap', 'unknown'] as const).map((state) =>
    row(`state ${state}`, unknownRegistration('a.test', 'it was not seen', state)),
  ),
];
