import type { SslEvidence } from '../evidence.ts';
import { simulateClients } from '../facts/clients.ts';
import { isSetKnown, type SslFacts, type SuiteObservation } from '../facts/facts.ts';
import { readHttp3 } from '../facts/http3.ts';
import { fitMozillaProfile } from '../facts/mozilla-profile.ts';
import { hasForwardSecrecy } from '../grammar/suites.ts';
import { findGroup, type Group, groups } from '../grammar/tls-names.ts';

/** The report's fields that only show what was seen. */
export function reportServer(facts: SslFacts) {
  const { evidence, client, protocols } = facts;
  const ech = evidence.names.httpsEch;
  const maxBytes = client?.maxEarlyDataBytes ?? null;
  return {
    host: evidence.host,
    port: evidence.port,
    addresses: evidence.addresses,
    protocols,
    suites: reportSuites(facts.suites),
    suitesComplete: areSuitesComplete(facts),
    groups: reportGroups(facts),
    negotiated: client && {
      protocol: client.protocol,
      suite: client.cipher.standardName,
      group: client.ephemeralKey.name ?? null,
    },
    alpn: alpnOf(facts),
    earlyData: { accepted: maxBytes === null ? null : maxBytes > 0, maxBytes },
    ...reportHttp3(evidence),
    certificateCompression: reportCompression(evidence),
    echAdvertised: ech === undefined || ech.kind === 'unknown' ? null : ech.found.length > 0,
    fallbackRefused: fallbackOf(evidence),
    sessions: reportSessions(facts),
    renegotiationByClient: renegotiationOf(evidence),
    connections: evidence.connections,
    clients: simulateClients(facts),
    cipherPreference: evidence.preference,
    mozillaProfile: fitMozillaProfile(facts),
  };
}

function reportCompression({ certificateForm }: SslEvidence) {
  if (certificateForm?.kind !== 'form') return null;
  const { compression, bytes, wholeBytes } = certificateForm;
  return { algorithm: compression, bytes, wholeBytes };
}

function reportHttp3(evidence: SslEvidence) {
  const { state, place, versions, reason } = readHttp3(evidence);
  const { source = null, port = null } = place ?? {};
  const isAdvertised = state === 'not-offered' ? false : place === null ? null : true;
  return { http3Advertised: isAdvertised, http3: { state, source, port, versions, reason } };
}

function fallbackOf({ fallback = null }: SslEvidence): boolean | null {
  return fallback === null || fallback === 'unknown' ? null : fallback === 'refused';
}

function reportSessions({ evidence: { resumption }, client, clearAnswers }: SslFacts) {
  const answers = clearAnswers.filter(({ version }) => version === 'TLSv1.2');
  const isSeen = answers.some(({ givesTicket }) => givesTicket !== undefined);
  const outcome = resumption?.outcome ?? 'unknown';
  return {
    ids: isSeen ? answers.some(({ givesSessionId }) => givesSessionId === true) : null,
    tickets: isSeen ? answers.some(({ givesTicket }) => givesTicket === true) : null,
    tls13Tickets: client?.protocol === 'TLSv1.3' ? client.maxEarlyDataBytes !== null : null,
    resumed: outcome === 'resumed' || outcome === 'declined' ? outcome === 'resumed' : null,
  };
}

function renegotiationOf({ renegotiation = null }: SslEvidence): boolean | null {
  return renegotiation === null || renegotiation === 'unknown' ? null : renegotiation === 'accepted';
}

function alpnOf({ client, clearAnswers }: SslFacts): string | null {
  return client?.alpn ?? clearAnswers.find(({ alpn }) => alpn !== null)?.alpn ?? null;
}

function reportSuites(seen: readonly SuiteObservation[]) {
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
        dhPrime: uses.find(({ dhPrime }) => typeof dhPrime === 'string')?.dhPrime ?? null,
      },
    ];
  });
}

function areSuitesComplete(facts: SslFacts): boolean {
  const sets = ['dangerous', 'withoutForwardSecrecy', 'sound'] as const;
  return sets.every((set) => isSetKnown(facts, 'TLSv1.2', set)) && isSetKnown(facts, 'TLSv1.3', 'tls13');
}

function reportGroups({ evidence, clearAnswers, client, known, protocols }: SslFacts) {
  const own = [...groups.values()].find(({ name }) => isSameGroup(name, client?.ephemeralKey.name));
  const ids = [
    // Of a version in which clients refuse every answer they get none.
    ...(known.unusable.length > 0 && protocols['TLSv1.3'] === false ? [] : (evidence.groups?.accepted ?? [])),
    ...(evidence.tls12Groups?.accepted ?? []),
    ...clearAnswers.flatMap(({ group }) => group ?? []),
    ...(own === undefined ? [] : [own.id]),
  ];
  return [...new Set(ids)].map(findGroup).map(reportGroup);
}

/** OpenSSL's names differ from IANA's in case, and for P-256 altogether. */
function isSameGroup(iana: string, openssl: string | undefined): boolean {
  const renamed = openssl === 'prime256v1' ? 'secp256r1' : openssl;
  return iana.toLowerCase() === renamed?.toLowerCase();
}

function reportGroup({ id, name, isPostQuantum }: Group) {
  return { name, id: hexOf(id), postQuantum: isPostQuantum };
}

function hexOf(id: number): string {
  return id.toString(16).padStart(4, '0');
}
