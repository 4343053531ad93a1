import type { IncomingHttpHeaders } from 'node:http';

/** True for a load that nobody asked for: a browser that guesses what comes next, or another site's page. */
export function isUnasked(headers: IncomingHttpHeaders): boolean {
  const purpose = `${String(headers['sec-purpose'] ?? '')} ${String(headers['purpose'] ?? '')}`;
  return /prefetch|preview/i.test(purpose) || headers['sec-fetch-site'] === 'cross-site';
}
