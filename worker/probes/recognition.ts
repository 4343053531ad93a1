import { getDomain } from 'tldts';
import type { DnsAnswer, DnsRecord } from './dns/port.ts';
import { providerOf } from './well-known-servers.ts';

/** Tells, for one run, which addresses are of name servers that registries and large providers run. */
export type Recognition = {
  /**
   * Hears an answer of a resolver. Never that of a target's own server: its glue could give a provider's name to the address of anybody.
   */
  readonly hear: (answer: DnsAnswer) => void;
  readonly isWellKnown: (address: string) => boolean;
};

/** No zone has more; what comes beyond them has the usual pace. */
const namesMost = 200;

/** Opens the recognition of one run. */
export function openRecognition(): Recognition {
  /** Name servers of top-level domains and other suffixes below which strangers register: the registry alone names them. */
  const ofRegistries = new Set<string>();
  const addresses = new Set<string>();
  return {
    hear(answer) {
      if (answer.kind === 'failure') return;
      const { type } = answer.question;
      const name = answer.question.name.toLowerCase();
      if (type === 'NS' && isOfRegistry(name)) keep(ofRegistries, answer.answers, 'NS');
      const isServer = ofRegistries.has(name) || providerOf(name) !== undefined;
      if (isServer && (type === 'A' || type === 'AAAA')) keep(addresses, answer.answers, type);
    },
    isWellKnown: (address) => addresses.has(address),
  };
}

function keep(into: Set<string>, records: readonly DnsRecord[], type: string): void {
  for (const record of records)
    if (record.type === type && typeof record.data === 'string' && into.size < namesMost)
      into.add(record.data.toLowerCase());
}

// By the ICANN part of the Public Suffix List: anybody can have a part below a private suffix.
function isOfRegistry(name: string): boolean {
  return getDomain(name, { validateHostname: false }) === null;
}
