import type { FailureCode } from '#shared/model/failure';
import type { ListContent } from '../../certificates/revocation-list.ts';
import type { Handshake, Renegotiation } from '../../probes/tls/port.ts';
import type { CertificateForm } from './grammar/certificate-message.ts';
import type { KeyKind } from './grammar/key-kind.ts';
import type { NotOffered } from './grammar/not-offered.ts';
import type { SuiteSet } from './grammar/suites.ts';
import type { VersionName } from './grammar/tls-names.ts';
import type { TransparencyLog } from './grammar/transparency-logs.ts';

/** What was seen of a TLS server. JSON; nothing in it is judged. */
export type SslEvidence = {
  readonly host: string;
  readonly port: number;
  /** Unix ms at the start: the clock of every judgement. */
  readonly at: number;
  /** Attempts with OpenSSL, in order; the last that connected is what a client gets. */
  readonly handshakes: readonly HandshakeObservation[];
  /** A handshake without SNI; null when it was not tried. */
  readonly withoutName: HandshakeAnswer | null;
  /** What a client is shown that knows only the other kind of key; null when that needed no question of its own. */
  readonly otherKind: OtherKindObservation | null;
  /** Questions by ClientHello, in no particular order. */
  readonly questions: readonly Question[];
  /** Whether a ClientHello that was accepted earlier is still accepted at the end. Asked only when other connections were cut off; null otherwise. */
  readonly stillAnswers: boolean | null;
  /** What becomes of a client that comes back with an older version than both sides speak (RFC 7507); null when no old version is spoken. Absent in older evidence. */
  readonly fallback?: FallbackObservation | null;
  /** What became of the session of today's client when it came back with it; null when no handshake was completed, and at the addresses of the other family. Absent in older evidence. */
  readonly resumption?: ResumptionObservation | null;
  /** What became of a handshake that the client began inside a connection; null when nothing before TLS 1.3 is spoken. Absent in older evidence. */
  readonly renegotiation?: Renegotiation | null;
  readonly groups: GroupsObservation | null;
  /** Groups of TLS 1.2, which are not asked for again in TLS 1.3; null where TLS 1.3 told them all. Absent in older evidence. */
  readonly tls12Groups?: GroupsObservation | null;
  /** In what form certificates come to today's clients; null where no answer showed it. Absent in older evidence. */
  readonly certificateForm?: CertificateFormObservation | null;
  /** By whose order a suite of TLS 1.2 is chosen; null when that was not seen. */
  readonly preference: Preference | null;
  /** The same in TLS 1.3; absent in older evidence. */
  readonly tls13Preference?: Preference | null;
  /** Which accepted suite was preferred to which; absent in older evidence. */
  readonly choices?: readonly Choice[];
  /** Suites that were refused in a version, also where the set that they are in was not asked to its end. Absent in older evidence. */
  readonly refusals?: readonly Refusal[];
  /** What the server answered to ClientHellos of known clients; absent in older evidence. */
  readonly clients?: readonly ClientObservation[];
  /** Everything that the server chose in any answer though the ClientHello did not offer it, each once. Absent in older evidence. */
  readonly notOffered?: readonly (NotOffered & { readonly version: VersionName })[];
  /** A ClientHello that offers h2 and http/1.1 is refused for that; the others were sent without. */
  readonly alpnRefused: boolean;
  /** Distinct chains of ClientHello answers, base64 DER as sent; `chain` of an answer counts into it. */
  readonly chains: readonly (readonly string[])[];
  /** Certificates of the store that bear a name in any chain, base64 DER: what trust is judged by. */
  readonly anchors: readonly string[];
  /** Those of the anchors that only the machine trusts that looked. Absent where there are none, and in older evidence. */
  readonly ownAnchors?: readonly string[];
  /** The transparency logs that have signed a timestamp of any certificate, as far as they are in our list: what timestamps are judged by. Absent in older evidence. */
  readonly logs?: readonly TransparencyLog[];
  readonly hsts: HstsObservation;
  /** What became of a question in QUIC; null where no HTTP/3 is offered or nothing was asked. Absent in older evidence. */
  readonly http3?: Http3Observation | null;
  /** The list of revoked certificates that the leaf points to. */
  readonly revocationList: RevocationListObservation;
  readonly names: NamesObservation;
  /** The address that all of this was seen at. */
  readonly addresses: readonly string[];
  /** What the other addresses of the name answered; null in evidence of versions that looked at one address. */
  readonly endpoints: readonly EndpointObservation[] | null;
  readonly connections: number;
};

