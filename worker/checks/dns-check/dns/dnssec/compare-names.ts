/**
 * Compares two names in canonical order: label by label from the right, as octets (RFC 4034 §6.1).
 * @param a labels in lower case, one character an octet
 * @returns below 0 where `a` comes first, 0 where they are equal
 */
export function compareNames(a: readonly string[], b: readonly string[]): number {
  const shared = Math.min(a.length, b.length);
  for (let fromRight = 1; fromRight <= shared; fromRight += 1) {
    const left = a[a.length - fromRight] ?? '';
    const right = b[b.length - fromRight] ?? '';
    if (left !== right) return left < right ? -1 : 1;
  }
  return a.length - b.length;
}

/** How many labels two names share, counted from the right. */
export function sharedLabels(a: readonly string[], b: readonly string[]): number {
  let count = 0;
  while (count < Math.min(a.length, b.length) && a[a.length - 1 - count] === b[b.length - 1 - count])
    count += 1;
  return count;
}

/** True where `name` lies below `above`. */
export function isBelow(name: readonly string[], above: readonly string[]): boolean {
  return name.length > above.length && sharedLabels(name, above) === above.length;
}
