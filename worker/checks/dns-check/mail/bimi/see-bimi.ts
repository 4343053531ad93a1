import { oncePerSight, type Sight, textsOf, unknownSight } from '../sight.ts';
import { type Fault, settle } from '../text/fault.ts';
import type { Zone } from '../zone.ts';
import { type Bimi, isBimi, parseBimi } from './parse-bimi.ts';

/** What is known of the brand indicator of a domain. */
export type BimiFacts = {
  readonly name: string;
  readonly sight: Sight;
  readonly texts: readonly string[];
  readonly bimi: Bimi | null;
  readonly faults: readonly Fault[];
};

/** Sees the record of the selector `default`: at the domain, else at its organizational domain. */
export function seeBimi(zone: Zone, domain: string, orgDomain: string | null): BimiFacts {
  const own = seeAt(zone, domain);
  if (own.texts.length > 0 || own.sight.outcome === 'unknown' || orgDomain === domain) return own;
  if (orgDomain === null)
    return { ...own, sight: unknownSight(own.sight, 'the organizational domain could not be found') };
  const above = seeAt(zone, orgDomain);
  return above.texts.length > 0 || above.sight.outcome === 'unknown' ? above : own;
}

function seeAt(zone: Zone, domain: string): BimiFacts {
  const name = `default._bimi.${domain}`;
  const sight = zone.look(name, 'TXT');
  return { name, sight, ...readRecord(sight) };
}

const readRecord = oncePerSight((sight): Pick<BimiFacts, 'texts' | 'bimi' | 'faults'> => {
  const texts = textsOf(sight)
    .map(({ text }) => text)
    .filter(isBimi);
  const { value, faults } = settle(texts.length === 1 ? parseBimi(texts[0] ?? '') : null);
  return { texts, bimi: value, faults };
});