/**
 * modern: what a browser would send. small: without the post-quantum share, so that the ClientHello fits one packet.
 * without-alpn: no protocols. legacy: every version, suite and group that OpenSSL still has, at security level 0.
 */
export type Offer = 'modern' | 'small' | 'without-alpn' | 'legacy';
export type HandshakeObservation = { readonly offer: Offer; readonly handshake: HandshakeAnswer };

/** What the probe saw, but for the session: it holds a secret, and all that is wanted of it is how much early data it allows (null: no ticket came). */
export type HandshakeAnswer =
  | (Omit<Extract<Handshake, { readonly kind: 'connected' }>, 'session' | 'isResumed' | 'renegotiation'> & {
      readonly maxEarlyDataBytes: number | null;
    })
  | Extract<Handshake, { readonly kind: 'failure' }>;
export type Connected = Extract<HandshakeAnswer, { readonly kind: 'connected' }>;

/** Whether a server has a certificate of the kind of key that today's clients are not shown. */
export type OtherKindObservation = { readonly kind: KeyKind; readonly answer: OtherKindAnswer };

export type OtherKindAnswer =
  | {
      readonly kind: 'shown';
      readonly handshake: Connected;
      readonly revocationList: RevocationListObservation;
    }
  | { readonly kind: 'refused' }
  | { readonly kind: 'unknown'; readonly reason: string };

/** One suite set in one version, asked until the server refused: each time without what it had chosen before. */
export type Question = {
  readonly version: VersionName;
  readonly set: SuiteSet | 'ssl2';
  readonly accepted: readonly HelloAccepted[];
  readonly end: QuestionEnd;
};

export type HelloAccepted = {
  readonly kind: 'accepted';
  readonly suite: number;
  readonly group: number | null;
  readonly dhBits: number | null;
  /** SHA-256 of the prime, by which well-known ones are recognized; absent in older evidence. */
  readonly dhPrimeSha256?: string | null;
  /** By which the server signed its part of a TLS 1.2 key exchange; null where it signed none. */
  readonly signatureScheme: number | null;
  readonly compression: number;
  readonly secureRenegotiation: boolean;
  readonly extendedMasterSecret: boolean;
  readonly alpn: string | null;
  readonly chain: number | null;
  /** Base64. */
  readonly ocspResponse: string | null;
  /** Base64. */
  readonly timestampList: string | null;
  readonly certificateRequested: boolean;
  /** Up to TLS 1.2: the ServerHello names a session, or promises a ticket; absent in older evidence. */
  readonly givesSessionId?: boolean;
  readonly givesTicket?: boolean;
  /** Length of a Certificate message that is too large to be read; then `chain` is null. */
  readonly oversizeBytes: number | null;
  /** Our deadline ended the answer before it was whole; absent where it was, and in older evidence. */
  readonly isUnfinished?: true;
  /** What the ClientHello did not offer, so that clients end the handshake. Absent where it offered everything, and in older evidence. */
  readonly notOffered?: NotOffered;
};

/** How the last ClientHello of a question went. `refused` is an answer; the others leave the rest unknown. */
export type QuestionEnd =
  | { readonly kind: 'refused'; readonly by: 'alert'; readonly alert: number }
  | { readonly kind: 'refused'; readonly by: 'closed' | 'reset' | 'other-version' }
  /** A ServerHello with a version that does not exist. */
  | { readonly kind: 'refused'; readonly by: 'unknown-version'; readonly version: number }
  /** A first ServerHello with a suite or group that the ClientHello did not offer. Absent in older evidence. */
  | {
      readonly kind: 'refused';
      readonly by: 'not-offered';
      readonly suite: number;
      readonly group: number | null;
      /** Absent in older evidence. */
      readonly notOffered?: NotOffered;
    }
  /** Records of TLS whose content breaks its grammar. Absent in older evidence. */
  | { readonly kind: 'refused'; readonly by: 'malformed'; readonly reason: string }
  /** Nothing was left to ask. */
  | { readonly kind: 'exhausted' }
  | { readonly kind: 'silent' }
  | { readonly kind: 'not-tls'; readonly isHttp: boolean }
  | { readonly kind: 'failure'; readonly code: FailureCode; readonly reason: string }
  /** We stopped: connections or time ran out, or only the first answer was wanted. */
  | { readonly kind: 'stopped'; readonly reason: string };

/** Another address of the name. */
export type EndpointObservation = {
  readonly address: string;
  /** The last that was tried. Where even the first ClientHello had no answer, that failure. */
  readonly handshake: HandshakeAnswer;
  /** After a short look: what it answered when TLS 1.1 and older were asked for. */
  readonly oldVersions?: readonly Question[];
  /** Nothing but the handshake was looked at: there are more than eight other addresses. Absent in older evidence. */
  readonly isBrief?: true;
  /** After a full look: everything else. */
  readonly full?: FullEndpoint;
};

