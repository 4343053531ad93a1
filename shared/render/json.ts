import type { Report } from '../model/report.ts';
import { jsonText } from './visible-text.ts';

/** The whole report, indented by two; the same value as the tool's own answer. */
export function renderJson(report: Report): string {
  return `${jsonText(report, 2)}\n`;
}
