import type { Certificate } from '../certificate.ts';
import { extensionIds, type PolicyRules } from '../grammar/certificate-extensions.ts';

const anyPolicy = '2.5.29.32.0';
const noRules: PolicyRules = { explicitAfter: null, noMappingAfter: null, noAnyAfter: null, mappings: [] };

/** Policies that are valid so far, each with those by which the next certificate may name it; and whether any is. Empty is what RFC 5280 calls the tree of NULL. */
type Valid = { readonly named: Map<string, Set<string>>; readonly hasAny: boolean };
/** How many certificates further down each rule begins. */
type Counts = { explicit: number; mapping: number; any: number };

const isEmpty = ({ named, hasAny }: Valid) => named.size === 0 && !hasAny;
const empty = (): Valid => ({ named: new Map(), hasAny: false });

/**
 * The first certificate of a path that has not the policies which a CA above it demands (RFC 5280 §6.1.3 to §6.1.5), as Chrome judges it;
 * Firefox asks for no policy in a certificate without extended validation. null where all have them, or none is demanded.
 * @param path from below the root down to the leaf
 */
export function lacksPolicy(path: readonly Certificate[]): Certificate | null {
  if (path.every(({ extensions }) => extensions.policyRules === null)) return null;
  const most = path.length + 1;
  const counts: Counts = { explicit: most, mapping: most, any: most };
  let valid: Valid = { named: new Map(), hasAny: true };
  for (const [index, one] of path.entries()) {
    const isLast = index === path.length - 1;
    const rules = one.extensions.policyRules ?? noRules;
    valid = narrow(valid, one, counts.any > 0 || (!isLast && one.isSelfIssued));
    if (counts.explicit === 0 && isEmpty(valid)) return one;
    if (isLast) return endsWithout(valid, counts, rules) ? one : null;
    if (rules.mappings.some((pair) => pair.includes(anyPolicy))) return one;
    valid = map(valid, rules, counts.mapping > 0);
    if (!one.isSelfIssued) countDown(counts);
    apply(counts, rules);
  }
  return null;
}

/** What of the valid policies a certificate keeps. */
function narrow(before: Valid, { extensions }: Certificate, mayUseAny: boolean): Valid {
  if (!extensions.present.includes(extensionIds.policies)) return empty();
  const own = new Set(extensions.policies);
  const expected = new Set([...before.named.values()].flatMap((all) => [...all]));
  const kept = [...own].filter((id) => id !== anyPolicy && (expected.has(id) || before.hasAny));
  const isAny = own.has(anyPolicy) && mayUseAny;
  return {
    named: new Map([...kept, ...(isAny ? expected : [])].map((id) => [id, new Set([id])])),
    hasAny: isAny && before.hasAny,
  };
}

/** The policies of an issuer under the names that those below use; without mapping they end here. */
function map(valid: Valid, { mappings }: PolicyRules, isAllowed: boolean): Valid {
  const named = new Map(valid.named);
  for (const [issuer, subjects] of Map.groupBy(mappings, ([id]) => id)) {
    const isValid = named.delete(issuer) || valid.hasAny;
    if (isAllowed && isValid) named.set(issuer, new Set(subjects.map(([, subject]) => subject)));
  }
  return { named, hasAny: valid.hasAny };
}

function countDown(counts: Counts): void {
  counts.explicit = Math.max(0, counts.explicit - 1);
  counts.mapping = Math.max(0, counts.mapping - 1);
  counts.any = Math.max(0, counts.any - 1);
}

function apply(counts: Counts, { explicitAfter, noMappingAfter, noAnyAfter }: PolicyRules): void {
  counts.explicit = Math.min(counts.explicit, explicitAfter ?? Infinity);
  counts.mapping = Math.min(counts.mapping, noMappingAfter ?? Infinity);
  counts.any = Math.min(counts.any, noAnyAfter ?? Infinity);
}

/** The leaf counts as one certificate more, and may demand policies of itself. */
function endsWithout(valid: Valid, { explicit }: Counts, { explicitAfter }: PolicyRules): boolean {
  return (explicit <= 1 || explicitAfter === 0) && isEmpty(valid);
}
