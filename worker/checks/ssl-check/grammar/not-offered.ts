import type { SentHello } from './sent-hello.ts';
import type { ServerFlight } from './server-flight.ts';
import { isSinceTls12, suites } from './suites.ts';
import { findGroup, versionNumbers } from './tls-names.ts';

/** A part of an answer that a client has to refuse, because its ClientHello did not offer it. */
export type NotOffered = {
  /** In TLS 1.3, `keyless-group` is a key for a group that the hello had no key for, and `retried-group` a HelloRetryRequest for one that it had. */
  readonly what:
    | 'suite'
    | 'suite-of-other-version'
    | 'group'
    | 'keyless-group'
    | 'retried-group'
    | 'signature-scheme'
    | 'compression'
    | 'alpn'
    | 'alpn-list'
    | 'extension'
    | 'session-id';
  /** Its number, or the name of a protocol; null where there is none. */
  readonly chosen: number | string | null;
};

/** Compares one kind of part of an answer with its ClientHello: what was not offered, or null. */
type Comparison = (flight: ServerFlight, hello: SentHello) => NotOffered | null;

/**
 * Holds an answer against its ClientHello: the first part that a client has to refuse (RFC 8446 §4.1.3 and §4.2, RFC 5246 §7.4.1.3 and §7.4.3, RFC 8422 §5.4, RFC 7301 §3.2).
 * A prime is the server's own choice, and none of these. null where everything was offered.
 */
export function findNotOffered(flight: ServerFlight, hello: SentHello): NotOffered | null {
  for (const compare of comparisons) {
    const found = compare(flight, hello);
    if (found !== null) return found;
  }
  return null;
}

const isTls13 = ({ version }: ServerFlight) => version >= versionNumbers['TLSv1.3'];

const compareSuite: Comparison = (flight, hello) => {
  const { suite, version } = flight;
  if (!hello.suites.includes(suite)) return { what: 'suite', chosen: suite };
  const known = suites.get(suite);
  const isNewer = known !== undefined && isSinceTls12(known) && version < versionNumbers['TLSv1.2'];
  const isOther = (known?.keyExchange === 'TLS13') !== isTls13(flight) || isNewer;
  return isOther ? { what: 'suite-of-other-version', chosen: suite } : null;
};

const compareGroup: Comparison = (flight, hello) => {
  const { group, isHelloRetry } = flight;
  if (group === null) return null;
  // Hybrids are groups of TLS 1.3 alone (draft-ietf-tls-ecdhe-mlkem).
  const isOfTls13 = findGroup(group).isPostQuantum && !isTls13(flight);
  if (hello.groups?.includes(group) === false || isOfTls13) return { what: 'group', chosen: group };
  if (!isTls13(flight) || hello.keyGroups.includes(group) !== isHelloRetry) return null;
  return { what: isHelloRetry ? 'retried-group' : 'keyless-group', chosen: group };
};

/** What a hello of TLS 1.2 offers that names no algorithms (RFC 5246 §7.4.1.4.1): SHA-1 with RSA, DSA and ECDSA. */
const defaultSchemes: readonly number[] = [0x0201, 0x0202, 0x0203];

const compareScheme: Comparison = ({ signatureScheme: chosen }, { signatures }) => {
  if (chosen === null || (signatures ?? defaultSchemes).includes(chosen)) return null;
  return { what: 'signature-scheme', chosen };
};

const compareCompression: Comparison = ({ compression: chosen }, { compressions }) =>
  compressions.includes(chosen) ? null : { what: 'compression', chosen };

const compareAlpn: Comparison = ({ alpn, isAlpnList }, hello) => {
  if (alpn === null || hello.alpn.length === 0) return null;
  if (!hello.alpn.includes(alpn)) return { what: 'alpn', chosen: alpn };
  return isAlpnList ? { what: 'alpn-list', chosen: alpn } : null;
};

const renegotiationInfo = 0xff01;
const renegotiationScsv = 0x00ff;
const cookie = 44;

const compareExtensions: Comparison = ({ extensions, isHelloRetry }, hello) => {
  const isOffered = (type: number) =>
    hello.extensions.includes(type) ||
    // The suite stands for the extension (RFC 5746 §3.6), and a HelloRetryRequest may bring a cookie (RFC 8446 §4.2.2).
    (type === renegotiationInfo && hello.suites.includes(renegotiationScsv)) ||
    (type === cookie && isHelloRetry);
  const chosen = extensions.find((type) => !isOffered(type));
  return chosen === undefined ? null : { what: 'extension', chosen };
};

/** In TLS 1.3 the session id comes back as it was sent. */
const compareSessionId: Comparison = (flight, { sessionId }) => {
  const isEchoed = Buffer.from(flight.sessionId).equals(sessionId);
  return isTls13(flight) && !isEchoed ? { what: 'session-id', chosen: null } : null;
};

const comparisons: readonly Comparison[] = [
  compareSuite,
  compareGroup,
  compareScheme,
  compareCompression,
  compareAlpn,
  compareExtensions,
  compareSessionId,
];

const hex = (number: number | string | null) =>
  typeof number === 'number' ? `0x${number.toString(16).padStart(4, '0')}` : `${number}`;

/** What was chosen, in words: "the group X25519MLKEM768". */
export function nameNotOffered({ what, chosen }: NotOffered): string {
  switch (what) {
    case 'suite':
      return `the suite ${suiteName(chosen)}`;
    case 'suite-of-other-version':
      return `the suite ${suiteName(chosen)} of another version`;
    case 'group':
      return `the group ${groupName(chosen)}`;
    case 'keyless-group':
      return `a key for the group ${groupName(chosen)}, for which the ClientHello had no key`;
    case 'retried-group':
      return `a HelloRetryRequest for the group ${groupName(chosen)}, for which the ClientHello had a key`;
    case 'signature-scheme':
      return `the signature scheme ${hex(chosen)}`;
    case 'compression':
      return `the compression method ${chosen}`;
    case 'alpn':
      return `the protocol “${chosen}”`;
    case 'alpn-list':
      return `“${chosen}” and more protocols, where one may be chosen`;
    case 'extension':
      return `the extension ${chosen}`;
    case 'session-id':
      return 'another session id than it was sent';
  }
}

/** Why a client ends the handshake. */
export function whyRefused({ what }: NotOffered): string {
  return `the server chooses ${kinds[what]} that the client did not offer`;
}

const kinds = {
  suite: 'a cipher suite',
  'suite-of-other-version': 'a cipher suite of another version',
  group: 'a group',
  'keyless-group': 'a key',
  'retried-group': 'a second ClientHello',
  'signature-scheme': 'a signature scheme',
  compression: 'a compression method',
  alpn: 'a protocol',
  'alpn-list': 'several protocols',
  extension: 'an extension',
  'session-id': 'a session id',
} as const satisfies { readonly [W in NotOffered['what']]: string };

function suiteName(id: number | string | null): string {
  return (typeof id === 'number' && suites.get(id)?.name) || hex(id);
}

function groupName(id: number | string | null): string {
  return typeof id === 'number' ? findGroup(id).name : hex(id);
}
