import { readCertificate } from '../../../certificates/certificate.ts';
import { buildChain, type Chain, type ChainContext } from '../../../certificates/chain.ts';
import { isNamedBy } from '../../../certificates/names.ts';
import { describeFault, faultsToMail } from '../../../certificates/trust/reasons.ts';

/** Reads a chain as it was sent; without a leaf that can be read the others are no chain of anything. */
export function readChain([leaf = '', ...more]: readonly string[], context: ChainContext): Chain {
  const first = readCertificate(leaf);
  if (first === undefined) return buildChain([], context);
  return buildChain([first, ...more.flatMap((one) => readCertificate(one) ?? [])], context);
}

/** Why senders that check certificates against public roots would refuse this one for the host (RFC 8461 §4.2), as a clause; null where they take it. */
export function whyUntrusted({ leaf, trust }: Chain, host: string): string | null {
  if (leaf === null || trust === null) return 'its certificate cannot be read';
  if (trust.kind === 'untrusted') {
    const [first] = faultsToMail(trust.faults);
    if (first !== undefined) return `its certificate (${first.certificate.subject}) ${describeFault(first)}`;
    if (trust.faults.length === 0) return 'its certificate leads to no root of the store';
  }
  if (isNamedBy(host, leaf.names)) return null;
  return `its certificate is for ${describeNames(leaf.names)}, not for ${host}`;
}

const namesShown = 3;

function describeNames(names: readonly string[]): string {
  if (names.length === 0) return 'no host name';
  const more = names.length > namesShown ? ` and ${names.length - namesShown} more` : '';
  return `${names.slice(0, namesShown).join(', ')}${more}`;
}
