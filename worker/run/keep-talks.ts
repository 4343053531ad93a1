import { hash } from 'node:crypto';
import { Problem } from '#shared/model/problem';
import type { BlobName, ReportStore } from '#shared/ports/report-store';
import type { KeptSight } from '../probes/smtp/port.ts';
import type { SightStore } from '../probes/smtp/shelf.ts';

/** Keeps what was seen of mail hosts where the workers of a service find it. While the store is away, each looks for itself. */
export function openSightStore(reportStore: Pick<ReportStore, 'getBlob' | 'keepBlob'>): SightStore {
  return {
    async find(key) {
      const bytes = await reportStore.getBlob(nameOf(key)).catch(ignoreAbsence);
      return bytes && (JSON.parse(Buffer.from(bytes).toString('utf8')) as KeptSight);
    },
    async keep(key, sight, keepMs) {
      const bytes = Buffer.from(JSON.stringify(sight));
      await reportStore.keepBlob(nameOf(key), bytes, Date.now() + keepMs).catch(ignoreAbsence);
    },
  };
}

/** No report has this id: it is made of a key that others cannot choose. */
function nameOf(key: string): BlobName {
  return { reportId: hash('sha256', `mail host ${key}`).slice(0, 32), kind: 'mail-host' };
}

function ignoreAbsence(error: unknown): undefined {
  if (!(error instanceof Problem)) throw error;
}
