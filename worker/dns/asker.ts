import type { DnsProbe } from '../probes/dns/port.ts';
import {
  readObservation,
  type Observation,
  type ObservedQuestion,
  unknownObservation,
} from './observation.ts';
import { isAskable, observationKey } from './zone.ts';

/** Asks the DNS and keeps what it saw. Equal questions are asked once. */
export type Asker = {
  /** What was seen so far, by `observationKey`. */
  readonly observations: ReadonlyMap<string, Observation>;
  ask(question: ObservedQuestion): Promise<Observation>;
  /** Ends the asking: whatever is under way, or comes later, stays unknown for this reason. */
  close(why: string): void;
};

/** A hostile record can name thousands of hosts; no honest one comes near this. */
export const questionLimit = 300;

// RFC 7672 §2.2 wants to know whether these are signed.
const signedTypes = ['A', 'AAAA', 'MX', 'SOA', 'TLSA'];

async function askProbe(dns: DnsProbe, question: ObservedQuestion, apex: string): Promise<Observation> {
  const { server, unchecked, again, name, type } = question;
  const isSigned = server === undefined && !again && (signedTypes.includes(type) || name === apex);
  const answer = await dns.ask(
    { name, type },
    {
      ...(server === undefined ? {} : { server }),
      ...(isSigned ? { dnssecOk: true } : {}),
      ...(unchecked ? { checkingDisabled: true } : {}),
    },
  );
  return readObservation(question, answer);
}

/**
 * Opens an asker on the probe of a run.
 * @param apex the domain that is checked: its own records are asked with DNSSEC, as others of the run ask them, so that they are asked once
 */
export function openAsker(dns: DnsProbe, apex = ''): Asker {
  const observations = new Map<string, Observation>();
  const pending = new Map<string, { question: ObservedQuestion; observation: Promise<Observation> }>();
  let closedWhy = '';

  async function keep(key: string, question: ObservedQuestion): Promise<Observation> {
    const observation = await askProbe(dns, question, apex);
    pending.delete(key);
    if (closedWhy === '') observations.set(key, observation);
    return observation;
  }

  function refuse(question: ObservedQuestion): string {
    if (closedWhy !== '') return closedWhy;
    if (!isAskable(question.name)) return 'no such name can be asked';
    return observations.size + pending.size >= questionLimit
      ? `the limit of ${questionLimit} questions was reached`
      : '';
  }

  return {
    observations,
    async ask(written) {
      const question = { ...written, name: written.name.toLowerCase() };
      const key = observationKey(question);
      const known = observations.get(key) ?? pending.get(key)?.observation;
      if (known) return known;
      const why = refuse(question);
      if (why !== '') {
        const observation = unknownObservation(question, why);
        observations.set(key, observation);
        return observation;
      }
      const observation = keep(key, question);
      pending.set(key, { question, observation });
      return observation;
    },
    close(why) {
      closedWhy = why;
      for (const [key, { question }] of pending) observations.set(key, unknownObservation(question, why));
    },
  };
}
