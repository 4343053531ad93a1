import type { Kind } from './kind.ts';
import type { End, Ends } from './walkers.ts';

/** True where two walkers end at the same address, or both at none. */
export function agree(one: End, other: End): boolean {
  return normal(one.at) === normal(other.at);
}

// curl shows addresses as they were sent; what is shown of credentials differs and says nothing of the end.
function normal(at: string | null): string | null {
  if (at === null) return null;
  const url = new URL(at);
  url.username = '';
  url.password = '';
  // Chromium also encodes what the URL Standard leaves in a path.
  return url.href.replaceAll('|', '%7C');
}

/** An end as the table shows it, without the host of the kind. */
export function showEnd({ at, why }: End, { start }: Kind): string {
  if (at === null) return why.replaceAll('|', '/').slice(0, 40);
  const { hostname } = new URL(start);
  const short = at.replace(hostname, '…').replaceAll('|', '%7C');
  return `${short.length > 45 ? `${short.slice(0, 40)}… (${at.length})` : short} ${why}`;
}

/** Who is right where they differ, in the table's words. */
export function verdictOf({ kind, chromium, curl, ours }: Ends): string {
  if (!agree(chromium, ours)) return kind.meant ?? 'Chromium';
  return agree(curl, ours) ? 'all three' : 'Chromium and redirect-check';
}
