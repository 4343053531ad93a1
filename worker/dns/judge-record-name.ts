import { isMalformed } from '#shared/model/verdict';
import { classifyAddress } from '#shared/targets/classify-address';
import { judgeSuffix } from '#shared/targets/classify-name';
import type { TargetPolicy } from '#shared/targets/parse-target';
import { isInZone, parseName } from './name.ts';

/** The part of a run's policy that names and addresses in records are judged by. */
export type NamePolicy = Pick<TargetPolicy, 'addresses' | 'allowedSuffixes'>;

/** Why a name is not asked for, as a clause: "is a special-use name". `host` is the name without the labels that say which record is meant. */
export type Refusal = { readonly kind: 'name' | 'address'; readonly host: string; readonly why: string };

/**
 * Judges a name that a record contains, as a caller's is judged: our resolver may sit in a network whose own names are nobody's business.
 * @param name as a question writes it, in any letter case; escapes are read, so that "intern\097l" hides nothing
 * @param target was judged already, and so are the names above and below it
 * @returns undefined for a name that may be asked for
 */
export function judgeRecordName(name: string, target: string, policy: NamePolicy): Refusal | undefined {
  const parsed = parseName(name.replace(/\.$/, ''));
  // No question can carry such a name; the probe says so.
  if (isMalformed(parsed)) return undefined;
  const labels = parsed.labels.map((label) => label.toLowerCase());
  const reverse = addressOfReverse(labels);
  if (reverse !== undefined) return judgeReverse(reverse, policy);
  const host = hostOf(labels);
  if (host === '' || isInZone(host, target) || isInZone(target, host)) return undefined;
  const why = judgeSuffix(host, policy.allowedSuffixes);
  return why === undefined ? undefined : { kind: 'name', host, why };
}

// "_dmarc.localhost" is a question about localhost: what stands before the last underscored label says only which one.
function hostOf(labels: readonly string[]): string {
  const last = labels.findLastIndex((label) => label.startsWith('_'));
  const host = last === labels.length - 1 ? labels : labels.slice(last + 1);
  return host.join('.');
}

function judgeReverse(address: string, { addresses }: NamePolicy): Refusal | undefined {
  return classifyAddress(address, addresses).kind === 'public'
    ? undefined
    : { kind: 'address', host: address, why: 'belongs to an address that is not public' };
}

/** The address whose name a reverse name asks for; what is left out of it is read as 0. Undefined for other names. */
function addressOfReverse(labels: readonly string[]): string | undefined {
  const zone = labels.slice(-2).join('.');
  const digits = labels.slice(0, -2).toReversed();
  if (zone === 'in-addr.arpa') {
    const octets = leading(digits, /^\d{1,3}$/, 4);
    return octets.length === 0 ? undefined : pad(octets, 4).join('.');
  }
  if (zone !== 'ip6.arpa') return undefined;
  const nibbles = leading(digits, /^[\da-f]$/, 32);
  return nibbles.length === 0 ? undefined : (pad(nibbles, 32).join('').match(/.{4}/g) ?? []).join(':');
}

function leading(labels: readonly string[], pattern: RegExp, most: number): readonly string[] {
  const end = labels.findIndex((label) => !pattern.test(label));
  return labels.slice(0, Math.min(end < 0 ? labels.length : end, most));
}

function pad(digits: readonly string[], length: number): readonly string[] {
  return [...digits, ...Array.from({ length: length - digits.length }, () => '0')];
}
