import { promisify } from 'node:util';
import { zstdCompress, zstdDecompress } from 'node:zlib';
import type { Freshness } from '../model/freshness.ts';
import { randomId } from '../model/job.ts';
import type { Report } from '../model/report.ts';
import type { Blob, ReportStore, StoredReport } from '../ports/report-store.ts';
import { readReport } from '../stores/reports/read-report.ts';
import type { Question } from './question.ts';

/**
 * Answers a question from a stored report of the same target with fewer options, where the check can judge that one anew: no run, no cost. What
 * is made is a report of its own, as old as its source, with pictures and evidence of its own.
 * @param freshness how old the other report may be
 */
export async function judgeStored(
  reportStore: ReportStore,
  { spec, sourceKey, jobKey, options }: Question,
  freshness: Freshness,
  isAnonymous: boolean,
): Promise<StoredReport | undefined> {
  if (!spec.judgedFrom || sourceKey === undefined) return undefined;
  const source = (await reportStore.findFresh([{ jobKey: sourceKey, wanted: freshness }])).get(sourceKey);
  // What failed through us says nothing; another run may.
  if (!source || source.state === 'failed') return undefined;
  const judged = spec.judgedFrom.judge(readReport(source), options);
  if (!judged) return undefined;
  const reportId = randomId();
  const report = renamed(judged, source.reportId, reportId);
  if (report.reportId !== undefined) await copyBlobs(reportStore, source, { reportId, options });
  return reportStore.insert(report, { reportId, jobId: randomId(), jobKey, isAnonymous, options });
}

/** The report under an id of its own, where it has one; its picture is found there too. */
function renamed(report: Report, from: string, to: string): Report {
  if (report.reportId === undefined) return report;
  const { screenshot } = report as { readonly screenshot?: { readonly href?: string } | null };
  const href = screenshot?.href?.replace(from, to);
  return {
    ...report,
    reportId: to,
    ...(href === undefined ? {} : { screenshot: { ...screenshot, href } }),
  };
}

type Copy = { readonly reportId: string; readonly options: Question['options'] };

// Before the report, so that its links lead somewhere from the first moment.
async function copyBlobs(reportStore: ReportStore, source: StoredReport, copy: Copy): Promise<void> {
  const kinds = ['screenshot', 'filmstrip', 'evidence'] as const;
  const blobs = await Promise.all(
    kinds.map(async (kind): Promise<readonly Blob[]> => {
      const kept = await reportStore.getBlob({ reportId: source.reportId, kind });
      if (!kept) return [];
      const bytes = kind === 'evidence' ? await evidenceOf(kept, copy) : kept;
      return [{ name: { reportId: copy.reportId, kind }, bytes, expiresAt: source.expiresAt }];
    }),
  );
  await reportStore.keepBlobs(blobs.flat());
}

/** The file of evidence as it would be if the options had been asked: judging it again gives the same answer. */
async function evidenceOf(packed: Uint8Array, { reportId, options }: Copy): Promise<Uint8Array> {
  const file = JSON.parse((await promisify(zstdDecompress)(packed)).toString()) as {
    readonly evidence: object;
  };
  const { budget } = options;
  const changed = { ...file, reportId, options, evidence: { ...file.evidence, budget } };
  return promisify(zstdCompress)(JSON.stringify(changed));
}
