import type { Observation } from '../../../dns/observation.ts';

/** The policy file of MTA-STS, as it was fetched; headers that nobody judges are left out. */
export type PolicyObservation =
  | {
      readonly kind: 'response';
      readonly status: number;
      readonly contentType: string | null;
      readonly location: string | null;
      readonly text: string;
      /** True when the file is longer than what is read of it. */
      readonly isCut: boolean;
      /** When the certificate of the host begins and ends, ISO 8601; absent in evidence of earlier releases. */
      readonly certificate?: { readonly notBefore: string; readonly notAfter: string };
      /** null where the certificate is good, else why it is refused. */
      readonly certificateError: string | null;
    }
  | { readonly kind: 'failure'; readonly code: string; readonly reason: string };

/** A file that a BIMI record names, as it was fetched. */
export type WebFile =
  | {
      readonly kind: 'response';
      /** Where it was found in the end. */
      readonly url: string;
      readonly status: number;
      /** Where it leads, if it was not followed. */
      readonly location: string | null;
      /** Without gzip compression; empty where the file is no text, or longer than what is read of it. */
      readonly text: string;
      /** Of the file without compression; null where it is longer than what is read of it. */
      readonly sizeBytes: number | null;
      readonly form: 'text' | 'gzip' | 'gzip-broken' | 'binary';
      /** null where the server's certificate is good, else why it is refused. */
      readonly certificateError: string | null;
    }
  | { readonly kind: 'failure'; readonly url: string; readonly code: string; readonly reason: string };

/** What the addresses in a BIMI record lead to; null where the record names none. */
export type BimiFiles = {
  /** Unix s; what the certificate's validity is compared with. */
  readonly fetchedAtS: number;
  readonly logo: WebFile | null;
  readonly mark: WebFile | null;
};

export const spfVerdicts = ['none', 'neutral', 'pass', 'fail', 'softfail', 'temperror', 'permerror'] as const;

/** What check_host() of RFC 7208 answers for one message. */
export type SpfEvaluation = {
  readonly ip: string;
  readonly sender: string;
  readonly helo: string;
  readonly result: (typeof spfVerdicts)[number];
  /** What the domain's owner has to say to a failing sender: a stranger's text. */
  readonly explanation?: string;
  readonly comment?: string;
  /** How many lookups the evaluation made before its answer. */
  readonly lookups: number;
};

/** What was seen of a domain's mail. JSON; nothing is judged. */
export type MailEvidence = {
  readonly domain: string;
  readonly selectors: readonly string[];
  /** The name in stored evidence, which is judged again by later versions. */
  readonly sights: readonly Observation[];
  /** null where there was no reason to fetch it. */
  readonly policy: PolicyObservation | null;
  /** Absent where there is no BIMI record that can be read. */
  readonly bimi?: BimiFiles;
  /** For the message the caller asked about. */
  readonly message: SpfEvaluation | null;
  /** For mail from the domain's own mail hosts. */
  readonly mxHosts: readonly (SpfEvaluation & { readonly host: string })[];
};
