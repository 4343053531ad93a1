import type { Registration } from '../../catalogue/domain-health/registration.ts';
import { brokenIf, notTested, type Verdict } from '../../model/verdict.ts';
import type { Delegation } from '../facts/delegation.ts';

const otherZone = 'dns-check looked at another zone than the one that is registered';

/** Whether the registry lists the name servers to which the parent zone delegates. */
export function compareNameServers(
  registration: Registration,
  { zone, nameServers, why }: Delegation,
): Verdict {
  const { name, nameServers: listed } = registration;
  if (listed.length === 0) return notTested('the registry tells no name servers, or not all could be read');
  if (nameServers === null) return notTested(why);
  if (zone !== name) return notTested(otherZone);
  const delegated = nameServers.map((host) => host.toLowerCase().replace(/\.$/, ''));
  return brokenIf(!isSameSet(listed, delegated), { name, registry: tell(listed), parent: tell(delegated) });
}

type Ds = NonNullable<Delegation['ds']>[number];

/** Whether the registry lists the DS records of the parent zone. Some registries tell only whether there are any. */
export function compareDs(
  { name, ds: listed, isSigned }: Registration,
  { zone, ds, why }: Delegation,
): Verdict {
  if (ds === null) return notTested(why);
  if (zone !== name) return notTested(otherZone);
  if (listed.length === 0 && isSigned === null) return notTested('the registry tells no DS records');
  const shown = { name, registry: tellDs(listed, isSigned === true), parent: tellDs(ds, false) };
  if (listed.length === 0) return brokenIf(isSigned !== ds.length > 0, shown);
  return brokenIf(!isSameSet(listed.map(keyOf), ds.map(keyOf)), shown);
}

function keyOf({ keyTag, algorithm, digestType, digest }: Ds): string {
  return `${keyTag} ${algorithm} ${digestType} ${digest.toLowerCase()}`;
}

function isSameSet(one: readonly string[], other: readonly string[]): boolean {
  return new Set(one).symmetricDifference(new Set(other)).size === 0;
}

function tell(names: readonly string[]): string {
  return names.length === 0 ? 'none' : names.toSorted().join(', ');
}

function tellDs(records: readonly Ds[], isSigned: boolean): string {
  if (records.length === 0) return isSigned ? 'a signed delegation' : 'no DS record';
  const texts = records.map(({ keyTag, digestType }) => `${keyTag} (digest type ${digestType})`);
  return `DS records of ${texts.length === 1 ? 'the key' : 'the keys'} ${texts.toSorted().join(', ')}`;
}