/** What is seen of one address. */
export type FullEndpoint = Pick<
  SslEvidence,
  | 'handshakes'
  | 'withoutName'
  | 'otherKind'
  | 'questions'
  | 'stillAnswers'
  | 'fallback'
  | 'resumption'
  | 'renegotiation'
  | 'groups'
  | 'tls12Groups'
  | 'certificateForm'
  | 'preference'
  | 'tls13Preference'
  | 'choices'
  | 'refusals'
  | 'clients'
  | 'notOffered'
  | 'alpnRefused'
  | 'chains'
  | 'hsts'
  | 'http3'
  | 'revocationList'
>;

/** refused: with the alert that RFC 7507 asks for. */
export type FallbackObservation = 'refused' | 'accepted' | 'unknown';

/** none: the server issued no session. declined: it made a new one instead. */
export type ResumptionObservation = {
  readonly version: string;
  readonly outcome: 'resumed' | 'declined' | 'none' | 'unknown';
};

export type Preference = 'server' | 'client';

/** A suite, and others that were offered beside it and are not known to be refused. */
export type Choice = {
  readonly version: VersionName;
  readonly suite: number;
  readonly over: readonly number[];
};

export type Refusal = { readonly version: VersionName; readonly suites: readonly number[] };

/** One client's own ClientHello, by the `hello` of its profile, and in which version it was accepted. */
export type ClientObservation = {
  readonly hello: string;
  readonly version: VersionName | null;
  readonly answer: HelloAccepted | QuestionEnd;
};

/** Groups of TLS 1.3 that the server named in HelloRetryRequests; the end is that of the question for curves and hybrids. */
export type GroupsObservation = { readonly accepted: readonly number[]; readonly end: QuestionEnd };

export type HstsObservation =
  | {
      readonly kind: 'fields';
      readonly url: string;
      readonly values: readonly string[];
      /** Alt-Svc (RFC 7838) of the same response; absent in older evidence. */
      readonly altSvc?: readonly string[];
    }
  | { readonly kind: 'unknown'; readonly reason: string };

/** As clients of TLS 1.3 are sent certificates that offer to decompress them. */
export type CertificateFormObservation =
  | CertificateForm
  | { readonly kind: 'malformed'; readonly reason: string };

/** Where HTTP/3 is offered. */
export type Http3Place = {
  readonly source: 'Alt-Svc' | 'HTTPS record';
  /** Empty for the host itself. */
  readonly host: string;
  readonly port: number;
};

/** What a datagram of QUIC brought that asks for the versions of a server. */
export type Http3Observation =
  | { readonly kind: 'answered'; readonly versions: readonly number[] }
  | { readonly kind: 'refused' }
  | { readonly kind: 'not-quic' }
  /** `isUdpSeen`: answers over UDP do reach us, from this host or another. */
  | { readonly kind: 'silent'; readonly isUdpSeen: boolean }
  | { readonly kind: 'unknown'; readonly reason: string };

/** A list, read for the leaf of the chain that clients are shown; or why there is none, and where it was looked for. */
export type RevocationListObservation =
  | ({ readonly kind: 'list'; readonly url: string } & ListContent)
  | { readonly kind: 'unknown'; readonly url: string | null; readonly reason: string };

/** An answer of the DNS, or why there is none. `found` is empty when the name has no such record. */
export type RecordsObservation<T> =
  | { readonly kind: 'answer'; readonly isSecure: boolean; readonly found: readonly T[] }
  | { readonly kind: 'unknown'; readonly reason: string };

export type TlsaRecord = {
  readonly usage: number;
  readonly selector: number;
  readonly matchingType: number;
  /** Lower-case hex. */
  readonly certificate: string;
};

export type NamesObservation = {
  /** CAA tags and values of the host, or of the nearest name above it that has any. */
  readonly caa: RecordsObservation<{ readonly tag: string; readonly value: string }>;
  readonly tlsa: RecordsObservation<TlsaRecord>;
  /** Protocols of the HTTPS record's alpn parameter. */
  readonly httpsAlpn: RecordsObservation<string>;
  /** Where HTTPS records offer h3; absent in older evidence. */
  readonly http3?: RecordsObservation<Http3Place>;
  /** One entry for each HTTPS record that carries keys for Encrypted Client Hello; absent in older evidence. */
  readonly httpsEch?: RecordsObservation<true>;
};
