import type { Sight } from './sight.ts';

/** The policy file of MTA-STS, as it was fetched; headers that nobody judges are left out. */
export type PolicySight =
  | {
      readonly kind: 'response';
      readonly status: number;
      readonly contentType: string | null;
      readonly location: string | null;
      readonly text: string;
      /** True when the file is longer than what is read of it. */
      readonly isCut: boolean;
      /** null where the certificate is good, else why it is refused. */
      readonly certificateError: string | null;
    }
  | { readonly kind: 'failure'; readonly code: string; readonly reason: string };

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
  readonly sights: readonly Sight[];
  /** null where there was no reason to fetch it. */
  readonly policy: PolicySight | null;
  /** For the message the caller asked about. */
  readonly message: SpfEvaluation | null;
  /** For mail from the domain's own mail hosts. */
  readonly mxHosts: readonly (SpfEvaluation & { readonly host: string })[];
};
