import { momentText } from '../reports/stream.ts';

const daysText = /^[1-9][0-9]{0,3}d$/;
const dayMs = 86_400_000;

/** What `since` and `until` of a history may say: a date, a time in UTC, or so many days back. */
export const spanText = new RegExp(`${momentText.source}|${daysText.source}`);

/** The Unix ms of a text that `spanText` has let through. */
export function readSpan(text: string, nowMs: number): number {
  return daysText.test(text) ? nowMs - Number(text.slice(0, -1)) * dayMs : Date.parse(text);
}
