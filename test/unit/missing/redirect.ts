import type { FailureCode } from '#shared/model/failure';
import type { RedirectEvidence } from '../../../worker/checks/redirect-check/evidence.ts';
import { cases } from '../redirect-check/cases.ts';
import type { Lost, Sight } from './lost.ts';

const codes = [
  'connection-timeout',
  'response-timeout',
  'not-from-here',
  'budget-spent',
] as const satisfies readonly FailureCode[];

export function withoutHops(evidence: RedirectEvidence): Lost<RedirectEvidence> {
  const { hops, families } = evidence;
  const cut = hops.flatMap((hop, at) =>
    hop.seen.kind === 'failure'
      ? []
      : codes.map((code) => {
          const seen = { kind: 'failure', code, reason: 'the reason', address: null, waitedMs: 9 } as const;
          const left = [...hops.slice(0, at), { ...hop, seen, next: null }];
          return [`hop ${at}: ${code}`, { ...evidence, hops: left, stop: { kind: 'failure' } }] as const;
        }),
  );
  const late = hops.map((hop, at) => {
    const seen = {
      kind: 'failure',
      code: 'response-timeout',
      reason: 'the reason',
      address: null,
      waitedMs: 9,
    } as const;
    const left = [...hops.slice(0, at), { ...hop, seen, next: null }];
    return [
      `hop ${at}: late`,
      { ...evidence, hops: left, stop: { kind: 'out-of-time', afterMs: 18_000 } },
    ] as const;
  });
  const unread = hops.flatMap((hop, at) =>
    hop.seen.kind === 'response'
      ? [
          [
            `body of hop ${at}`,
            {
              ...evidence,
              hops: hops.map((one) =>
                one === hop ? { ...hop, seen: { ...hop.seen, page: null, bodyCut: 'timeout' } } : one,
              ),
            } as RedirectEvidence,
          ] as const,
        ]
      : [],
  );
  return [
    ...cut,
    ...late,
    ...unread,
    ...(evidence.asOurs
      ? [['as ours', { ...evidence, asOurs: { kind: 'failed', reason: 'the reason' } }] as const]
      : []),
    ...(families
      ? [
          ['families', { ...evidence, families: { ...families, sights: [], late: true } }] as const,
          ...families.sights.map(
            ({ family }) =>
              [
                `IPv${family}`,
                {
                  ...evidence,
                  families: {
                    ...families,
                    sights: families.sights.map((sight) =>
                      sight.family === family
                        ? { family, kind: 'failed', code: 'not-from-here', reason: 'the reason' }
                        : sight,
                    ),
                  },
                } as RedirectEvidence,
              ] as const,
          ),
        ]
      : []),
  ];
}

export function redirectSights(): readonly Sight<RedirectEvidence>[] {
  return cases.map(({ name, evidence }) => ({ name, evidence, lost: () => withoutHops(evidence) }));
}
