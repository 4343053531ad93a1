import { hasForwardSecrecy } from '../grammar/suites.ts';
import { findGroup, type Group, groups } from '../grammar/tls-names.ts';
import { isSetKnown, type SslSight, type SuiteSeen } from '../sight/sight.ts';

/** The report's fields that only show what was seen. */
export function describeSight(sight: SslSight) {
  const { evidence, client, protocols } = sight;
  const maxBytes = client?.maxEarlyDataBytes ?? null;
  const httpsAlpn = evidence.names.httpsAlpn;
  return {
    host: evidence.host,
    port: evidence.port,
    addresses: evidence.addresses,
    protocols,
    suites: describeSuites(sight.suites),
    suitesComplete: areSuitesComplete(sight),
    groups: describeGroups(sight),
    negotiated: client && {
      protocol: client.protocol,
      suite: client.cipher.standardName,
      group: client.ephemeralKey.name ?? null,
    },
    alpn: alpnOf(sight),
    earlyData: { accepted: maxBytes === null ? null : maxBytes > 0, maxBytes },
    http3Advertised: httpsAlpn.kind === 'unknown' ? null : httpsAlpn.found.includes('h3'),
    connections: evidence.connections,
  };
}

function alpnOf({ client, clearAnswers }: SslSight): string | null {
  return client?.alpn ?? clearAnswers.find(({ alpn }) => alpn !== null)?.alpn ?? null;
}

function describeSuites(seen: readonly SuiteSeen[]) {
  const ids = [...new Set(seen.map(({ suite }) => suite.id))];
  return ids.flatMap((id) => {
    const uses = seen.filter(({ suite }) => suite.id === id);
    const suite = uses[0]?.suite;
    if (suite === undefined) return [];
    return [
      {
        name: suite.name,
        id: hexOf(id),
        versions: [...new Set(uses.map(({ version }) => version))],
        bits: suite.bits,
        forwardSecrecy: hasForwardSecrecy(suite),
        aead: suite.isAead,
        dhBits: uses.find(({ dhBits }) => dhBits !== null)?.dhBits ?? null,
      },
    ];
  });
}

function areSuitesComplete(sight: SslSight): boolean {
  const sets = ['dangerous', 'withoutForwardSecrecy', 'sound'] as const;
  return sets.every((set) => isSetKnown(sight, 'TLSv1.2', set)) && isSetKnown(sight, 'TLSv1.3', 'tls13');
}

function describeGroups({ evidence, clearAnswers, client }: SslSight) {
  const own = [...groups.values()].find(({ name }) => isSameGroup(name, client?.ephemeralKey.name));
  const ids = [
    ...(evidence.groups?.accepted ?? []),
    ...clearAnswers.flatMap(({ group }) => group ?? []),
    ...(own === undefined ? [] : [own.id]),
  ];
  return [...new Set(ids)].map(findGroup).map(describeGroup);
}

/** OpenSSL's names differ from IANA's in case, and for P-256 altogether. */
function isSameGroup(iana: string, openssl: string | undefined): boolean {
  const renamed = openssl === 'prime256v1' ? 'secp256r1' : openssl;
  return iana.toLowerCase() === renamed?.toLowerCase();
}

function describeGroup({ id, name, isPostQuantum }: Group) {
  return { name, id: hexOf(id), postQuantum: isPostQuantum };
}

function hexOf(id: number): string {
  return id.toString(16).padStart(4, '0');
}
