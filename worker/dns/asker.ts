import type { DnsProbe } from '../probes/dns/port.ts';
import { readSight, type Sight, type SightQuestion, unknownSight } from './sight.ts';
import { isAskable, sightKey } from './zone.ts';

/** Asks the DNS and keeps what it saw. Equal questions are asked once. */
export type Asker = {
  /** What was seen so far, by `sightKey`. */
  readonly sights: ReadonlyMap<string, Sight>;
  ask(question: SightQuestion): Promise<Sight>;
  /** Ends the asking: whatever is under way, or comes later, stays unknown for this reason. */
  close(why: string): void;
};

/** A hostile record can name thousands of hosts; no honest one comes near this. */
export const questionLimit = 300;

// RFC 7672 §2.2 wants to know whether these are signed.
const signedTypes = ['A', 'AAAA', 'MX', 'SOA', 'TLSA'];

/**
 * Opens an asker on the probe of a run.
 * @param apex the domain that is checked: its own records are asked with DNSSEC, as others of the run ask them, so that they are asked once
 */
export function openAsker(dns: DnsProbe, apex = ''): Asker {
  const sights = new Map<string, Sight>();
  const pending = new Map<string, { question: SightQuestion; sight: Promise<Sight> }>();
  let closedWhy = '';

  async function askProbe({ server, ...question }: SightQuestion): Promise<Sight> {
    const isSigned = server === undefined && (signedTypes.includes(question.type) || question.name === apex);
    const answer = await dns.ask(question, {
      ...(server === undefined ? {} : { server }),
      ...(isSigned ? { dnssecOk: true } : {}),
    });
    return readSight({ ...question, ...(server === undefined ? {} : { server }) }, answer);
  }

  async function keep(key: string, question: SightQuestion): Promise<Sight> {
    const sight = await askProbe(question);
    pending.delete(key);
    if (closedWhy === '') sights.set(key, sight);
    return sight;
  }

  function refuse(question: SightQuestion): string {
    if (closedWhy !== '') return closedWhy;
    if (!isAskable(question.name)) return 'no such name can be asked';
    return sights.size + pending.size >= questionLimit
      ? `the limit of ${questionLimit} questions was reached`
      : '';
  }

  return {
    sights,
    async ask(written) {
      const question = { ...written, name: written.name.toLowerCase() };
      const key = sightKey(question);
      const known = sights.get(key) ?? pending.get(key)?.sight;
      if (known) return known;
      const why = refuse(question);
      if (why !== '') {
        const sight = unknownSight(question, why);
        sights.set(key, sight);
        return sight;
      }
      const sight = keep(key, question);
      pending.set(key, { question, sight });
      return sight;
    },
    close(why) {
      closedWhy = why;
      for (const [key, { question }] of pending) sights.set(key, unknownSight(question, why));
    },
  };
}
