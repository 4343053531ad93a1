import { Problem } from '../model/problem.ts';
import { type Report, reportSchema } from '../model/report.ts';
import type { StoredReport } from './port.ts';

/** A stored report as an object. Throws Problem `report_not_found` for one that fits no schema of ours. */
export function readReport({ json }: Pick<StoredReport, 'json'>): Report {
  const body: unknown = JSON.parse(Buffer.from(json.buffer, json.byteOffset, json.byteLength).toString());
  if (reportSchema.safeParse(body).success) return body as Report;
  throw new Problem('report_not_found', 'The stored report is damaged. Start its check again with fresh=1.');
}
