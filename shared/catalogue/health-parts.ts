import { z } from 'zod';
import type { Report } from '../model/report.ts';
import { isOfLooking } from './change.ts';
import { categoryNameOf } from './domain-health/category-words.ts';
import { categoryNames } from './domain-health/weights.ts';
import type { Outline } from './outline.ts';
import { findSpec } from './registry.ts';

/** What a domain-health is made of, as far as a comparison of two of them needs it; of another check there is nothing. */
export type HealthParts = {
  /** By what rules its parts were judged: check and version, as one text. */
  readonly versions: ReadonlyMap<string, number>;
  /** Its categories: why one was not seen; "" where nothing is told; undefined where nothing of it was kept from us. */
  readonly unseen: ReadonlyMap<string, string | undefined>;
  /** Rules of its parts that cost points and were not tested: check and code. */
  readonly untested: ReadonlySet<string>;
};

const source = z.looseObject({ check: z.string().optional(), rulesVersion: z.int().nullish() }).nullish();
const shape = z.looseObject({
  categories: z.record(
    z.string(),
    z.looseObject({
      state: z.string(),
      reason: z.string().optional(),
      notTested: z.array(z.string()).default([]),
      report: source,
      mailHosts: z.looseObject({ reason: z.string().optional(), report: source }).optional(),
    }),
  ),
});

/** Of a whole report. */
export function partsOfReport(report: Report): HealthParts {
  const categories = Object.entries(shape.safeParse(report).data?.categories ?? {});
  const versions = categories.flatMap(([name, { report: own, mailHosts }]) => [
    ...versionOf(name, own?.rulesVersion),
    ...(mailHosts?.reason === undefined ? versionOf(`${name} hosts`, mailHosts?.report?.rulesVersion) : []),
  ]);
  const untested = categories.flatMap(([, { report: own, notTested, mailHosts }]) =>
    notTested.map((code) => nameOfRule([own?.check, mailHosts?.report?.check], code)),
  );
  return {
    versions: new Map(versions),
    unseen: new Map(
      categories.map(([name, { state, reason = '' }]) => [
        name,
        state === 'unavailable' ? reason : undefined,
      ]),
    ),
    untested: new Set(untested.filter((name) => name !== '')),
  };
}

/** Of an outline, which names no category whose part has no report. */
export function partsOfOutline({ reports: [own, ...parts] }: Outline): HealthParts {
  if (own?.check !== 'domain-health') return { versions: new Map(), unseen: new Map(), untested: new Set() };
  const isSeen = ({ state, findings }: (typeof parts)[number]) =>
    state !== 'failed' && !findings.some(({ code }) => isOfLooking(code) && code !== 'lookup-failed');
  return {
    versions: new Map(parts.map(({ check, target, rulesVersion }) => [`${check} ${target}`, rulesVersion])),
    unseen: new Map(
      parts.flatMap((part) =>
        Object.keys(part.categories ?? {}).map((name) => [name, isSeen(part) ? undefined : ''] as const),
      ),
    ),
    untested: new Set(
      parts.flatMap(({ check, notTested }) =>
        notTested.map((code) => nameOfRule([check], code)).filter((name) => name !== ''),
      ),
    ),
  };
}

/** True where a part that both have was judged by other rules. */
export function haveOtherParts(from: HealthParts, to: HealthParts): boolean {
  return [...to.versions].some(([name, version]) => (from.versions.get(name) ?? version) !== version);
}

/** True where both saw the same categories, and the same of each. */
export function sawTheSame(from: HealthParts, to: HealthParts): boolean {
  return notesBetween(from, to).length === 0 && from.untested.symmetricDifference(to.untested).size === 0;
}

/** "" for a rule that costs no points. */
function nameOfRule(checks: readonly (string | undefined)[], code: string): string {
  const check = checks.find((name) => (findSpec(name ?? '')?.rules[code]?.points ?? 0) > 0);
  return check === undefined ? '' : `${check} ${code}`;
}

/** Sentences about the categories that one of the two saw and the other did not. */
export function notesBetween(from: HealthParts, to: HealthParts): readonly string[] {
  const isSeen = ({ unseen }: HealthParts, name: string) =>
    unseen.has(name) && unseen.get(name) === undefined;
  return categoryNames.flatMap((name) => {
    const words = categoryNameOf(name);
    if (isSeen(from, name) && !isSeen(to, name)) {
      const reason = to.unseen.get(name) ?? '';
      return [`${words} was not seen this time${reason === '' ? '' : `: ${reason}`}.`];
    }
    return !isSeen(from, name) && from.unseen.has(name) && isSeen(to, name)
      ? [`${words} is seen again.`]
      : [];
  });
}

function versionOf(name: string, version: number | null | undefined): readonly (readonly [string, number])[] {
  return typeof version === 'number' ? [[name, version]] : [];
}
