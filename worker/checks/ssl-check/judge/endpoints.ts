import type { SslCode } from '#shared/catalogue/ssl-check/rules';
import type { EndpointCode } from '#shared/catalogue/ssl-check/rules/endpoint';
import { isNotAsked } from '#shared/model/failure';
import {
  brokenBy,
  brokenIf,
  codesOf,
  type Evidence,
  isBroken,
  notTested,
  type Verdict,
  type Verdicts,
} from '#shared/model/verdict';
import { readCertificate } from '../../../certificates/certificate.ts';
import type { Connected, EndpointObservation, SslEvidence } from '../evidence.ts';
import type { SslFacts } from '../facts/facts.ts';
import { versionNames } from '../grammar/tls-names.ts';

/**
 * Judges whether all addresses of the name answer alike. What is wrong with each is reported by the other rules.
 * @param others the facts of each other address that was looked at in full
 */
export function judgeEndpoints(facts: SslFacts, others: readonly SslFacts[]): Record<EndpointCode, Verdict> {
  const { evidence, client } = facts;
  const { endpoints, host } = evidence;
  if (endpoints === null || client === null) {
    const unseen = notTested(
      endpoints === null ? 'one address was looked at' : 'no handshake to compare with',
    );
    return { 'endpoint-unreachable': unseen, 'endpoints-differ': unseen };
  }
  const failed = endpoints.flatMap(({ address, handshake }) =>
    handshake.kind === 'failure' && !isOurs({ handshake })
      ? [{ host, address, reason: handshake.reason }]
      : [],
  );
  const different = endpoints.flatMap(({ address, handshake }) =>
    handshake.kind === 'connected' ? compare(address, handshake, client) : [],
  );
  const versions = others.flatMap((other) => compareVersions(other, facts));
  return {
    'endpoint-unreachable':
      failed.length === 0 && endpoints.some(isOurs) ? notTested(whyOurs(endpoints)) : brokenBy(failed),
    'endpoints-differ': brokenBy([...different, ...versions]),
  };
}

/** A family of addresses that is not there where this runs, and a budget that was spent, say nothing about the server. */
export function isOurs({ handshake }: Pick<EndpointObservation, 'handshake'>): boolean {
  return (
    handshake.kind === 'failure' && (handshake.code === 'network-unreachable' || isNotAsked(handshake.code))
  );
}

function whyOurs(endpoints: readonly EndpointObservation[]): string {
  const ours = endpoints.flatMap(({ handshake }) => (handshake.kind === 'failure' ? [handshake] : []));
  const missing = ours.find(({ code }) => code === 'not-from-here');
  if (missing) return missing.reason;
  const unrouted = ours.find(({ code }) => code === 'network-unreachable');
  if (!unrouted) return 'not every address could be looked at';
  return `there is no ${unrouted.address?.includes(':') === false ? 'IPv4' : 'IPv6'} where this ran`;
}

/** What short looks found beside certificates: versions that nobody should speak any more, and those that are missing. */
export function judgeShortLooks({ endpoints }: SslEvidence): readonly VerdictsAt<SslCode>[] {
  return (endpoints ?? []).map((endpoint) => {
    const { address, oldVersions = [], isBrief } = endpoint;
    // A handshake of a current client does not tell what else there is.
    if (isBrief) return { address, verdicts: judgeBest(endpoint) };
    const judge = (version: string) =>
      brokenIf(
        oldVersions.some((one) => one.version === version && one.accepted.length > 0),
        { version },
      );
    const old = { 'tls10-offered': judge('TLSv1'), 'tls11-offered': judge('TLSv1.1') };
    return { address, verdicts: { ...old, ...judgeBest(endpoint) } };
  });
}

/** Every handshake offers TLS 1.3, so that the version of a short one is the best that the address has. */
function judgeBest({
  handshake,
  oldVersions,
  isBrief,
}: EndpointObservation): VerdictsAt<SslCode>['verdicts'] {
  if (handshake.kind === 'failure' || (oldVersions === undefined && isBrief !== true)) return {};
  const best = handshake.protocol;
  const shown = { best, versions: best };
  return {
    'tls13-missing': brokenIf(best !== 'TLSv1.3', shown),
    'tls12-missing': brokenIf(best !== 'TLSv1.3' && best !== 'TLSv1.2', shown),
  };
}

type Show = (what: string, own: string, theirs: string) => Evidence;

function compare(address: string, seen: Connected, first: Connected): Evidence[] {
  const show = showAt(address, first.address);
  const [own, theirs] = [seen, first].map(({ certificates }) => readCertificate(certificates[0] ?? ''));
  return [
    ...(own?.sha256 === theirs?.sha256
      ? []
      : [show('certificate', own?.sha256.slice(0, 16) ?? 'none', theirs?.sha256.slice(0, 16) ?? 'none')]),
    ...(seen.protocol === first.protocol ? [] : [show('protocol', seen.protocol, first.protocol)]),
    ...(seen.alpn === first.alpn ? [] : [show('ALPN', seen.alpn ?? 'none', first.alpn ?? 'none')]),
  ];
}

/** Compares the versions of which both addresses told whether they speak them. */
function compareVersions(other: SslFacts, first: SslFacts): Evidence[] {
  const known = versionNames.filter(
    (version) => other.protocols[version] !== null && first.protocols[version] !== null,
  );
  const [own, theirs] = [other, first].map(({ protocols }) =>
    known.filter((version) => protocols[version] === true).join(', '),
  );
  const [address = '', theirAddress = ''] = [other, first].map(({ evidence }) => evidence.addresses[0]);
  return own === theirs || own === '' || other.client === null
    ? []
    : [showAt(address, theirAddress)('list of versions', own ?? '', theirs ?? '')];
}

function showAt(address: string, other: string): Show {
  return (what, own, theirs) => ({ address, other, what, own, theirs });
}

/** What was found at another address of the name. Rules that it says nothing about are left out. */
export type VerdictsAt<Code extends string> = {
  readonly address: string;
  readonly verdicts: { readonly [C in Code]?: Verdict };
};

/**
 * The verdicts on a name: a rule that is broken at any address is broken, since some client gets there.
 * What only another address breaks carries that address; what could not be tested there does not hold for the name.
 */
export function joinEndpoints<Code extends string>(
  first: Verdicts<Code>,
  others: readonly VerdictsAt<Code>[],
): Verdicts<Code> {
  const join = (code: Code): Verdict =>
    others.reduce((sum, { address, verdicts }) => joinTwo(sum, verdicts[code], address), first[code]);
  return Object.fromEntries(codesOf(first).map((code) => [code, join(code)])) as Verdicts<Code>;
}

function joinTwo(one: Verdict, other: Verdict | undefined, address: string): Verdict {
  if (other === undefined || isBroken(one)) return one;
  if (isBroken(other)) return { ...other, broken: other.broken.map((each) => ({ ...each, address })) };
  if (typeof other === 'object')
    return typeof one === 'object' ? one : notTested(`at ${address}: ${other.notTested}`);
  return one === 'not-applicable' ? other : one;
}
