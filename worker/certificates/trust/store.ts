import { createHash, X509Certificate } from 'node:crypto';
import { getCACertificates } from 'node:tls';
import { readCertificate } from '../certificate.ts';
import { readSubjectName } from '../grammar/certificate-extensions.ts';
import { nameKeyOf } from '../grammar/distinguished-name.ts';

/** Certificates (base64 DER) by the name of their subject, in the form in which names are compared. */
type Store = ReadonlyMap<string, readonly string[]>;

/** One store for each list that Node gives; it gives the same list until somebody sets another. */
const stores = new WeakMap<readonly string[], Store>();

/** The certificates of the store that may stand above chains: those that bear the name of a subject or an issuer in them. Base64 DER. */
export function findAnchors(chains: readonly (readonly string[])[]): readonly string[] {
  const store = openStore();
  const names = new Set(
    [...new Set(chains.flat())]
      .flatMap((base64) => readCertificate(base64) ?? [])
      .flatMap(({ nameKey, issuerKey }) => [nameKey, issuerKey]),
  );
  return [...names].flatMap((name) => store.get(name) ?? []);
}

/** The roots that are built into Node: SHA-256 in hex of each. */
export function listBuiltInRoots(): readonly string[] {
  return getCACertificates('bundled').map((pem) =>
    createHash('sha256').update(new X509Certificate(pem).raw).digest('hex'),
  );
}

/** Those of the anchors that stand in no public store, but in NODE_EXTRA_CA_CERTS of this machine alone. */
export function ownAnchorsOf(anchors: readonly string[]): readonly string[] {
  const pems = getCACertificates('extra');
  const own = ownRoots.get(pems) ?? new Set(pems.map(base64Of));
  ownRoots.set(pems, own);
  return anchors.filter((anchor) => own.has(anchor));
}

const ownRoots = new WeakMap<readonly string[], ReadonlySet<string>>();

function base64Of(pem: string): string {
  return pem.replaceAll(/-----[^-]+-----|\s/g, '');
}

/** The roots that Node trusts: Mozilla's as they are built in, and those of NODE_EXTRA_CA_CERTS. Only their names are read: all of them whole would hold the event loop for 100 ms. */
function openStore(): Store {
  const pems = getCACertificates('default');
  const known = stores.get(pems);
  if (known !== undefined) return known;
  const store = new Map<string, readonly string[]>();
  for (const pem of pems) {
    const base64 = base64Of(pem);
    const subject = readSubjectName(Buffer.from(base64, 'base64'));
    const name = subject === undefined ? '' : nameKeyOf(subject);
    if (name !== '') store.set(name, [...(store.get(name) ?? []), base64]);
  }
  stores.set(pems, store);
  return store;
}
