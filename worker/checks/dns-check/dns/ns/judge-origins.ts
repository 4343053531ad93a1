import { brokenBy, isBroken, notTested, type Verdict } from '#shared/model/verdict';
import { foundRecords, readAnswer } from '../../../../dns/read-answer.ts';
import { isObject, readAll } from '../../../../dns/record-values.ts';
import type { DnsRecord } from '../../../../probes/dns/port.ts';
import type { OriginAnswer } from '../evidence.ts';
import type { DnsFacts } from '../facts.ts';
import { allAddresses, type Delegation } from './delegation.ts';
import { addressUnseen } from './judge-addresses.ts';

/**
 * Judges that the name servers are not all announced by one autonomous system.
 * @param samePrefix the verdict on their networks: addresses in one network have one origin, which is then told there
 */
export function judgeOrigins(
  { evidence: { hosts, origins } }: DnsFacts,
  { all, parent, child }: Delegation,
  samePrefix: Verdict,
): Verdict {
  if (origins === undefined)
    return notTested('the origin of addresses is not looked up here (ORIGIN_ASN_ZONE is not set)');
  const { addresses, isWhole } = allAddresses(hosts);
  const names = parent ?? child ?? all;
  if (names.length < 2 || addresses.length < 2 || isBroken(samePrefix)) return 'not-applicable';
  const read = origins.map((origin) => ({ address: origin.address, systems: readOrigin(origin) }));
  const known = read.flatMap(({ systems }) => (systems.length === 0 ? [] : [systems]));
  // A network may be announced by several; a fault of one that all have in common silences none that has another.
  const [first = []] = known;
  const common = first.filter((system) => known.every((systems) => systems.includes(system)));
  if (known.length > 1 && common.length === 0) return 'holds';
  const unknown = read.find(({ systems }) => systems.length === 0);
  if (unknown) return notTested(`the origin of ${unknown.address} was not found`);
  if (!isWhole) return addressUnseen;
  return brokenBy([{ origin: common.map((system) => `AS${system}`).join(', '), count: addresses.length }]);
}

function readOrigin({ answer }: OriginAnswer): readonly string[] {
  return [...new Set(readAll(foundRecords(readAnswer(answer)), readSystems).flat())];
}

/** The systems in a record such as "64496 64511 | 192.0.2.0/24 | ZZ | registry | 2026-11-21"; undefined where there is none. */
function readSystems({ data }: DnsRecord): readonly string[] | undefined {
  const text = isObject(data) && typeof data['text'] === 'string' ? data['text'] : '';
  const systems = (text.split('|')[0] ?? '').trim().split(/\s+/);
  return systems.every((system) => /^\d{1,10}$/.test(system)) ? systems : undefined;
}
