/**
 * The max-age of a Strict-Transport-Security value in seconds, or null when browsers ignore the field (RFC 6797 §6.1): enough for the grade.
 * security-header-check judges the field itself.
 */
export function readMaxAge(value: string): number | null {
  const seconds = value
    .split(';')
    .map((directive) => directive.trim())
    .filter((directive) => directive.toLowerCase().startsWith('max-age'))
    .map((directive) => /^max-age\s*=\s*"?(\d{1,15})"?$/i.exec(directive)?.[1]);
  const [first] = seconds;
  return seconds.length === 1 && first !== undefined ? Number(first) : null;
}
