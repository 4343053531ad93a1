import type { Fix } from '#shared/model/verdict';
import type { KnownSenders } from '../../mail-providers/find.ts';
import { publish } from '../../verdicts.ts';
import { branchesOf, isAll, type SpfBranch } from './grow-tree.ts';
import { parseSpf, printSpf } from './parse-spf.ts';
import type { SpfTerm } from './parse-term.ts';

/**
 * A fix with the record to publish. A record with a word that could not be read is not written anew: that word, a sender perhaps, would be lost.
 * Nor is one that would be left without a sender: who sends is the owner's to say.
 */
export function republish(
  text: string,
  { domain, spf }: Pick<SpfBranch, 'domain' | 'spf'>,
  terms: readonly { readonly text: string }[],
): Fix {
  if (spf === null || spf.faults.length > 0) return { text };
  if (hasSender(spf.terms) && !hasSender(terms))
    return {
      text: `${text} The record would then have no sender: first list the servers that send your mail.`,
    };
  return publish(text, domain, printSpf(terms));
}

/** Whether a record lets anybody send, or hands on to one that does. */
export function hasSender(terms: readonly { readonly text: string }[]): boolean {
  return terms.some(({ text }) => !/^[-~?]/.test(text) && !/^exp=/i.test(text));
}

/**
 * A fix that closes a record: its terms, the services that are known to send and are not in it yet, and the end.
 * @param isOpen the record let everybody pass, so that nobody had to be listed: without knowing every sender no record is offered
 */
export function closeRecord(
  text: string,
  branch: SpfBranch,
  terms: readonly { readonly text: string }[],
  { senders, isOpen }: { readonly senders: KnownSenders; readonly isOpen: boolean },
): Fix {
  if (isOpen && !senders.isWhole)
    return { text: `${text} First list every server and service that sends mail for you.` };
  const reached = new Set(branchesOf(branch).map(({ domain }) => domain));
  const lacking = senders.includes.filter((name) => !reached.has(name));
  const end = terms.filter(isEnd);
  const others = terms.filter((term) => !isEnd(term));
  const added = lacking.map((name) => ({ text: `include:${name}` }));
  return republish(text, branch, [...others, ...added, ...end]);
}

export function isEnd({ text }: { readonly text: string }): boolean {
  return /^[-~?+]?all$/i.test(text);
}

/** A fix with the record less some of its terms. */
export function republishWithout(branch: SpfBranch, terms: readonly SpfTerm[]): Fix {
  const kept = (branch.spf?.terms ?? []).filter((term) => !terms.includes(term));
  return republish('Publish the record without the terms that are not needed.', branch, kept);
}

/** One record with the senders of several; null where one of them breaks the grammar. It closes as they do, softly where they differ. */
export function mergeSpf(records: readonly string[]): string | null {
  const parsed = records.map((text) => parseSpf(text));
  const terms = parsed.flatMap((spf) => ('terms' in spf && spf.faults.length === 0 ? [spf.terms] : []));
  if (terms.length < records.length) return null;
  const ends = new Set(terms.map((own) => own.findLast(isAll)?.text));
  const [end] = ends;
  const kept = new Set(terms.flat().flatMap(senderText));
  const last =
    ends.size === 1 && end !== undefined && !end.startsWith('a') && !end.startsWith('+') ? end : '~all';
  return printSpf([...kept, last].map((text) => ({ text })));
}

// A redirect is followed only where no all stands, and there may be one only; as an include it lets the same senders pass.
function senderText(term: SpfTerm): string[] {
  if (isAll(term) || term.name === 'exp') return [];
  return [term.name === 'redirect' ? `include:${term.domain.text}` : term.text];
}
