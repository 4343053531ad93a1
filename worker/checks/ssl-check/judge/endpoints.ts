import type { EndpointCode } from '../../../../shared/catalogue/ssl-check/rules/endpoint.ts';
import { brokenBy, type Evidence, notTested, type Verdict } from '../../../../shared/model/verdict.ts';
import { readCertificate } from '../../../certificates/certificate.ts';
import type { Connected, EndpointSeen } from '../evidence.ts';
import type { SslFacts } from '../facts/facts.ts';

/** Judges whether all addresses of the name answer alike. What is wrong with a certificate is told by the rules about certificates. */
export function judgeEndpoints({ evidence, client }: SslFacts): Record<EndpointCode, Verdict> {
  const { endpoints, host } = evidence;
  if (endpoints === null || client === null) {
    const unseen = notTested(
      endpoints === null ? 'one address was looked at' : 'no handshake to compare with',
    );
    return { 'endpoint-unreachable': unseen, 'endpoints-differ': unseen };
  }
  const failed = endpoints.flatMap(({ address, handshake }) =>
    handshake.kind === 'failure' && !isOurs({ address, handshake })
      ? [{ host, address, reason: handshake.reason }]
      : [],
  );
  const isUnseen = endpoints.some(isOurs);
  const different = endpoints.flatMap(({ address, handshake }) =>
    handshake.kind === 'connected' ? compare(address, handshake, client) : [],
  );
  return {
    'endpoint-unreachable':
      failed.length === 0 && isUnseen ? notTested('there is no IPv6 where this ran') : brokenBy(failed),
    'endpoints-differ': brokenBy(different),
  };
}

/** A family of addresses that is not there where this runs says nothing about the server. */
export function isOurs({ handshake }: EndpointSeen): boolean {
  return handshake.kind === 'failure' && handshake.code === 'network-unreachable';
}

function compare(address: string, seen: Connected, first: Connected): Evidence[] {
  const other = first.address;
  const show = (what: string, own: string, theirs: string) => ({ address, other, what, own, theirs });
  const [own, theirs] = [seen, first].map(({ certificates }) => readCertificate(certificates[0] ?? ''));
  return [
    ...(own?.sha256 === theirs?.sha256
      ? []
      : [show('certificate', own?.sha256.slice(0, 16) ?? 'none', theirs?.sha256.slice(0, 16) ?? 'none')]),
    ...(seen.protocol === first.protocol ? [] : [show('protocol', seen.protocol, first.protocol)]),
    ...(seen.alpn === first.alpn ? [] : [show('ALPN', seen.alpn ?? 'none', first.alpn ?? 'none')]),
  ];
}
