import type { nsRules } from '#shared/catalogue/dns-check/rules/ns';
import {
  brokenBy,
  brokenIf,
  type Evidence,
  notTested,
  type Verdict,
  type Verdicts,
} from '#shared/model/verdict';
import { isInZone } from '../../../../dns/name.ts';
import { readAnswer } from '../../../../dns/read-answer.ts';
import { describeSlip } from '../../names.ts';
import { brokenBySeen } from '../../verdicts.ts';
import type { HostAnswers } from '../evidence.ts';
import type { DnsFacts } from '../facts.ts';
import { addressesOf, isIpv6 } from '../servers/addresses.ts';
import { allAddresses, type Delegation, prefixOf, sorted } from './delegation.ts';

/** Judges how many name servers there are, where they are, and whether their names lead to them. */
export function judgeAddresses(
  { evidence: { hosts }, domain }: DnsFacts,
  { all, parent, child }: Delegation,
) {
  const names = parent ?? child ?? all;
  const { addresses, isWhole } = allAddresses(hosts);
  // Seen is seen: a lookup that failed can only add addresses.
  const unless = (isGood: boolean, broken: () => Verdict): Verdict =>
    isGood ? 'holds' : isWhole ? broken() : addressUnseen;
  const ofFamily = (isIn: (address: string) => boolean): Verdict =>
    addresses.length === 0 && isWhole
      ? 'not-applicable'
      : unless(addresses.some(isIn), () => brokenBy([{ names: all.join(', ') }]));
  return {
    'ns-single': brokenIf(names.length < 2, { zone: domain, server: names[0] ?? '' }),
    'ns-same-address': judgeOneMachine(hosts, names, isWhole),
    'ns-shared-address':
      addresses.length < 2
        ? isWhole
          ? 'not-applicable'
          : addressUnseen
        : brokenBySeen(sharedAddresses(hosts, [parent, child]), isWhole ? undefined : addressUnseen),
    'ns-few-ipv6': judgeFewIpv6(hosts, isWhole),
    'ns-same-prefix':
      names.length < 2 || addresses.length < 2
        ? 'not-applicable'
        : unless(sharedPrefixes(addresses).length === 0, () => brokenBy(sharedPrefixes(addresses))),
    'ns-without-address': judgeMissing(hosts, domain),
    'ns-cname-target': judgeAliases(hosts),
    'ns-name-invalid': brokenBy(all.filter((name) => !isHostName(name)).map((server) => ({ server }))),
    'ns-no-ipv4': ofFamily((address) => !isIpv6(address)),
    'ns-no-ipv6': ofFamily(isIpv6),
  } satisfies Partial<Verdicts<keyof typeof nsRules>>;
}

function isHostName(name: string): boolean {
  return name.split('.').every((label) => /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/i.test(label));
}

// One name without an address is no second name of the same machine.
function judgeOneMachine(hosts: readonly HostAnswers[], names: readonly string[], isWhole: boolean): Verdict {
  const { addresses } = allAddresses(hosts);
  if (addresses.length > 1 && names.length > 1) return 'holds';
  const named = hosts.filter((host) => addressesOf(host).length > 0);
  if (names.length < 2 || addresses.length === 0 || (named.length < 2 && isWhole)) return 'not-applicable';
  if (!isWhole) return addressUnseen;
  return brokenBy([{ count: names.length, names: names.join(', '), ip: addresses[0] ?? '' }]);
}

// One address under all names is another rule's.
function sharedAddresses(
  hosts: readonly HostAnswers[],
  lists: readonly (readonly string[] | null)[],
): readonly Evidence[] {
  // One server may be called otherwise by the parent than by the zone: two names are one server's only in one list.
  const isListed = (names: readonly string[]) =>
    lists.some((list) => list !== null && names.filter((name) => list.includes(name)).length > 1);
  const owners = hosts.flatMap((host) => addressesOf(host).map((ip) => ({ ip, name: host.name })));
  return [...Map.groupBy(owners, ({ ip }) => ip)].flatMap(([ip, of]) => {
    const names = sorted(of.map(({ name }) => name));
    return !isListed(names) ? [] : [{ ip, names: names.join(' and ') }];
  });
}

function judgeFewIpv6(hosts: readonly HostAnswers[], isWhole: boolean): Verdict {
  const reachable = hosts.filter((host) => addressesOf(host).some(isIpv6));
  if (reachable.length > 1) return 'holds';
  if (!isWhole) return addressUnseen;
  const [only] = reachable;
  return only === undefined || hosts.length < 2 ? 'not-applicable' : brokenBy([{ server: only.name }]);
}

/** The verdict on what depends on an address that nobody told. */
export const addressUnseen: Verdict = notTested('not every name server’s address could be looked up');

/** True for a host of which no address was found, and not all was answered. */
export function isUnseen({ A, AAAA }: HostAnswers): boolean {
  const states = [A, AAAA].map((answer) => readAnswer(answer).state);
  return states.includes('unknown') && !states.includes('found');
}

// Large anycast services keep all IPv6 in one /48; that alone is no single place, so both families must be.
function sharedPrefixes(addresses: readonly string[]): readonly Evidence[] {
  const families = [
    { family: 'IPv4', of: addresses.filter((address) => !isIpv6(address)) },
    { family: 'IPv6', of: addresses.filter(isIpv6) },
  ].filter(({ of }) => of.length > 0);
  const shared = families.map(({ family, of }) => ({
    family,
    prefixes: sorted(of.map((address) => prefixOf(address) ?? address)),
  }));
  if (shared.some(({ prefixes }) => prefixes.length > 1)) return [];
  return shared.map(({ family, prefixes }) => ({ family, prefix: prefixes[0] ?? '' }));
}

function judgeMissing(hosts: readonly HostAnswers[], domain: string): Verdict {
  const readings = hosts.map(({ name, A, AAAA }) => ({ name, of: [readAnswer(A), readAnswer(AAAA)] }));
  const missing = readings.filter(({ of }) => of.every(({ state }) => state === 'none'));
  if (missing.length === 0 && hosts.some(isUnseen)) return addressUnseen;
  return brokenBy(
    missing.map(({ name, of }) => ({
      server: name,
      slip: describeSlip(name, domain),
      reason: of.some((reading) => reading.state === 'none' && reading.nxdomain)
        ? isInZone(name, domain)
          ? 'does not exist'
          : 'does not exist; anyone who can register it can answer for the domain'
        : 'has neither an A nor an AAAA record',
    })),
  );
}

function judgeAliases(hosts: readonly HostAnswers[]): Verdict {
  const readings = hosts.flatMap(({ name, A, AAAA }) =>
    [A, AAAA].map((answer) => ({ name, reading: readAnswer(answer) })),
  );
  const aliases = readings.flatMap(({ name, reading }) =>
    reading.aliases.slice(0, 1).map(({ target }) => ({ server: name, target })),
  );
  if (aliases.length === 0 && hosts.some(isUnseen)) return addressUnseen;
  const seen = new Map(aliases.map((alias) => [alias.server, alias]));
  return brokenBy([...seen.values()]);
}
