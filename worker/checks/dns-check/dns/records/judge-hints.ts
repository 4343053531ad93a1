import ipaddr from 'ipaddr.js';
import { brokenBy, type Evidence, notTested, type Verdict } from '../../../../../shared/model/verdict.ts';
import { foundRecords, type Reading } from '../read-answer.ts';
import { readAll, readText } from '../record-values.ts';
import type { DnsSight } from '../sight.ts';
import type { AddressHint, ServiceBinding } from './parse-service-binding.ts';

/** Judges whether the hints of HTTPS records that lead to the domain itself are addresses of the domain. Another target's are not asked for. */
export function judgeHints({ apex, domain }: DnsSight, bindings: readonly ServiceBinding[]): Verdict {
  const own = bindings.filter(({ priority, target }) => priority > 0 && ['', domain].includes(target));
  const hints = own.flatMap((binding) => binding.hints);
  if (hints.length === 0) return 'not-applicable';
  const seen = hints.map((hint) => ({ hint, reading: hint.key === 'ipv4hint' ? apex.A : apex.AAAA }));
  const wrong = seen.flatMap(({ hint, reading }) => compare(domain, hint, reading));
  const failed = seen.find(({ reading }) => reading.state === 'unknown')?.reading;
  return wrong.length === 0 && failed?.state === 'unknown' ? notTested(failed.why) : brokenBy(wrong);
}

function compare(name: string, { key, address }: AddressHint, reading: Reading): readonly Evidence[] {
  if (reading.state === 'unknown') return [];
  const addresses = readAll(foundRecords(reading), readText);
  if (addresses.map(normalize).includes(normalize(address))) return [];
  const type = key === 'ipv4hint' ? 'A' : 'AAAA';
  return [{ name, key, hint: address, type, addresses: addresses.join(', ') || 'not there' }];
}

function normalize(address: string): string {
  return ipaddr.isValid(address) ? ipaddr.parse(address).toString() : address;
}
