import type { MxFacts } from './mx/see-mx.ts';
import type { MailFacts } from './see-mail.ts';
import type { SpfBranch } from './spf/grow-tree.ts';

/** `parked`: the domain neither takes nor sends mail. `unknown`: the DNS did not say enough. */
export type MailMode = 'mail' | 'parked' | 'unknown';

/** Whether the domain has to do with mail at all: a parked one is judged by how well it shuts the door. */
export function judgeMode({ mx, spf }: Pick<MailFacts, 'mx' | 'spf'>): MailMode {
  const takes = takesMail(mx);
  if (takes === null) return 'unknown';
  if (takes && mx.isImplicit !== true) return 'mail';
  // A null MX is said on purpose (RFC 7505); that there is no MX, only that nobody thought of one.
  if (mx.hasNullMx) return 'parked';
  if (spf.sight.outcome === 'unknown') return 'unknown';
  const isClosed = spf.tree !== null && isClosedSpf(spf.tree);
  if (takes) return isClosed ? 'parked' : 'mail';
  return isClosed || spf.records.length === 0 ? 'parked' : 'mail';
}

function takesMail({ sight, hosts, isImplicit }: MxFacts): boolean | null {
  if (sight.outcome === 'unknown' || isImplicit === null) return null;
  return hosts.length > 0;
}

/** True for a policy that lets nobody send: "v=spf1 -all". */
export function isClosedSpf({ spf, reached }: SpfBranch): boolean {
  const [first, ...others] = reached;
  if (spf === null || spf.faults.length > 0 || others.length > 0) return false;
  return first?.term.kind === 'mechanism' && first.term.name === 'all' && first.term.qualifier === '-';
}
