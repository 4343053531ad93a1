import {
  oncePerObservation,
  type Observation,
  textsOf,
  unknownObservation,
} from '../../../../dns/observation.ts';
import type { Zone } from '../../../../dns/zone.ts';
import { type Fault, settle } from '../../../../mail/fault.ts';
import { type Bimi, isBimi, parseBimi } from './parse-bimi.ts';

/** What is known of the brand indicator of a domain. */
export type BimiFacts = {
  readonly name: string;
  /** Names that a mark certificate may be issued for, the domain's own first (draft-fetch-validation-vmc-wchuang §5.2). */
  readonly domains: readonly string[];
  readonly observation: Observation;
  readonly texts: readonly string[];
  readonly bimi: Bimi | null;
  readonly faults: readonly Fault[];
};

const selector = 'default._bimi';

/** Sees the record of the selector `default`: at the domain, else at its organizational domain. */
export function readBimi(zone: Zone, domain: string, orgDomain: string | null): BimiFacts {
  const both = orgDomain === null || orgDomain === domain ? [domain] : [domain, orgDomain];
  const domains = both.flatMap((name) => [name, `${selector}.${name}`]);
  const own = readAt(zone, domain);
  if (own.texts.length > 0 || own.observation.outcome === 'unknown' || orgDomain === domain)
    return { ...own, domains };
  if (orgDomain === null) {
    const observation = unknownObservation(own.observation, 'the organizational domain could not be found');
    return { ...own, domains, observation };
  }
  const above = readAt(zone, orgDomain);
  const chosen = above.texts.length > 0 || above.observation.outcome === 'unknown' ? above : own;
  return { ...chosen, domains };
}

function readAt(zone: Zone, domain: string): Omit<BimiFacts, 'domains'> {
  const name = `${selector}.${domain}`;
  const observation = zone.look(name, 'TXT');
  return { name, observation, ...readRecord(observation) };
}

const readRecord = oncePerObservation((observation): Pick<BimiFacts, 'texts' | 'bimi' | 'faults'> => {
  const texts = textsOf(observation)
    .map(({ text }) => text)
    .filter(isBimi);
  const { value, faults } = settle(texts.length === 1 ? parseBimi(texts[0] ?? '') : null);
  return { texts, bimi: value, faults };
});
