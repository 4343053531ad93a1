import { networkInterfaces } from 'node:os';
import { recordTypes } from '../../kit/record-types.ts';
import { type HostileZone, type Reply, type WireRecord, wireName } from './dns-servers.ts';

/** Every address of this machine. */
export const ownAddresses = Object.values(networkInterfaces()).flatMap((all = []) =>
  all.filter(({ scopeid = 0 }) => scopeid === 0).map(({ address }) => address),
);

/** Octets of an address record. */
function record(address: string): WireRecord {
  if (!address.includes(':'))
    return { type: recordTypes.A, data: Buffer.from(address.split('.').map(Number)) };
  const [head = [], tail] = address.split('::').map((half) => half.split(':').filter(Boolean));
  const groups = tail
    ? [...head, ...Array<string>(8 - head.length - tail.length).fill('0'), ...tail]
    : [...head];
  return {
    type: recordTypes.AAAA,
    data: Buffer.from(groups.map((group) => group.padStart(4, '0')).join(''), 'hex'),
  };
}

/** Addresses that no check may reach, by what they are called. */
export const forbidden: { readonly [label: string]: string } = {
  loopback: '127.0.0.1',
  loopback6: '::1',
  metadata: '169.254.169.254',
  own: ownAddresses.find((address) => !address.includes(':') && !address.startsWith('127.')) ?? '127.0.0.3',
  zero: '0.0.0.0',
  private: '10.0.0.1',
  mapped: '::ffff:7f00:1',
  compatible: '::7f00:1',
  nat64: '64:ff9b::7f00:1',
  sixtofour: '2002:7f00:1::1',
  teredo: '2001:0:7f00:1::1',
  unique: 'fd00::2',
};

/** How names lead there. */
export const manners = ['first', 'both', 'alias', 'only'] as const;

const answer = (records: readonly WireRecord[], type: number): Reply => ({
  records: records.filter((one) => one.type === type || one.type === recordTypes.CNAME),
});

/** Names that lead to an address that is allowed, and to others, and what was asked for. */
export type Rebinding = { readonly rebind: HostileZone; readonly asked: readonly string[] };

/**
 * first-then-X.test: the allowed address, and X from the second question on; TTL 0 would not be kept either.
 * both-X.test: the allowed address and X in one answer. alias-X.test: an alias of a name that leads to X. only-X.test: X alone.
 */
export function openRebinding(allowed: string): Rebinding {
  const asked: string[] = [];
  const seen = new Map<string, number>();
  const rebind: HostileZone = ({ name, type }) => {
    asked.push(name);
    const [, manner, label = ''] = /(first|both|alias|only)-(\w+)\.test$/.exec(name) ?? [];
    const address = forbidden[label];
    if (address === undefined) return answer([record(allowed)], type);
    const times = (seen.get(`${name} ${type}`) ?? 0) + 1;
    seen.set(`${name} ${type}`, times);
    if (manner === 'first') return answer([record(times === 1 ? allowed : address)], type);
    if (manner === 'both') return answer([record(allowed), record(address)], type);
    if (manner === 'only') return answer([record(address)], type);
    const target = `only-${label}.test`;
    return answer(
      [
        { type: recordTypes.CNAME, data: wireName(target) },
        { ...record(address), owner: wireName(target) },
      ],
      type,
    );
  };
  return { rebind, asked };
}
