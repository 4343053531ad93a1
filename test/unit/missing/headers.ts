import type { Chain, HeaderEvidence } from '../../../worker/checks/security-header-check/evidence.ts';
import { contentRows } from '../security-header-check/rows/content.ts';
import { cookieRows } from '../security-header-check/rows/cookies.ts';
import { crossOriginRows } from '../security-header-check/rows/cross-origin.ts';
import { cspRows } from '../security-header-check/rows/csp.ts';
import { framingRows } from '../security-header-check/rows/framing.ts';
import { leakageRows } from '../security-header-check/rows/leakage.ts';
import { siteFileRows } from '../security-header-check/rows/site-files.ts';
import { transportRows } from '../security-header-check/rows/transport.ts';
import type { Lost, Sight } from './lost.ts';

const rows = [
  ...transportRows,
  ...cspRows,
  ...framingRows,
  ...cookieRows,
  ...crossOriginRows,
  ...contentRows,
  ...leakageRows,
  ...siteFileRows,
];
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
