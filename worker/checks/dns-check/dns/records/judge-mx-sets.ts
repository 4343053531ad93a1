import { brokenBy, notTested, type Verdict } from '#shared/model/verdict';
import type { DnsFacts } from '../facts.ts';
import { mostFrequent } from '../ns/delegation.ts';
import { named } from '../servers/server-facts.ts';

/** Judges that every name server gives the same MX records. */
export function judgeMxSets({ zone, authoritative, servers }: DnsFacts): Verdict {
  if (zone.kind === 'inside') return 'not-applicable';
  const spoke = authoritative.flatMap((server) =>
    server.exchanges === null ? [] : [{ server, mx: server.exchanges.join(', ') || 'none' }],
  );
  if (spoke.length === 0) return notTested('no name server gave its MX records');
  if (spoke.length < Math.min(2, servers.length))
    return notTested('only one name server gave its MX records');
  const usual = mostFrequent(spoke.map(({ mx }) => mx));
  return brokenBy(
    spoke.filter(({ mx }) => mx !== usual).map(({ server, mx }) => ({ ...named(server), mx, others: usual })),
  );
}
