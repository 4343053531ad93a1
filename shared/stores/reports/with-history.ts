import { plainOptions } from '../../catalogue/asked-options.ts';
import {
  countedPartsOf,
  type Outline,
  outlineOf,
  packOutline,
  unpackOutline,
} from '../../catalogue/outline.ts';
import { findSpec } from '../../catalogue/registry.ts';
import { anonymousAccount, grantOf } from '../../model/grant.ts';
import { Problem } from '../../model/problem.ts';
import type { ReportStore, StoredReport } from '../../ports/report-store.ts';
import { giveBack } from '../../time/give-back.ts';
import { readReport } from './read-report.ts';

/**
 * The store with what a history is made of: each report is kept with its outline, and what was checked for a caller without a token stands in
 * the public history of its domain.
 */
export function withHistory(store: ReportStore): ReportStore {
  return {
    ...store,
    async insert(report, keys) {
      if (report.reportId === undefined) return store.insert(report, keys);
      const outline = packOutline(outlineOf(report, await readOutlines(store, countedPartsOf(report))));
      const stored = await store.insert(report, { ...keys, outline });
      // Before whoever waits for the report is told of it. Keyed by report and account, so a second insert changes nothing.
      if (isPublic(stored)) await store.grants.give(anonymousAccount, grantOf(stored));
      return stored;
    },
  };
}

/** So many of the newest are looked at for one that is whole. */
export const newestLookedAt = 10;

/** The newest of these for which nothing was missing in the network of its worker; where there is none, the newest. */
export async function newestWhole<Kept extends { readonly reportId: string }>(
  store: OutlineStore,
  newestFirst: readonly Kept[],
): Promise<Kept | undefined> {
  const outlines = await readOutlines(
    store,
    newestFirst.map(({ reportId }) => reportId),
  );
  const isWhole = ({ reportId }: Kept) => !outlines.get(reportId)?.reports[0]?.missing;
  return newestFirst.find(isWhole) ?? newestFirst[0];
}

function isPublic({ isOpen, check, options }: StoredReport): boolean {
  return isOpen && options === plainOptions && findSpec(check)?.targetKind === 'domain';
}

type OutlineStore = Pick<ReportStore, 'findOutlines' | 'get'>;

/** Reports of an earlier release that are read whole for their outlines at once. */
const wholeAtOnce = 20;

/**
 * The outlines of these reports, by their ids; without those that are gone.
 * A report of an earlier release has none: so many of these are read whole.
 */
export async function readOutlines(
  store: OutlineStore,
  reportIds: readonly string[],
): Promise<ReadonlyMap<string, Outline>> {
  if (reportIds.length === 0) return new Map();
  const packed = await store.findOutlines(reportIds);
  const outlines = new Map<string, Outline>();
  const without: string[] = [];
  for (const id of reportIds) {
    const outline = readPacked(packed.get(id));
    if (outline) outlines.set(id, outline);
    else without.push(id);
    await giveBack();
  }
  for (const id of without.slice(0, wholeAtOnce)) {
    const outline = await outlineWhole(store, id);
    if (outline) outlines.set(id, outline);
    await giveBack();
  }
  return outlines;
}

async function outlineWhole(store: OutlineStore, reportId: string): Promise<Outline | undefined> {
  const stored = await store.get(reportId);
  try {
    return stored && outlineOf(readReport(stored));
  } catch (error) {
    if (!(error instanceof Problem)) throw error; // a damaged report, which its own address tells of
    return undefined;
  }
}

// What does not unpack is read from the report itself, as that of an earlier release is.
function readPacked(packed: Uint8Array | undefined): Outline | undefined {
  try {
    return packed && unpackOutline(packed);
  } catch {
    return undefined;
  }
}
