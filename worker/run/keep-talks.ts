import { hash } from 'node:crypto';
import { Problem } from '#shared/model/problem';
import type { BlobName, ReportStore } from '#shared/ports/report-store';
import type { KeptTalk } from '../probes/smtp/port.ts';
import type { TalkStore } from '../probes/smtp/shelf.ts';

/** Keeps what was seen of mail hosts where the workers of a service find it. While the store is away, each looks for itself. */
export function openTalkStore(reportStore: Pick<ReportStore, 'getBlob' | 'keepBlob'>): TalkStore {
  return {
    async find(key) {
      const bytes = await reportStore.getBlob(nameOf(key)).catch(ignoreAbsence);
      return bytes && (JSON.parse(Buffer.from(bytes).toString('utf8')) as KeptTalk);
    },
    async keep(key, talk, keepMs) {
      const bytes = Buffer.from(JSON.stringify(talk));
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
