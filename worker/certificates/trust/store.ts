import { createHash, X509Certificate } from 'node:crypto';
import { getCACertificates } from 'node:tls';
import { type Certificate, readCertificate } from '../certificate.ts';

/** Certificates by the name of their subject, in the form in which names are compared. */
type Store = ReadonlyMap<string, readonly Certificate[]>;

/** One store for each list that Node gives; it gives the same list until somebody sets another. */
const stores = new WeakMap<readonly string[], Store>();

/** The certificates of the store that may stand above chains: those that bear the name of a subject or an issuer in them. Base64 DER. */
export function findAnchors(chains: readonly (readonly string[])[]): readonly string[] {
  const store = openStore();
  const names = new Set(
    chains
      .flat()
      .flatMap((base64) => readCertificate(base64) ?? [])
      .flatMap(({ nameKey, issuerKey }) => [nameKey, issuerKey]),
  );
  const found = [...names].flatMap((name) => store.get(name) ?? []);
  return found.map(({ x509 }) => x509.raw.toString('base64'));
}

/** The roots that are built into Node: SHA-256 in hex of each. */
export function listBuiltInRoots(): readonly string[] {
  return getCACertificates('bundled').map((pem) =>
    createHash('sha256').update(new X509Certificate(pem).raw).digest('hex'),
  );
}

/** The roots that Node trusts: Mozilla's as they are built in, and those of NODE_EXTRA_CA_CERTS. */
function openStore(): Store {
  const pems = getCACertificates('default');
  const known = stores.get(pems);
  if (known !== undefined) return known;
  const store = new Map<string, readonly Certificate[]>();
  for (const pem of pems) {
    const root = readCertificate(pem.replaceAll(/-----[^-]+-----|\s/g, ''));
    if (root !== undefined && root.nameKey !== '')
      store.set(root.nameKey, [...(store.get(root.nameKey) ?? []), root]);
  }
  stores.set(pems, store);
  return store;
}
