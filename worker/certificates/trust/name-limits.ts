import { isMalformed } from '#shared/model/verdict';
import { isHostToFirefox } from '../browsers/name-form.ts';
import type { Certificate } from '../certificate.ts';
import { isNameBelow, isWrittenBelow } from '../grammar/distinguished-name.ts';
import { type GeneralName, parseNameConstraints, readGeneralName } from '../grammar/name-constraints.ts';

/** More comparisons than this Chrome does not make; it refuses the certificate instead. */
const comparedAtMost = 2 ** 20;

/**
 * Whether a CA may issue for all names of a certificate below it (RFC 5280 §4.2.1.10).
 * Constraints that cannot be read, or that limit a kind of name that the certificate has and that is not compared here, permit nothing, as in browsers.
 */
export function isWithinConstraints(certificate: Certificate, authority: Certificate): boolean {
  const value = authority.extensions.nameConstraints;
  if (value === null) return true;
  const constraints = parseNameConstraints(value);
  if (isMalformed(constraints)) return false;
  const { permitted, excluded } = constraints;
  // Firefox takes a subject for excluded as soon as any directory name is.
  if (excluded.some(({ kind }) => kind === 'directory')) return false;
  const names = namesOf(certificate);
  if (names.length * (permitted.length + excluded.length) > comparedAtMost) return false;
  return names.every((name) => {
    const limits = permitted.filter((base) => isSameKind(name, base));
    const bars = excluded.filter((base) => isSameKind(name, base));
    const isUnread = name.kind === 'other' || isBrokenHost(name) || isBrokenMailbox(name);
    if (isUnread) return limits.length === 0 && bars.length === 0;
    const isPermitted = limits.length === 0 || limits.some((base) => isCovered(name, base, 'permitted'));
    return isPermitted && !bars.some((base) => isCovered(name, base, 'excluded'));
  });
}

/** Names in subjectAltName, and the subject; one without a name Firefox compares too. The common name is not read: no browser takes it for a host. */
function namesOf({ extensions }: Certificate): readonly GeneralName[] {
  const subject: GeneralName = { kind: 'directory', name: extensions.subjectName };
  return [...extensions.alternativeNames.map(readGeneralName), subject];
}

function isSameKind(name: GeneralName, base: GeneralName): boolean {
  if (name.kind === 'other' || base.kind === 'other')
    return name.kind === 'other' && base.kind === 'other' && name.tag === base.tag;
  return name.kind === base.kind;
}

function isCovered(name: GeneralName, base: GeneralName, list: 'permitted' | 'excluded'): boolean {
  if (name.kind === 'dns' && base.kind === 'dns') return isHostCovered(name.name, base.name, list);
  if (name.kind === 'email' && base.kind === 'email')
    return isMailboxCovered(name.mailbox, base.mailbox, list);
  if (name.kind === 'address' && base.kind === 'address') return isAddressCovered(name.bytes, base.bytes);
  if (name.kind === 'directory' && base.kind === 'directory')
    return isNameBelow(name.name, base.name) && isWrittenBelow(name.name, base.name);
  return false;
}

/** Firefox reads no path in which a DNS entry that is no host name, such as ".a.test", meets a constraint of its kind; Chrome would let it pass. */
function isBrokenHost(name: GeneralName): boolean {
  return name.kind === 'dns' && !isHostToFirefox(name.name);
}

/** A constraint covers its name and all below it; one with a leading dot, which browsers accept, only those below. */
function isHostCovered(name: string, base: string, list: 'permitted' | 'excluded'): boolean {
  if (base === '') return true;
  const suffix = base.startsWith('.') ? base : `.${base}`;
  if (name === base || name.endsWith(suffix)) return true;
  // *.a.test may stand for any name in a.test, so that excluding b.a.test must bar it.
  return list === 'excluded' && name.startsWith('*.') && suffix.endsWith(name.slice(1));
}

/** Not one local part and one host: what such an entry names is not known. */
function isBrokenMailbox(name: GeneralName): boolean {
  return name.kind === 'email' && !/^[^@]+@[^@]+$/.test(name.mailbox);
}

/**
 * A constraint is one mailbox, a host for all mailboxes there, or a domain with a leading dot for all hosts below it (RFC 5280 §4.2.1.10).
 * Local parts differ by case, hosts do not. An empty constraint is not defined: it permits nothing and excludes everything.
 */
function isMailboxCovered(mailbox: string, base: string, list: 'permitted' | 'excluded'): boolean {
  if (base === '') return list === 'excluded';
  const [local = '', host = ''] = mailbox.split('@');
  const [first = '', second] = base.split('@');
  if (second !== undefined) return local === first && host.toLowerCase() === second.toLowerCase();
  const place = first.toLowerCase();
  return place.startsWith('.') ? host.toLowerCase().endsWith(place) : host.toLowerCase() === place;
}

/** An address, then its mask (RFC 5280 §4.2.1.10). */
function isAddressCovered(address: Uint8Array, base: Uint8Array): boolean {
  const size = base.length / 2;
  return (
    address.length === size &&
    address.every((byte, index) => {
      const mask = base[size + index] ?? 0;
      return (byte & mask) === ((base[index] ?? 0) & mask);
    })
  );
}
