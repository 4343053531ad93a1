import type { Role } from '../browsers/refusal.ts';
import { refusalsOf } from '../browsers/refusals-of.ts';
import { type Certificate, isSignedBy } from '../certificate.ts';
import { limitsOfIssuer, limitsOfLeaf } from './limits.ts';
import { lacksPolicy } from './policies.ts';
import type { PathFault, PathFound, PathReason } from './reasons.ts';

/** What a path may be made of, and the clock in Unix ms. */
export type PathSources = {
  readonly leaf: Certificate;
  /** Certificates that came along, in any order. */
  readonly sent: readonly Certificate[];
  /** Certificates of the store. */
  readonly anchors: readonly Certificate[];
  readonly at: number;
};

/** The leaf, six CAs and the root: Firefox follows no more (mozilla::pkix), and no public path is longer than five. */
const longestPath = 8;
/** Signatures and steps of one search. A public chain takes three or four; a hostile one may fit together in thousands of ways. */
const searchLimits = { signatures: 100, steps: 1000 };

type Way = { readonly path: readonly Certificate[]; readonly faults: readonly PathFault[] };
type FoundPath = Way & { readonly endsAtAnchor: boolean };
type Search = PathSources & {
  readonly signatures: Map<string, boolean>;
  steps: number;
  best: FoundPath | null;
};

/**
 * Searches all paths from a leaf to the store (RFC 4158, RFC 5280 §6.1), as browsers do; OpenSSL follows only one.
 * The store comes first, so that a cross-certificate above a root that is trusted does not count.
 */
export function findPath(sources: PathSources): PathFound {
  const search: Search = { ...sources, signatures: new Map(), steps: 0, best: null };
  const { leaf, at } = sources;
  walk(search, { path: [leaf], faults: faultsOfLeaf(leaf, at) });
  const { path = [leaf], faults = [], endsAtAnchor = false } = search.best ?? {};
  if (endsAtAnchor && faults.length === 0) return { kind: 'trusted', path };
  return { kind: 'untrusted', path, faults };
}

/** Goes on from the end of a way; true once a path that holds is found. */
function walk(search: Search, way: Way): boolean {
  const end = way.path.at(-1);
  if (end === undefined) return false;
  if (search.anchors.some((anchor) => isSameAuthority(anchor, end)))
    return keep(search, endAtAnchor(way, end));
  search.steps += 1;
  if (search.steps > searchLimits.steps) return keep(search, stop(way, end, 'search-ended'));
  if (way.path.length >= longestPath) return keep(search, stop(way, end, 'too-many-authorities'));
  const named = listIssuers(search, way.path, end);
  const signers = named.filter((issuer) => isIssuer(search, end, issuer));
  if (signers.length === 0) {
    const reason = reasonOfEnd(search, end, named.length, way.path.length);
    const faults = withoutOwn(way.faults, end, uncountedAt[reason]);
    return keep(search, stop({ ...way, faults }, end, reason));
  }
  return signers.some((issuer) => walk(search, climb(search, way, issuer)));
}

function climb({ anchors, at }: Search, { path, faults }: Way, issuer: Certificate): Way {
  const isAnchor = anchors.includes(issuer);
  return { path: [...path, issuer], faults: [...faults, ...faultsOfIssuer(issuer, path, { at, isAnchor })] };
}

function faultsOfLeaf(leaf: Certificate, at: number): readonly PathFault[] {
  return [...faultsAt(leaf, limitsOfLeaf(leaf, at)), ...faultsOfForm(leaf, 'leaf')];
}

function faultsOfIssuer(
  issuer: Certificate,
  below: readonly Certificate[],
  context: { readonly at: number; readonly isAnchor: boolean },
): readonly PathFault[] {
  const [end] = below.slice(-1);
  const isSameName =
    end === undefined || Buffer.compare(end.extensions.issuerName, issuer.extensions.subjectName) === 0;
  return [
    ...(end === undefined || isSameName ? [] : [{ reason: 'name-differs', certificate: end } as const]),
    ...faultsAt(issuer, limitsOfIssuer(issuer, below, context)),
    ...(context.isAnchor ? [] : faultsOfForm(issuer, 'issuer')),
  ];
}

