import type { Report } from '../model/report.ts';
import type { StoredReport } from './port.ts';

/** A stored report as an object. */
export function readReport({ json }: Pick<StoredReport, 'json'>): Report {
  return JSON.parse(Buffer.from(json.buffer, json.byteOffset, json.byteLength).toString()) as Report;
}
