import ipaddr from 'ipaddr.js';
import { brokenBy, type Evidence, notTested, type Verdict } from '#shared/model/verdict';
import { foundRecords, type RecordsRead } from '../../../../dns/read-answer.ts';
import { readAll, readText } from '../../../../dns/record-values.ts';
import type { DnsFacts } from '../facts.ts';
import type { AddressHint, ServiceBinding } from './parse-service-binding.ts';

/** A target may publish 16,000 hints and 4,000 addresses; shown are so many faults, each with so many addresses. */
const faultLimit = 50;
const addressLimit = 10;

/** Judges whether the hints of HTTPS records that lead to the domain itself are addresses of the domain. Another target's are not asked for. */
export function judgeHints({ apex, domain }: DnsFacts, bindings: readonly ServiceBinding[]): Verdict {
  const own = bindings.filter(({ priority, target }) => priority > 0 && ['', domain].includes(target));
  const hints = own.flatMap((binding) => binding.hints);
  // Without any address the hints are all there is: then the addresses are what is missing.
  const isBare = apex.A.state === 'none' && apex.AAAA.state === 'none';
  if (hints.length === 0 || isBare) return 'not-applicable';
  const families = { ipv4hint: readFamily('A', apex.A), ipv6hint: readFamily('AAAA', apex.AAAA) };
  const wrong = hints.filter((hint) => isForeign(hint, families[hint.key])).slice(0, faultLimit);
  if (wrong.length > 0) return brokenBy(wrong.map((hint) => show(domain, hint, families[hint.key])));
  const failed = hints.map(({ key }) => families[key].reading).find(({ state }) => state === 'unknown');
  return failed?.state === 'unknown' ? notTested(failed.why) : 'holds';
}

/** The domain's addresses of one family, read once for all hints. */
type Family = {
  readonly type: 'A' | 'AAAA';
  readonly reading: RecordsRead;
  readonly addresses: ReadonlySet<string>;
  readonly shown: string;
};

function readFamily(type: Family['type'], reading: RecordsRead): Family {
  const addresses = reading.state === 'unknown' ? [] : readAll(foundRecords(reading), readText);
  const more = addresses.length - addressLimit;
  const first = addresses.slice(0, addressLimit).join(', ');
  return {
    type,
    reading,
    addresses: new Set(addresses.map(normalize)),
    shown: (more > 0 ? `${first} and ${more} more` : first) || 'not there',
  };
}

function isForeign({ address }: AddressHint, { reading, addresses }: Family): boolean {
  return reading.state !== 'unknown' && !addresses.has(normalize(address));
}

function show(name: string, { key, address }: AddressHint, { type, shown }: Family): Evidence {
  return { name, key, hint: address, type, addresses: shown };
}

function normalize(address: string): string {
  return ipaddr.isValid(address) ? ipaddr.parse(address).toString() : address;
}
