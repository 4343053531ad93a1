import type { SslEvidence } from '../../../worker/checks/ssl-check/evidence.ts';
import { certificateRows, connectionRows, nameRows, protocolRows, suiteRows } from '../ssl-check/cases.ts';
import { evidenceOf } from '../ssl-check/evidence-of.ts';
import type { Lost, Sight } from './lost.ts';

const stopped = { kind: 'stopped', reason: 'there was no time left' } as const;
const failure = {
  kind: 'failure',
  code: 'connection-timeout',
  reason: 'the reason',
  protocol: null,
  alert: null,
} as never;
const unknown = { kind: 'unknown', reason: 'the reason' } as const;

function withoutAnswers(evidence: SslEvidence): Lost<SslEvidence> {
  const { questions, names, clients = [] } = evidence;
  const nulls = [
    'withoutName',
    'otherKind',
    'stillAnswers',
    'fallback',
    'groups',
    'tls12Groups',
    'certificateForm',
    'preference',
    'tls13Preference',
    'http3',
  ] as const;
  // Where nothing was accepted, the failure is what was seen.
  if (questions.every(({ accepted }) => accepted.length === 0)) return [];
  return [
    ...questions.map(
      (question) =>
        [
          `${question.version} ${question.set}`,
          {
            ...evidence,
            questions: questions.map((one) =>
              one === question ? { ...one, accepted: [], end: stopped } : one,
            ),
          },
        ] as const,
    ),
    [
      'all questions',
      { ...evidence, questions: questions.map((one) => ({ ...one, accepted: [], end: stopped })) },
    ],
    [
      'the handshakes',
      { ...evidence, handshakes: evidence.handshakes.map(({ offer }) => ({ offer, handshake: failure })) },
    ],
    ...nulls
      .filter((name) => evidence[name] !== null && evidence[name] !== undefined)
      .map((name) => [name, { ...evidence, [name]: null }] as const),
    [
      'resumption',
      {
        ...evidence,
        resumption: evidence.resumption ? { ...evidence.resumption, outcome: 'unknown' } : null,
      },
    ],
    ['choices', { ...evidence, choices: [] }],
    ['refusals', { ...evidence, refusals: [] }],
    ['clients', { ...evidence, clients: clients.map((one) => ({ ...one, version: null, answer: stopped })) }],
    ['HSTS', { ...evidence, hsts: unknown }],
    ['the list of revoked ones', { ...evidence, revocationList: { ...unknown, url: null } }],
    ...(Object.keys(names) as (keyof typeof names)[]).map(
      (name) => [name, { ...evidence, names: { ...names, [name]: unknown } }] as const,
    ),
    ...(evidence.endpoints ?? []).map(
      ({ address }, at) =>
        [
          `address ${address}`,
          {
            ...evidence,
            endpoints: (evidence.endpoints ?? []).map((one, place) =>
              place === at ? { address, handshake: failure } : one,
            ),
          },
        ] as const,
    ),
  ];
}

export function sslSights(): readonly Sight<SslEvidence>[] {
  return [...connectionRows, ...certificateRows, ...protocolRows, ...suiteRows, ...nameRows].map(
    ({ name, change }) => {
      const evidence = evidenceOf(change);
      return { name, evidence, lost: () => withoutAnswers(evidence) };
    },
  );
}
