import type { Collection, Filter } from 'mongodb';
import type { ReadLimit } from '../../backends/mongo.ts';
import { answers, latestOf } from '../../model/freshness.ts';
import type { Question, StoredReport } from '../../ports/report-store.ts';
import type { RowReader } from '../stored-row.ts';
import { dateOf, msOf, type ReportDocument, readDocument } from './mongo-documents.ts';

/** Keys asked for in one query, so that it ends in time on a server that compares dates document by document. */
const keysAtOnce = 50;

type FreshQuery = ReadLimit & {
  readonly questions: readonly Question[];
  readonly nowMs: number;
  /** No report is fresh for longer. */
  readonly longestFreshMs: number;
};

/**
 * The newest report that answers each question. One question costs one query. Of many, a first query names the newest reports
 * without their bodies, and only those of keys that have an answer are read whole: a key that was answered is not asked for again.
 */
export async function findFresh(
  reports: Collection<ReportDocument>,
  { questions, ...how }: FreshQuery,
  readRow: RowReader,
): Promise<ReadonlyMap<string, StoredReport>> {
  const found: StoredReport[] = [];
  for (let at = 0; at < questions.length; at += keysAtOnce) {
    const asked = { questions: questions.slice(at, at + keysAtOnce), ...how };
    const documents =
      asked.questions.length === 1 ? await findNewest(reports, asked) : await findWhole(reports, asked);
    found.push(...documents.flatMap((document) => readDocument(document, readRow) ?? []));
  }
  return new Map(found.map((stored) => [stored.jobKey, stored]));
}

const limitOf = ({ maxTimeMS }: FreshQuery): ReadLimit => ({ maxTimeMS });

function findNewest(reports: Collection<ReportDocument>, asked: FreshQuery) {
  return reports.find(filterOf(asked), limitOf(asked)).sort({ checkedAt: -1 }).limit(1).toArray();
}

async function findWhole(reports: Collection<ReportDocument>, asked: FreshQuery) {
  const ids = await findIds(reports, asked);
  return ids.length === 0 ? [] : reports.find({ _id: { $in: ids } }, limitOf(asked)).toArray();
}

// Only reports that answer the widest of the questions come back: a few of each key, whatever its history. So no limit is
// needed, which the old reports of one key could use up.
async function findIds(reports: Collection<ReportDocument>, asked: FreshQuery): Promise<string[]> {
  const projection = { jobKey: 1, checkedAt: 1, freshUntil: 1 } as const;
  const seen = (await reports.find(filterOf(asked), { ...limitOf(asked), projection }).toArray()).map(
    (document) => ({
      id: document._id,
      jobKey: document.jobKey,
      checkedAt: msOf(document.checkedAt),
      freshUntil: msOf(document.freshUntil),
    }),
  );
  const newestFirst = seen.toSorted((one, other) => other.checkedAt - one.checkedAt);
  return asked.questions.flatMap(
    ({ jobKey, wanted }) =>
      newestFirst.find((each) => each.jobKey === jobKey && answers(each, wanted, asked.nowMs))?.id ?? [],
  );
}

// The key stands beside the alternatives, so that each of them is a range of an index: by age, and by freshness. The plain bound of age keeps
// a plan that reads by age alone from a key's whole history, with its bodies, where there is no answer.
function filterOf({ questions: asked, nowMs, longestFreshMs }: FreshQuery): Filter<ReportDocument> {
  const now = new Date(nowMs);
  const sinceMs = Math.min(...asked.map(({ wanted }) => wanted.since));
  const since = dateOf(sinceMs);
  const isFreshEnough = asked.some(({ wanted }) => wanted.orFresh);
  const oldestMs = isFreshEnough ? Math.min(sinceMs, nowMs - longestFreshMs) : sinceMs;
  const keys = asked.map(({ jobKey }) => jobKey);
  return {
    jobKey: keys.length === 1 ? (keys[0] ?? '') : { $in: keys },
    checkedAt: {
      ...(Number.isFinite(oldestMs) ? { $gte: dateOf(oldestMs) } : {}),
      $lte: dateOf(latestOf(nowMs)),
    },
    expiresAt: { $gt: now },
    $or: [{ checkedAt: { $gte: since } }, ...(isFreshEnough ? [{ freshUntil: { $gt: now } }] : [])],
  };
}
