import { zstdDecompressSync } from 'node:zlib';
import { openBackend } from '#shared/lifecycle/backend';
import { jsonText } from '#shared/render/visible-text';
import { readConfig } from '#shared/settings/config';
import { openLogger } from '#shared/telemetry/logger';
import { sayForProgram } from './door.ts';
import { UsageError } from './outcome.ts';

/** Prints the evidence of a stored report, on the machine that has the store: it goes into `diag assess -`. */
export async function printEvidence(reportId: string): Promise<void> {
  const config = readConfig();
  const backend = await openBackend(config, openLogger('silent'));
  try {
    const bytes = await backend.reportStore.getBlob({ reportId, kind: 'evidence' });
    if (!bytes)
      throw new UsageError(
        `There is no evidence of report ${reportId}: it is unknown, older than ${config.EVIDENCE_HOURS} h, or was too large to keep.`,
      );
    // JSON that the service wrote; parsed and printed again, nothing in it can steer a terminal.
    sayForProgram(jsonText(JSON.parse(zstdDecompressSync(bytes).toString())));
  } finally {
    await backend.close(0);
  }
}
