/** The fixed form of a date in HTTP (RFC 9110 §5.6.7); Date.parse alone takes almost anything. */
const httpDate = /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/;

/** How many seconds a Retry-After asks to wait, at least 1; undefined where the field is missing or is no such time. @param nowMs Unix time */
export function readWait(field: string | undefined, nowMs: number): number | undefined {
  const text = field?.trim() ?? '';
  if (/^\d{1,9}$/.test(text)) return Math.max(1, Number(text));
  if (!httpDate.test(text)) return undefined;
  return Math.max(1, Math.ceil((Date.parse(text) - nowMs) / 1000));
}
