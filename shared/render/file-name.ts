import type { Report } from '../model/report.ts';
import { targetOf } from './report-words.ts';

const longestHost = 100;

/**
 * "diag-example.com-redirect-check-2026-11-21.html": only a–z, 0–9, dot and hyphen, so that it can stand in a header and on
 * any disk.
 */
export function fileNameOf(report: Report, extension: string): string {
  const target = targetOf(report);
  const host = URL.parse(target)?.hostname ?? target;
  const words = [host.slice(0, longestHost), report.check, report.checkedAt.slice(0, 10)].map(plainName);
  return `diag-${words.filter((word) => word !== '').join('-')}.${extension}`;
}

function plainName(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9.-]+/g, '-')
    .replace(/\.{2,}/g, '.')
    .replace(/^[-.]+|[-.]+$/g, '');
}
