import type { MailMode } from '#shared/catalogue/dns-check/mail/report';
import type { MailFacts } from './facts.ts';
import type { MxFacts } from './mx/facts.ts';
import { isMeantClosed, type SpfBranch } from './spf/grow-tree.ts';

type ModeFacts = Pick<MailFacts, 'mx' | 'spf' | 'dmarc'>;

/** Whether the domain has to do with mail at all: a parked one is judged by how well it shuts the door. */
export function judgeMode(facts: ModeFacts): MailMode {
  const { mx, spf } = facts;
  const takes = takesMail(mx);
  if (takes === null) return 'unknown';
  if (takes && mx.isImplicit !== true && !isMeantAsNull(mx)) return 'mail';
  // A null MX is said on purpose (RFC 7505); yet a domain whose policy names senders sends.
  if (mx.hasNullMx) return spf.tree !== null && namesSenders(spf.tree) ? 'mail' : 'parked';
  return spf.observation.outcome === 'unknown' ? 'unknown' : judgeByPolicy(facts, takes);
}

// No mail host was named: what the domain publishes besides shows what it means.
function judgeByPolicy({ mx, spf, dmarc }: ModeFacts, takes: boolean): MailMode {
  if (spf.tree !== null && isMeantClosed(spf.tree)) return 'parked';
  if (isMeantAsNull(mx)) return 'mail';
  // Its own address for reports shows that mail to it arrives, and is meant to.
  if (takes && dmarc.uris.some(({ host }) => host === dmarc.domain)) return 'mail';
  // Neither MX nor policy: a website, or a name, whose owner never thought of mail.
  return spf.records.length === 0 ? 'parked' : 'mail';
}

// "localhost" as the only mail host is an old way to say that there is none.
function isMeantAsNull({ exchanges }: MxFacts): boolean {
  return (
    exchanges.length > 0 && exchanges.every(({ exchange }) => /^localhost(?:\.localdomain)?$/.test(exchange))
  );
}

function takesMail({ observation, hosts, isImplicit }: MxFacts): boolean | null {
  if (observation.outcome === 'unknown' || isImplicit === null) return null;
  return hosts.length > 0;
}

/** Whether a policy lets somebody send in the domain’s name. */
export function namesSenders({ spf, reached }: SpfBranch): boolean {
  if (spf === null || spf.faults.length > 0) return false;
  return reached.some(({ term }) =>
    term.kind === 'modifier' ? term.name === 'redirect' : term.qualifier === '+',
  );
}
