import type { FailureCode } from '#shared/model/failure';

export type HandshakeRequest = {
  readonly host: string;
  readonly port: number;
  /** One of the host's `addresses`; left out, whichever answers first. */
  readonly address?: string;
  /** SNI; null sends none. */
  readonly servername: string | null;
  readonly alpn?: readonly string[];
  readonly minVersion?: 'TLSv1' | 'TLSv1.1' | 'TLSv1.2' | 'TLSv1.3';
  readonly maxVersion?: 'TLSv1' | 'TLSv1.1' | 'TLSv1.2' | 'TLSv1.3';
  /** OpenSSL cipher string, e.g. "ALL:COMPLEMENTOFALL:@SECLEVEL=0". */
  readonly ciphers?: string;
  /** OpenSSL's signature algorithms, e.g. "rsa_pss_rsae_sha256:RSA+SHA256"; of TLS 1.3 they alone say which kind of certificate will do. */
  readonly signatureAlgorithms?: string;
  /** Groups, e.g. "X25519MLKEM768" or "X25519:P-256". */
  readonly ecdhCurve?: string;
  /** SSL_OP_ bits, e.g. 4 for servers without RFC 5746. */
  readonly secureOptions?: number;
  readonly requestOcsp?: boolean;
  /** A session of an earlier handshake, as it was given there: asks the server to resume it. */
  readonly session?: string;
  /** Asks for one renegotiation after the handshake, and waits so long for it. Only up to TLS 1.2. */
  readonly renegotiateForMs?: number;
  /** How long to stay after the handshake for session tickets and late alerts, perhaps by how long it took; 0 leaves at once. */
  readonly lingerMs: number | ((handshakeMs: number) => number);
  /** Called as soon as hands are shaken, with what is known by then; tickets and late alerts may follow. */
  readonly onSecure?: (seen: Extract<Handshake, { kind: 'connected' }>) => void;
};

export type Handshake =
  | {
      readonly kind: 'connected';
      readonly address: string;
      readonly protocol: string;
      readonly cipher: { readonly name: string; readonly standardName: string; readonly version: string };
      /** {type: "ECDH", name: "X25519", size: 253}, {} for TLS_RSA. */
      readonly ephemeralKey: {
        readonly type?: string;
        readonly name?: string | undefined;
        readonly size?: number;
      };
      readonly alpn: string | null;
      /** First error of OpenSSL's path and Node's name check, against the bundled roots and NODE_EXTRA_CA_CERTS; null when trusted. */
      readonly trustError: string | null;
      /** DER, base64, in the order sent. */
      readonly certificates: readonly string[];
      readonly ocspResponse: string | null;
      /** Node's serialised session (holds SSL_SESSION DER), base64; null if no ticket came while lingering. */
      readonly session: string | null;
      /** The session that was asked for was resumed. */
      readonly isResumed: boolean;
      /** What became of the renegotiation; unknown without an answer in time, null where none was asked for. */
      readonly renegotiation: Renegotiation | null;
      /** An alert that came after the handshake, e.g. "certificate_required". */
      readonly lateAlert: string | null;
      readonly ms: number;
    }
  | {
      readonly kind: 'failure';
      readonly code: FailureCode;
      /** Node's or OpenSSL's own code, e.g. "ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION". */
      readonly opensslCode: string | null;
      readonly reason: string;
      readonly address: string | null;
      /** The server had begun to answer, and sent nothing more in the second half of the time. Absent in older evidence. */
      readonly isStalled?: true;
    };

export type Renegotiation = 'accepted' | 'refused' | 'unknown';

export type ExchangeRequest = {
  readonly host: string;
  readonly port: number;
  /** One of the host's `addresses`; left out, whichever answers first. */
  readonly address?: string;
  readonly send: Uint8Array;
  /** Called after each piece with all that came; true ends the exchange. */
  readonly isComplete: (received: Uint8Array) => boolean;
  /** At most 64 KiB. */
  readonly limitBytes: number;
  readonly timeoutMs: number;
};

export type Exchange =
  | {
      readonly kind: 'received';
      readonly bytes: Uint8Array;
      readonly ended: 'complete' | 'closed' | 'reset' | 'timeout' | 'limit';
      readonly address: string;
      readonly ms: number;
    }
  | {
      readonly kind: 'failure';
      readonly code: FailureCode;
      readonly reason: string;
      readonly address: string | null;
    };

/** Opens guarded connections for looking at TLS; every one is closed when its promise settles. Throws only when the run is aborted, or for a defect. */
export interface TlsProbe {
  /** Every address of the host, IPv4 first, all judged; none where the name leads nowhere or to an address that is refused. */
  addresses(host: string): Promise<readonly string[]>;
  /** One handshake by Node's OpenSSL; never refuses a certificate, only reports what it thinks of it. */
  handshake(request: HandshakeRequest): Promise<Handshake>;
  /** Sends bytes as they are and collects the answer. */
  exchange(request: ExchangeRequest): Promise<Exchange>;
  /** Connections opened in this run so far. */
  connections(): number;
}
