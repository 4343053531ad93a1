import type { Chain, HeaderEvidence } from '../../../worker/checks/security-header-check/evidence.ts';
import { rows } from '../security-header-check/rows/all.ts';
import type { Lost, Sight } from './lost.ts';

const codes = ['connection-timeout', 'response-timeout', 'not-from-here', 'budget-spent'];

function cutAt(chain: Chain, at: number, code: string): Chain {
  const url = chain.hops[at]?.url ?? chain.start;
  return {
    start: chain.start,
    hops: chain.hops.slice(0, at),
    end: { kind: 'failed', url, code, reason: 'the reason' },
    document: null,
  };
}

function withoutAnswers(evidence: HeaderEvidence): Lost<HeaderEvidence> {
  const { https, http, cors, files, families } = evidence;
  const failed = { kind: 'failed', reason: 'the reason' } as const;
  const cut = (name: 'https' | 'http') =>
    evidence[name].hops.flatMap((_, at) =>
      codes.map(
        (code) =>
          [`${name} hop ${at}: ${code}`, { ...evidence, [name]: cutAt(evidence[name], at, code) }] as const,
      ),
    );
  return [
    ...cut('https'),
    ...cut('http'),
    [
      'both',
      {
        ...evidence,
        https: cutAt(https, 0, 'connection-timeout'),
        http: cutAt(http, 0, 'connection-timeout'),
      },
    ],
    ['the page', { ...evidence, https: { ...https, document: null }, http: { ...http, document: null } }],
    [
      'CORS',
      {
        ...evidence,
        cors: cors.map(({ method, origin, as }) => ({ method, origin, ...(as ? { as } : {}), ...failed })),
      },
    ],
    [
      'the preload list',
      { ...evidence, preload: evidence.preload.map(([host]) => [host, 'unknown'] as const) },
    ],
    ...(families
      ? [['families', { ...evidence, families: { ...families, sights: [], late: true } }] as const]
      : []),
    ...(files
      ? (['wellKnown', 'legacy'] as const).map(
          (name) =>
            [
              `security.txt ${name}`,
              {
                ...evidence,
                files: {
                  ...files,
                  securityTxt: {
                    ...files.securityTxt,
                    [name]: { route: files.securityTxt[name].route, ...failed },
                  },
                },
              },
            ] as const,
        )
      : []),
    ...(files
      ? [
          [
            'robots.txt',
            { ...evidence, files: { ...files, robots: { route: files.robots.route, ...failed } } },
          ] as const,
        ]
      : []),
  ];
}

export function headerSights(): readonly Sight<HeaderEvidence>[] {
  return rows.map(({ name, evidence }) => ({ name, evidence, lost: () => withoutAnswers(evidence) }));
}
