/** Before each piece of an answer of a target, and before each of a name server. */
export const webDelayMs = 300;
export const dnsDelayMs = 50;

/** The middle of the values, the upper one of two. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

/** stem0.test, stem1.test and so on. */
export function namesUpTo(count: number, stem: string): string[] {
  return Array.from({ length: count }, (_, at) => `${stem}${at}.test`);
}

/** The path of a check of a domain, or of a URL. */
export function pathOf(check: string, target: string): string {
  const isUrl = target.includes('/');
  return `/api/tools/${check}${isUrl ? `?url=${encodeURIComponent(target)}` : `/${target}`}`;
}

/** Milliseconds that it took. */
export async function timed(act: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await act();
  return performance.now() - start;
}
