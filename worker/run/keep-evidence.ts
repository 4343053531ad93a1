import { zstdCompressSync } from 'node:zlib';
import type { Logger } from '../../shared/logger.ts';
import { Problem } from '../../shared/model/problem.ts';
import type { ReportStore } from '../../shared/report-store/port.ts';
import type { EvidenceFile } from './judge.ts';

export type EvidenceSettings = {
  readonly reportStore: ReportStore;
  readonly log: Logger;
  /** How long the evidence of a report is kept for the operator; 0 keeps none. */
  readonly evidenceForS: number;
};

/** Evidence larger than this is not kept. */
const evidenceLimitBytes = 262_144;

/** Keeps what a report was judged from, for the operator alone, who may want to judge it again; a store that is away at this moment costs nobody an answer. */
export async function keepEvidence(
  { reportStore, evidenceForS, log }: EvidenceSettings,
  file: EvidenceFile,
): Promise<void> {
  if (evidenceForS === 0 || file.reportId === null) return;
  const bytes = zstdCompressSync(JSON.stringify(file));
  if (bytes.length > evidenceLimitBytes) return;
  await reportStore
    .keepBlob({ reportId: file.reportId, kind: 'evidence' }, bytes, Date.now() + evidenceForS * 1000)
    .catch((error: unknown) => {
      if (!(error instanceof Problem)) throw error;
      log.debug({ err: error }, 'evidence not kept');
    });
}
