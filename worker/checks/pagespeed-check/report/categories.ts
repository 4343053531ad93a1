import { type CategoryName, judgedElsewhere } from '#shared/catalogue/pagespeed-check/categories';
import type { PagespeedFields } from '#shared/catalogue/pagespeed-check/report';
import type { PageObservation } from '../../../probes/browser/port.ts';
import { finiteOf } from '../../../probes/browser/untyped.ts';
import type { PagespeedEvidence } from '../evidence.ts';
import { toPoints } from '../facts/choice.ts';
import { readAsked } from '../facts/field.ts';
import { readSeo } from '../facts/seo.ts';

/** The score of each category that was asked for, and where verdicts on the rest of its audits stand. */
export function reportCategories(
  evidence: PagespeedEvidence,
  page: PageObservation | undefined,
): PagespeedFields['categories'] {
  const told = readAsked(evidence).map((name) => {
    const judgedBy = elsewhereOf(name);
    const tookMs = finiteOf(page?.categories?.tookMs?.[name]);
    return [
      name,
      {
        ...scoresOf(name, page),
        ...(tookMs === undefined ? {} : { tookMs }),
        ...(judgedBy ? { judgedBy } : {}),
      },
    ] as const;
  });
  return Object.fromEntries(told);
}

function scoresOf(name: CategoryName, page: PageObservation | undefined) {
  if (name === 'performance') return { score: toPoints(page?.score ?? null) };
  if (name !== 'seo' || !page) return { score: toPoints(page?.categories?.scores[name] ?? null) };
  const { score, lighthouse } = readSeo(page);
  return {
    score: toPoints(score),
    ...(lighthouse === null ? {} : { lighthouseScore: toPoints(lighthouse) }),
  };
}

function elsewhereOf(name: CategoryName) {
  return Object.hasOwn(judgedElsewhere, name)
    ? judgedElsewhere[name as keyof typeof judgedElsewhere]
    : undefined;
}

/** Whether the load was to be judged for its speed. */
export function isSpeedAsked(evidence: PagespeedEvidence): boolean {
  return readAsked(evidence).includes('performance');
}