function faultsOfForm(certificate: Certificate, role: Role): readonly PathFault[] {
  return refusalsOf(certificate, role).map((refusal) => ({
    reason: refusal.reason,
    certificate,
    refusal,
  }));
}

function endAtAnchor(way: Way, end: Certificate): FoundPath {
  const faults = withoutOwn(way.faults, end, uncountedAt.anchor);
  return {
    path: way.path,
    faults: [...faults, ...faultsOfPolicies({ path: way.path, faults })],
    endsAtAnchor: true,
  };
}

/** Policies are asked for where a path holds otherwise: only then did a public CA sign all of it, and nobody can make it long. */
function faultsOfPolicies({ path, faults }: Way): readonly PathFault[] {
  const lacking = faults.length === 0 ? lacksPolicy(path.slice(0, -1).reverse()) : null;
  return lacking === null ? [] : [{ reason: 'policy-missing', certificate: lacking }];
}

/** How a certificate is written: nothing in a root but its name and key counts. */
const forms = [
  'certificate-malformed',
  'extension-malformed',
  'extension-repeated',
  'signature-unsupported',
] as const satisfies readonly PathReason[];

/**
 * What does not count against the last certificate of a path, by how the path ends: an anchor is trusted for being in the store,
 * an unknown root is refused for not being there, and a certificate that is its own CA may say so.
 */
const uncountedAt: { readonly [R in PathReason | 'anchor']?: readonly PathReason[] } = {
  anchor: ['signature-weak', 'authority-as-server', ...forms],
  'root-unknown': ['signature-weak', ...forms],
  'self-signed': ['authority-as-server', ...forms],
};

function withoutOwn(
  faults: readonly PathFault[],
  end: Certificate,
  reasons: readonly PathReason[] = [],
): readonly PathFault[] {
  return faults.filter(({ certificate, reason }) => certificate !== end || !reasons.includes(reason));
}

function stop({ path, faults }: Way, certificate: Certificate, reason: PathReason): FoundPath {
  return { path, faults: [...faults, { reason, certificate }], endsAtAnchor: false };
}

function reasonOfEnd(search: Search, end: Certificate, named: number, length: number): PathReason {
  if (end.isSelfIssued && isIssuer(search, end, end)) return length === 1 ? 'self-signed' : 'root-unknown';
  return named === 0 ? 'issuer-missing' : 'signature-wrong';
}

/** Certificates with the name of the issuer, those of the store first, then those with the least wrong. */
function listIssuers(search: Search, path: readonly Certificate[], end: Certificate): readonly Certificate[] {
  if (end.issuerKey === '') return [];
  const isNext = (one: Certificate) =>
    one.nameKey === end.issuerKey && !path.some((other) => isSameAuthority(one, other));
  const { at } = search;
  const wrong = (one: Certificate) => faultsOfIssuer(one, path, { at, isAnchor: false }).length;
  const sent = search.sent.filter(isNext).sort((one, other) => wrong(one) - wrong(other));
  return [...search.anchors.filter(isNext), ...sent];
}

/** Two certificates of one name and one key: a path through both would run in a circle. */
function isSameAuthority(one: Certificate, other: Certificate): boolean {
  return (
    one.nameKey === other.nameKey &&
    Buffer.compare(one.extensions.publicKeyInfo, other.extensions.publicKeyInfo) === 0
  );
}

function isIssuer({ signatures }: Search, certificate: Certificate, issuer: Certificate): boolean {
  const key = `${certificate.sha256} ${issuer.sha256}`;
  const known = signatures.get(key);
  if (known !== undefined) return known;
  if (signatures.size >= searchLimits.signatures) return false;
  const isSigned = isSignedBy(certificate, issuer);
  signatures.set(key, isSigned);
  return isSigned;
}

/** Keeps the best way so far: one that reaches the store, then the one with the least wrong, then the longest. */
function keep(search: Search, found: FoundPath): boolean {
  if (search.best === null || rank(found) > rank(search.best)) search.best = found;
  return found.endsAtAnchor && found.faults.length === 0;
}

function rank({ endsAtAnchor, faults, path }: FoundPath): number {
  return (endsAtAnchor ? 10_000 : 0) - 100 * faults.length + path.length;
}

function faultsAt(certificate: Certificate, reasons: readonly PathReason[]): readonly PathFault[] {
  return reasons.map((reason) => ({ reason, certificate }));
}
