import type {
  AddressObservation,
  MailHostObservation,
  SmtpEvidence,
} from '../../../worker/checks/smtp-check/evidence.ts';
import type { Observation } from '../../../worker/dns/observation.ts';
import { cases } from '../smtp-check/cases.ts';
import type { Lost, Sight } from './lost.ts';

const lost = <O extends Observation>(seen: O): O => ({
  ...seen,
  outcome: 'unknown',
  records: [],
  secure: false,
  why: 'no answer',
});
const silence = { kind: 'failure', code: 'connection-timeout', reason: 'the reason' } as const;

function withoutAnswers(evidence: SmtpEvidence): Lost<SmtpEvidence> {
  const hosts = (change: (host: MailHostObservation) => MailHostObservation, at?: number): SmtpEvidence => ({
    ...evidence,
    hosts: evidence.hosts.map((host, place) => (at === undefined || at === place ? change(host) : host)),
  });
  const silent = (address: AddressObservation): AddressObservation => ({
    ...address,
    first: silence,
    second: null,
  });
  return [
    ['MX', { ...evidence, mx: lost(evidence.mx) }],
    ['own addresses', { ...evidence, own: [lost(evidence.own[0]), lost(evidence.own[1])] }],
    ['validation', { ...evidence, resolverValidates: null }],
    ['the policy', { ...evidence, sts: { ...evidence.sts, policy: evidence.sts.policy && silence } }],
    ['the policy record', { ...evidence, sts: { record: lost(evidence.sts.record), policy: null } }],
    [
      'port 25',
      { ...hosts((host) => ({ ...host, addresses: host.addresses.map(silent) })), port: 'blocked' },
    ],
    ['all hosts', hosts((host) => ({ ...host, addresses: host.addresses.map(silent) }))],
    ...evidence.hosts.flatMap(({ host }, at) => [
      [`host ${host}`, hosts((one) => ({ ...one, addresses: one.addresses.map(silent) }), at)] as const,
      [`TLSA of ${host}`, hosts((one) => ({ ...one, tlsa: one.tlsa.map(lost) }), at)] as const,
      [
        `addresses of ${host}`,
        hosts(
          (one) => ({
            ...one,
            lookups: [lost(one.lookups[0]), lost(one.lookups[1])],
            addresses: [],
            failure: { code: 'name-unresolved', reason: 'no answer' },
          }),
          at,
        ),
      ] as const,
      [
        `second look at ${host}`,
        hosts(
          (one) => ({ ...one, addresses: one.addresses.map((address) => ({ ...address, second: null })) }),
          at,
        ),
      ] as const,
    ]),
  ];
}

export function smtpSights(): readonly Sight<SmtpEvidence>[] {
  return cases.map(({ name, evidence }) => ({ name, evidence, lost: () => withoutAnswers(evidence) }));
}
