import { exchangesOf, type Observation } from './observation.ts';
import type { Zone } from './zone.ts';

/** Whether mail arrives at a domain: null where nobody answered; `why` is a clause where it does not. */
export type Mailbox = { readonly takes: boolean | null; readonly why: string };

const unknown: Mailbox = { takes: null, why: '' };
const taken: Mailbox = { takes: true, why: '' };
const refused = (why: string): Mailbox => ({ takes: false, why });

/** Sees whether a domain takes mail (RFC 5321 §5.1, RFC 7505), whatever its mail hosts then say. */
export function readMailbox(zone: Zone, domain: string): Mailbox {
  const mx = zone.look(domain, 'MX');
  const addresses = [zone.look(domain, 'A'), zone.look(domain, 'AAAA')];
  if (mx.outcome === 'unknown') return unknown;
  if (mx.outcome === 'nxdomain') return refused('does not exist');
  if (mx.outcome === 'found') return readExchanges(mx);
  if (addresses.some(({ outcome }) => outcome === 'found')) return taken;
  return addresses.some(({ outcome }) => outcome === 'unknown')
    ? unknown
    : refused('has neither MX nor address');
}

// MX records that break their format say neither one nor the other.
function readExchanges(mx: Observation): Mailbox {
  const exchanges = exchangesOf(mx);
  if (exchanges.length === 0) return unknown;
  return exchanges.every(({ exchange }) => exchange === '') ? refused('takes no mail (null MX)') : taken;
}
