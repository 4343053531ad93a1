/* oxlint-disable max-lines */
// Generated from the OpenAPI document by `npm run docs`. Do not edit.

/** What the report of every tool has. */
export type ReportFields = {
  /** Absent where the operator has switched report ids off. */
  readonly reportId?: string;
  readonly checkedAt: string;
  /** Until then an equal GET is answered from this report. */
  readonly freshUntil: string;
  /** When the stored report is deleted. */
  readonly expiresAt: string;
  readonly durationMs: number;
  /** null when it could not be computed; never 0 for "could not look". */
  readonly score: number | null;
  readonly grade: 'A+' | 'A' | 'B' | 'C' | 'D' | 'F' | null;
  readonly rulesVersion: number;
  readonly summary: {
    readonly critical: number;
    readonly high: number;
    readonly medium: number;
    readonly low: number;
    readonly info: number;
    readonly passed: number;
    readonly notTested: number;
  };
  readonly findings: ReadonlyArray<Finding>;
  /** Codes of the rules that were looked at and hold. */
  readonly passed: ReadonlyArray<string>;
  readonly notTested: ReadonlyArray<NotTested>;
  /** From where it was looked. Absent in reports of earlier versions. */
  readonly vantage?: {
    /** The operator's name of the place (VANTAGE_ID). */
    readonly id: string | null;
    /** What the network of the worker could not do and this report would have needed: the rules that rest on it are not tested, cost nothing and are not the target's fault. Empty as a rule. */
    readonly missing: ReadonlyArray<string>;
    /** Kinds that failed while no control could be asked. */
    readonly untried?: ReadonlyArray<string>;
  };
  /** What was not asked because this run, or all runs together (`limit` is null), had asked that host enough. */
  readonly budgetSpent?: ReadonlyArray<{
    readonly what: string;
    readonly of: string;
    readonly limit: number | null;
  }>;
  /** Lists and texts that were cut to keep the report below 512 KiB: their field, and how many items or characters were kept of how many. Absent where the report is whole. */
  readonly truncated?: ReadonlyArray<{ readonly field: string; readonly kept: number; readonly of: number }>;
};

export type BatchRequest = {
  readonly check:
    | 'dns-check'
    | 'security-header-check'
    | 'pagespeed-check'
    | 'domain-health'
    | 'redirect-check'
    | 'ssl-check'
    | 'smtp-check';
  readonly targets: ReadonlyArray<string>;
  readonly options?: { readonly [field: string]: string | number | boolean | ReadonlyArray<string> };
  readonly maxAge?: number;
  readonly fresh?: boolean;
  readonly label?: string;
};

export type WatchRequest = {
  readonly check:
    | 'dns-check'
    | 'security-header-check'
    | 'pagespeed-check'
    | 'domain-health'
    | 'redirect-check'
    | 'ssl-check'
    | 'smtp-check';
  readonly targets: ReadonlyArray<string>;
  readonly everySeconds: number;
  readonly options?: { readonly [field: string]: string | number | boolean | ReadonlyArray<string> };
  readonly label?: string | null;
  readonly notify?: {
    readonly webhook?: { readonly url: string } | null;
    readonly email?: { readonly to: string } | null;
    readonly minSeverity?: Severity;
    readonly daysBefore?: ReadonlyArray<number>;
  };
};

export type Severity = 'critical' | 'high' | 'medium' | 'low' | 'info';

export type WatchPatch = {
  readonly label?: string | null;
  readonly targets?: ReadonlyArray<string>;
  readonly options?: { readonly [field: string]: string | number | boolean | ReadonlyArray<string> } | null;
  readonly everySeconds?: number;
  readonly paused?: boolean;
  readonly notify?: {
    readonly webhook?: { readonly url?: string } | null;
    readonly email?: { readonly to?: string } | null;
    readonly minSeverity?: Severity | null;
    readonly daysBefore?: ReadonlyArray<number> | null;
  } | null;
};

export type DnsCheckReport = ReportFields & {
  readonly schemaVersion: 1;
  readonly check: 'dns-check';
  readonly state: 'complete' | 'partial' | 'unreachable';
  readonly target: { readonly domain: string };
  /** null when the DNS did not say. */
  readonly exists: boolean | null;
  readonly unicodeDomain: string;
  /** The aliases from the domain on, when it is a CNAME. */
  readonly alias: ReadonlyArray<string>;
  /** By type; a type that was not answered is absent and stands in recordsUnknown. */
  readonly records: { readonly [field: string]: ReadonlyArray<DnsRecord> };
  readonly recordsUnknown: ReadonlyArray<{ readonly type: string; readonly reason: string }>;
  readonly ns: NameServers;
  readonly soa: Soa;
  readonly dnssec: Dnssec;
  readonly caa: Caa;
  readonly dnsScore: number | null;
  /** parked: the domain neither takes nor sends mail, and is judged as such. */
  readonly mailMode: 'mail' | 'parked' | 'unknown';
  readonly spf: Spf;
  readonly dmarc: Dmarc;
  readonly dkim: Dkim;
  readonly mtaSts: MtaSts;
  readonly tlsRpt: TlsRpt;
  readonly bimi: Bimi;
  readonly mx: Mx;
  readonly mailScore: number | null;
  /** How mailScore comes about: the kept points of the parts that count, as a share of their weights. */
  readonly mailScoreParts: ReadonlyArray<MailScorePart>;
  readonly budget?: DnsBudget;
};

export type Finding = {
  /** Stable kebab-case code; all are listed at /api/findings. */
  readonly code: string;
  readonly part?: string;
  readonly severity: Severity;
  readonly title: string;
  readonly detail: string;
  /** Points this finding takes from the score: 0 or below. */
  readonly scoreEffect: number;
  readonly evidence: ReadonlyArray<{ readonly [field: string]: unknown }>;
  readonly fix: {
    readonly text: string;
    readonly record?: { readonly name: string; readonly type: string; readonly value: string };
    /** The zone that holds `record`. */
    readonly zone?: {
      readonly name: string;
      /** Who runs its name servers, where they say so. */
      readonly host?: string;
    };
    readonly snippets?: { readonly [field: string]: string };
    /** Those of `snippets` that were never tried in such a server. */
    readonly notTried?: ReadonlyArray<string>;
  };
  readonly references: ReadonlyArray<{ readonly title: string; readonly url: string }>;
};

export type NotTested = { readonly code: string; readonly reason: string };

export type DnsRecord = {
  /** A string, or an object of the type’s fields. */
  readonly data: unknown;
  /** Seconds; the zone’s own where a name server was asked, else what the resolver has left. */
  readonly ttl: number;
};

export type NameServers = {
  readonly state: 'ok' | 'missing' | 'invalid' | 'unknown' | 'not-applicable';
  /** The zone that holds the domain: itself, or one above it. */
  readonly zone: string | null;
  readonly parentZone: string | null;
  /** As the parent’s servers delegate. */
  readonly parent: ReadonlyArray<string> | null;
  /** As the zone itself says. */
  readonly child: ReadonlyArray<string> | null;
  /** How many servers the parent zone has, and how many of their addresses were asked. */
  readonly parentServers?: { readonly known: number | null; readonly asked: number };
  readonly servers: ReadonlyArray<NameServer>;
  /** Addresses beyond our limit. */
  readonly notAsked: number;
};

export type NameServer = {
  readonly name: string;
  readonly ip: string;
  readonly rttMs: number | null;
  readonly authoritative: boolean | null;
  readonly serial: number | null;
  readonly tcp: boolean | null;
  readonly edns: boolean | null;
  /** True when it resolves foreign names for everybody. */
  readonly recursion: boolean | null;
  /** Why it could not be looked at. */
  readonly reason?: string;
};

export type Soa = {
  readonly state: 'ok' | 'missing' | 'invalid' | 'unknown' | 'not-applicable';
  readonly mname?: string;
  readonly rname?: string;
  /** RNAME as a mail address. */
  readonly mail?: string | null;
  readonly serial?: number;
  readonly refresh?: number;
  readonly retry?: number;
  readonly expire?: number;
  readonly minimum?: number;
  readonly ttl?: number;
};

export type Dnssec = {
  readonly state: 'ok' | 'missing' | 'invalid' | 'unknown' | 'not-applicable';
  readonly status: 'secure' | 'insecure' | 'bogus' | 'indeterminate';
  /** What the status rests on. */
  readonly reason: string;
  readonly ds: ReadonlyArray<{
    readonly keyTag: number;
    readonly algorithm: number;
    readonly digestType: number;
    readonly digest: string;
    readonly matches: boolean | null;
  }>;
  readonly keys: ReadonlyArray<{
    readonly keyTag: number;
    readonly algorithm: number;
    readonly algorithmName: string;
    readonly role: 'key-signing' | 'zone-signing' | 'revoked' | 'other';
    readonly bits: number | null;
  }>;
  readonly signatures: ReadonlyArray<{
    readonly type: string;
    readonly keyTag: number;
    readonly verdict: string;
    readonly inception: string;
    readonly expiration: string;
  }>;
  /** When the first of the signatures seen ends, ISO 8601. */
  readonly signaturesUntil: string | null;
  readonly resolverValidates: boolean | null;
};

export type Caa = {
  readonly state: 'ok' | 'missing' | 'invalid' | 'unknown' | 'not-applicable';
  /** The name whose CAA counts; CAs climb up to it. */
  readonly at: string | null;
  readonly records: ReadonlyArray<{ readonly flags: number; readonly tag: string; readonly value: string }>;
  /** CAs that may issue; null is any. */
  readonly issue: ReadonlyArray<string> | null;
  readonly issuewild: ReadonlyArray<string> | null;
};

export type Spf = {
  /** unknown: the DNS gave no answer (timeout, SERVFAIL); it is never taken for missing. */
  readonly state: 'ok' | 'missing' | 'invalid' | 'unknown' | 'not-applicable';
  readonly record: string | null;
  /** null when it could not be seen. */
  readonly valid: boolean | null;
  /** What happens to all others: "-all", "~all", "?all", "+all", or null. */
  readonly all: string | null;
  /** For a message that no term matches; at most 10 are allowed. Above 10 it is the least there is: what is behind the first ten is not looked at. */
  readonly lookups: number | null;
  readonly voidLookups: number | null;
  /** False where a branch could not be followed to its end, or was not as more than ten lookups are needed. */
  readonly complete: boolean;
  readonly tree: SpfNode | null;
  readonly effectiveFor?: SpfVerdict;
  readonly mxHosts: ReadonlyArray<{
    readonly ip: string;
    readonly sender: string;
    readonly helo: string;
    readonly result: 'none' | 'neutral' | 'pass' | 'fail' | 'softfail' | 'temperror' | 'permerror';
    /** Lookups that the evaluation made before its answer. */
    readonly lookups: number;
    readonly explanation?: string;
    readonly comment?: string;
    readonly host: string;
  }>;
};

export type SpfNode = {
  readonly domain: string;
  /** The term that leads here; null at the root. */
  readonly via: string | null;
  /** unknown: the DNS gave no answer (timeout, SERVFAIL); it is never taken for missing. */
  readonly state: 'ok' | 'missing' | 'invalid' | 'unknown' | 'not-applicable';
  readonly reason?: string;
  readonly record: string | null;
  /** Lookups of this record and of all below it. */
  readonly lookups: number;
  readonly voidLookups: number;
  readonly terms: ReadonlyArray<SpfTerm>;
  readonly faults: ReadonlyArray<RecordFault>;
  readonly children: ReadonlyArray<SpfNode>;
};

export type SpfTerm = {
  readonly term: string;
  readonly position: number;
  /** Lookups of this term and of all it includes. */
  readonly lookups: number;
  /** True when its lookup finds nothing. */
  readonly void?: boolean;
};

export type RecordFault = {
  /** Character of the record where it goes wrong; 1 is the first. */
  readonly position: number;
  /** The word, tag or line that is wrong. */
  readonly term: string;
  readonly problem: string;
};

export type SpfVerdict = {
  readonly ip: string;
  readonly sender: string;
  readonly helo: string;
  readonly result: 'none' | 'neutral' | 'pass' | 'fail' | 'softfail' | 'temperror' | 'permerror';
  /** Lookups that the evaluation made before its answer. */
  readonly lookups: number;
  readonly explanation?: string;
  readonly comment?: string;
};

export type Dmarc = {
  /** unknown: the DNS gave no answer (timeout, SERVFAIL); it is never taken for missing. */
  readonly state: 'ok' | 'missing' | 'invalid' | 'unknown' | 'not-applicable';
  readonly record: string | null;
  readonly valid: boolean | null;
  /** The domain whose record applies. */
  readonly location: string | null;
  readonly orgDomain: string | null;
  readonly policy: 'none' | 'quarantine' | 'reject' | null;
  readonly subdomainPolicy: 'none' | 'quarantine' | 'reject' | null;
  readonly nonExistentPolicy: 'none' | 'quarantine' | 'reject' | null;
  /** For this very name, test mode counted in. */
  readonly effectivePolicy: 'none' | 'quarantine' | 'reject' | null;
  readonly testing: boolean;
  readonly tags: ReadonlyArray<{ readonly tag: string; readonly value: string; readonly position: number }>;
  /** The DNS tree walk (RFC 9989 §4.10), longest name first. */
  readonly queries: ReadonlyArray<{
    readonly name: string;
    readonly found: 'record' | 'none' | 'several' | 'unknown';
  }>;
  readonly rua: ReadonlyArray<ReportUri>;
  readonly ruf: ReadonlyArray<ReportUri>;
  readonly faults: ReadonlyArray<RecordFault>;
};

export type ReportUri = {
  readonly uri: string;
  readonly authorised: boolean | null;
  readonly problem?: string;
};

export type Dkim = {
  /** unknown: the DNS gave no answer (timeout, SERVFAIL); it is never taken for missing. */
  readonly state: 'ok' | 'missing' | 'invalid' | 'unknown' | 'not-applicable';
  /** Whether any selector can exist at all (RFC 8020); null when unknown. */
  readonly subtreeExists: boolean | null;
  readonly selectors: ReadonlyArray<DkimSelector>;
};

export type DkimSelector = {
  readonly selector: string;
  readonly source: 'caller' | 'provider' | 'common';
  /** unknown: the DNS gave no answer (timeout, SERVFAIL); it is never taken for missing. */
  readonly state: 'ok' | 'missing' | 'invalid' | 'unknown' | 'not-applicable';
  readonly alias: string | null;
  readonly record: string | null;
  readonly keyType: string | null;
  readonly bits: number | null;
  readonly revoked: boolean;
  readonly testing: boolean;
};

export type MtaSts = {
  /** unknown: the DNS gave no answer (timeout, SERVFAIL); it is never taken for missing. */
  readonly state: 'ok' | 'missing' | 'invalid' | 'unknown' | 'not-applicable';
  readonly record: string | null;
  readonly id: string | null;
  readonly policy: {
    readonly mode: string;
    readonly mx: ReadonlyArray<string>;
    readonly maxAge: number;
  } | null;
  readonly policyUrl: string;
  /** Of the host of the policy; absent where it was not seen. */
  readonly certificate?: { readonly notBefore: string; readonly notAfter: string };
  /** Whether the policy allows every mail host. */
  readonly mxMatch: boolean | null;
};

export type TlsRpt = {
  /** unknown: the DNS gave no answer (timeout, SERVFAIL); it is never taken for missing. */
  readonly state: 'ok' | 'missing' | 'invalid' | 'unknown' | 'not-applicable';
  readonly record: string | null;
  readonly rua: ReadonlyArray<string>;
};

export type Bimi = {
  /** unknown: the DNS gave no answer (timeout, SERVFAIL); it is never taken for missing. */
  readonly state: 'ok' | 'missing' | 'invalid' | 'unknown' | 'not-applicable';
  readonly record: string | null;
  readonly logo: string | null;
  /** Address of the mark certificate. */
  readonly authority: string | null;
  /** null where it could not be fetched. */
  readonly logoFile?: BimiLogo | null;
  /** null where none could be read. */
  readonly certificate?: MarkCertificate | null;
};

export type BimiLogo = {
  /** Where it was found, after redirects. */
  readonly url: string;
  /** Without compression; null above what is read. */
  readonly sizeBytes: number | null;
  readonly compressed: boolean;
  readonly title: string | null;
  readonly width: number | null;
  readonly height: number | null;
};

export type MarkCertificate = {
  readonly url: string;
  /** null where the certificate does not say. */
  readonly kind: 'VMC' | 'CMC' | null;
  readonly subject: string;
  readonly issuer: string;
  readonly names: string;
  readonly validFrom: string;
  readonly validUntil: string;
  /** Not judged: which mark authorities are recognised is a list that each mail program keeps. */
  readonly trusted: null;
};

export type Mx = {
  /** unknown: the DNS gave no answer (timeout, SERVFAIL); it is never taken for missing. */
  readonly state: 'ok' | 'missing' | 'invalid' | 'unknown' | 'not-applicable';
  readonly nullMx: boolean;
  /** No MX record: the domain itself is the mail host. */
  readonly implicit: boolean;
  readonly hosts: ReadonlyArray<MailHost>;
};

export type MailHost = {
  readonly host: string;
  readonly preference: number;
  readonly addresses: ReadonlyArray<string>;
  readonly ptr: ReadonlyArray<{
    readonly address: string;
    readonly names: ReadonlyArray<string>;
    readonly confirmed: boolean | null;
  }>;
  readonly tlsa: {
    /** unknown: the DNS gave no answer (timeout, SERVFAIL); it is never taken for missing. */
    readonly state: 'ok' | 'missing' | 'invalid' | 'unknown' | 'not-applicable';
    readonly secure: boolean | null;
    readonly records: ReadonlyArray<{
      readonly usage: number;
      readonly selector: number;
      readonly matchingType: number;
      readonly certificate: string;
      readonly usable: boolean;
    }>;
  };
};

export type MailScorePart = {
  readonly part: string;
  readonly weight: number;
  /** unknown: the DNS gave no answer (timeout, SERVFAIL); it is never taken for missing. */
  readonly state: 'ok' | 'missing' | 'invalid' | 'unknown' | 'not-applicable';
  /** 0 to weight; null when the part does not count. */
  readonly score: number | null;
  readonly lost: ReadonlyArray<{ readonly code: string; readonly points: number }>;
};

export type DnsBudget = {
  /** True when a limit held questions back. */
  readonly exhausted: boolean;
  /** Limits that were reached. What depends on their questions is not tested. */
  readonly limits: ReadonlyArray<{
    readonly limit: 'perDomain' | 'addresses' | 'perAddress';
    /** The domain or address; empty for a limit of the whole run. */
    readonly of: string;
    readonly allowed: number;
    readonly notAsked: number;
  }>;
  /** Names in records that are not public, and the record that names each. */
  readonly namesNotAsked: ReadonlyArray<{
    readonly name: string;
    readonly why: string;
    readonly record: string | null;
  }>;
};

/** Our own run could not end; ask again after freshUntil. */
export type FailedReport = ReportFields & {
  readonly schemaVersion: 1;
  readonly check: string;
  readonly state: 'failed';
  readonly target: { readonly domain?: string; readonly url?: string };
};

export type Job = {
  readonly id: string;
  readonly state: 'waiting' | 'running' | 'done' | 'failed' | 'expired';
  readonly position?: number;
  readonly progress: Progress;
  readonly detail?: string;
  readonly links: { readonly self: string; readonly original?: string };
};

export type Progress = {
  readonly done: number;
  /** `done ÷ total` never falls. */
  readonly total: number;
  readonly current: string;
  /** The parts of a run that is made of several, such as the five of domain-health. */
  readonly parts?: ReadonlyArray<PartProgress>;
  /** The whole by the parts that are judged, and the share of it that they are; absent below half of what was asked for. It is no report, and may still change. */
  readonly soFar?: {
    readonly score: number;
    readonly grade: 'A+' | 'A' | 'B' | 'C' | 'D' | 'F';
    readonly coverage: number;
  };
};

/** Once it is judged, with its grade and what to fix first. */
export type PartProgress = {
  readonly name: string;
  readonly state: 'waiting' | 'running' | 'done' | 'failed';
  readonly grade?: 'A+' | 'A' | 'B' | 'C' | 'D' | 'F' | null;
  readonly score?: number | null;
  /** Its own report, which you may read from now on. */
  readonly reportId?: string;
  /** Its worst finding, as its report has it; absent where there is none above info. */
  readonly worst?: {
    readonly code: string;
    readonly severity: Severity;
    readonly title: string;
    readonly fix: {
      readonly text: string;
      readonly record?: { readonly name: string; readonly type: string; readonly value: string };
      /** The zone that holds `record`. */
      readonly zone?: {
        readonly name: string;
        /** Who runs its name servers, where they say so. */
        readonly host?: string;
      };
      readonly snippets?: { readonly [field: string]: string };
      /** Those of `snippets` that were never tried in such a server. */
      readonly notTried?: ReadonlyArray<string>;
    };
  };
};

/** RFC 9457 problem document. */
export type Problem = {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code:
    | 'invalid_request'
    | 'token_required'
    | 'unknown_format'
    | 'invalid_token'
    | 'insufficient_scope'
    | 'cross_site_request'
    | 'not_found'
    | 'report_not_found'
    | 'tool_disabled'
    | 'report_ids_disabled'
    | 'job_not_found'
    | 'batch_not_found'
    | 'watch_not_found'
    | 'delivery_not_found'
    | 'method_not_allowed'
    | 'not_acceptable'
    | 'idempotency_in_progress'
    | 'body_too_large'
    | 'unsupported_media_type'
    | 'idempotency_key_reused'
    | 'watch_too_frequent'
    | 'target_not_allowed'
    | 'rate_limited'
    | 'quota_exceeded'
    | 'internal_error'
    | 'overloaded'
    | 'store_unavailable'
    | 'queue_unavailable'
    | 'shutting_down'
    | 'browser_unavailable'
    | 'not_cached';
  readonly requestId: string;
  readonly errors?: ReadonlyArray<{
    readonly in: 'path' | 'query' | 'header' | 'body';
    readonly name: string;
    readonly detail: string;
  }>;
  /** Of a 429: which limit was met. */
  readonly policy?: string;
  /** Of quota_exceeded: how many there may be. */
  readonly limit?: number;
  /** Of quota_exceeded: how many there are. */
  readonly used?: number;
  readonly retryAfterSeconds?: number;
};

export type SecurityHeaderCheckReport = ReportFields & {
  readonly schemaVersion: 1;
  readonly check: 'security-header-check';
  readonly state: 'complete' | 'partial' | 'unreachable';
  readonly target: { readonly url: string };
  /** The answer that was judged. */
  readonly judgedUrl: string | null;
  /** Who answered instead of the site; null where the page itself was seen. */
  readonly answeredBy?: {
    readonly sign: string;
    readonly vendor: string | null;
    readonly kind: string;
    readonly certainty: 'certain' | 'likely';
    readonly reason: string;
  } | null;
  readonly hops: ReadonlyArray<HeaderHop>;
  readonly effective: EffectiveHeaders;
  /** What each protection is worth and has lost; state: ok, lost, not-applicable or not-tested. */
  readonly groups: {
    readonly [field: string]: {
      readonly points: number;
      readonly lost: number;
      /** The finding that took what is lost, the worst of its group. The others of the group have a scoreEffect of 0, so that one fault is not counted twice; they take effect once this one is fixed. */
      readonly by?: string;
      readonly state: string;
    };
  };
  readonly csp: {
    readonly policies: ReadonlyArray<ContentSecurityPolicy>;
    readonly evaluator: ReadonlyArray<CspEvaluatorFinding>;
  };
  readonly cookies: ReadonlyArray<HeaderCookie>;
  /** Origins of other sites that the page’s HTML names, the first 100; what its scripts and styles load is not seen. null where no HTML page was seen. */
  readonly thirdParties?: {
    readonly origins: ReadonlyArray<ThirdParty>;
    readonly count: number;
    readonly whole: boolean;
  } | null;
  readonly securityTxt?: SecurityTxt;
  readonly robots?: RobotsTxt;
  readonly observatory: Observatory;
};

export type HeaderHop = {
  readonly url: string;
  readonly status: number;
  /** As sent: order, case and repetitions; each byte one character. Very long ones are cut; of the value of a cookie only its length is shown: "sid=[32 octets]; Path=/". */
  readonly headers: ReadonlyArray<readonly [string, string]>;
  /** By what the page itself sent the visitor on; left out where the status did. */
  readonly via?: 'refresh-header' | 'meta-refresh';
  /** Which way it was met on: from the https or the http address. */
  readonly chain: 'https' | 'http';
};

/** What a browser would really enforce; null where it could not be seen or does not apply. */
export type EffectiveHeaders = {
  readonly hsts: EffectiveHsts | null;
  readonly framing: EffectiveFraming | null;
  readonly script: EffectiveScript | null;
  readonly sniffing: { readonly nosniff: boolean } | null;
  readonly referrer: { readonly policy: string; readonly by: 'header' | 'meta' | 'default' } | null;
  readonly isolation: {
    readonly opener: string;
    readonly embedder: string;
    readonly resource: string | null;
    readonly crossOriginIsolated: boolean;
  } | null;
  readonly cors: {
    readonly access: 'none' | 'public' | 'listed' | 'any-origin' | 'any-origin-with-credentials' | 'unknown';
    readonly nullOrigin: boolean;
  } | null;
};

export type EffectiveHsts = {
  readonly applied: boolean;
  readonly seconds: number | null;
  readonly includeSubDomains: boolean;
  readonly preload: 'listed' | 'not-listed' | 'unknown';
  /** null when preloading is not asked for. */
  readonly preloadEligible: boolean | null;
  readonly why?: string;
};

export type EffectiveFraming = {
  /** Who may frame the page. */
  readonly allowed: 'none' | 'same-origin' | 'listed' | 'all';
  readonly by: 'frame-ancestors' | 'x-frame-options' | 'nothing';
  readonly sources: ReadonlyArray<string>;
};

export type EffectiveScript = {
  /** none: no policy · open: a policy that an injected script gets past · hosts: only listed hosts · strict: only by nonce, hash or not at all. */
  readonly level: 'none' | 'report-only' | 'open' | 'hosts' | 'strict';
  readonly inline: boolean;
  readonly eval: boolean;
  readonly anyHost: boolean;
  readonly policies: number;
};

export type ContentSecurityPolicy = {
  readonly from: 'header' | 'meta';
  readonly disposition: 'enforce' | 'report' | 'ignored';
  readonly url: string;
  readonly text: string;
  readonly directives: ReadonlyArray<{ readonly name: string; readonly values: ReadonlyArray<string> }>;
};

/** As google/csp-evaluator finds it, without repetitions. */
export type CspEvaluatorFinding = {
  /** Index in csp.policies. */
  readonly policy: number;
  readonly type: string;
  readonly severity: string;
  readonly directive: string;
  readonly value?: string;
  readonly description: string;
};

export type HeaderCookie = {
  readonly name: string;
  readonly url: string;
  readonly domain: string;
  readonly path: string;
  readonly secure: boolean;
  readonly httpOnly: boolean;
  readonly sameSite: 'Strict' | 'Lax' | 'None' | null;
  /** Whether a browser would keep it. */
  readonly stored: boolean;
  /** Why not. */
  readonly reason?: string;
  /** Length of the value, which is not shown; null where the line is ignored whole. */
  readonly valueOctets: number | null;
  readonly session: boolean;
  /** What the cookie is for, where its maker says so. */
  readonly known?: { readonly kind: string; readonly owner: string; readonly source: string };
};

export type ThirdParty = {
  readonly origin: string;
  /** Its registrable domain. */
  readonly site: string;
  /** How often it is named as script, style, frame, image, media, font or form target. */
  readonly kinds: { readonly [field: string]: number };
  /** Which of its scripts and styles have an integrity attribute; null where it gives neither. */
  readonly integrity: 'all' | 'some' | 'none' | null;
};

/** security.txt of the host that was named (RFC 9116). */
export type SecurityTxt = {
  readonly state: 'found' | 'absent' | 'not-tested';
  /** Where the redirects led. */
  readonly url: string;
  /** Why it was not found, as a clause. */
  readonly reason?: string;
  readonly status?: number;
  readonly contentType?: string;
  /** Decoded; at least so much where `whole` is false. */
  readonly sizeBytes?: number;
  readonly whole?: boolean;
  /** An OpenPGP cleartext signature stands around the text. It is not verified. */
  readonly signed?: boolean;
  readonly contacts?: ReadonlyArray<string>;
  readonly expires?: string | null;
  readonly canonical?: ReadonlyArray<string>;
  readonly languages?: string | null;
  readonly policy?: ReadonlyArray<string>;
  readonly encryption?: ReadonlyArray<string>;
};

/** robots.txt of the host that was named (RFC 9309). */
export type RobotsTxt = {
  readonly state: 'found' | 'absent' | 'not-tested';
  /** Where the redirects led. */
  readonly url: string;
  /** Why it was not found, as a clause. */
  readonly reason?: string;
  readonly status?: number;
  readonly contentType?: string;
  /** Decoded; at least so much where `whole` is false. */
  readonly sizeBytes?: number;
  readonly whole?: boolean;
  readonly parseable?: boolean;
  readonly groups?: number;
  readonly rules?: number;
  readonly disallowsAll?: boolean;
  /** The first 20. */
  readonly sitemaps?: ReadonlyArray<string>;
  readonly sitemapCount?: number;
};

/** What the MDN HTTP Observatory would say, its quirks included. */
export type Observatory = {
  readonly algorithm: 6;
  readonly score: number | null;
  readonly grade: string | null;
  readonly preload: 'listed' | 'not-listed' | 'unknown';
  /** Why the Observatory would give no grade. */
  readonly error?: string;
  readonly tests: { readonly [field: string]: ObservatoryTest };
};

export type ObservatoryTest = {
  readonly pass: boolean;
  readonly result: string;
  readonly score: number;
  /** Where our own findings say otherwise. */
  readonly disputed?: {
    readonly ours: 'good' | 'bad' | 'not-applicable';
    readonly findings: ReadonlyArray<string>;
  };
};

export type PagespeedCheckReport = ReportFields & {
  readonly schemaVersion: 1;
  readonly check: 'pagespeed-check';
  readonly state: 'complete' | 'partial' | 'unreachable';
  readonly target: { readonly url: string };
  readonly finalUrl: string | null;
  readonly strategy: 'mobile' | 'desktop';
  /** The categories that were asked for. The report’s score and grade are those of performance. Absent in reports of an older release. */
  readonly categories?: {
    readonly [field: string]: {
      /** Lighthouse’s score of the category; null where it was not measured. That of seo is made anew, with the verdict of our own reader on robots.txt. */
      readonly score: number | null;
      /** Of seo: the score that Lighthouse gave, whose robots.txt audit knows four fields alone. */
      readonly lighthouseScore?: number | null;
      /** What judging the category took beside the load, which all share. Absent for performance. */
      readonly tookMs?: number;
      /** Audits of the category that count for its score, and the rules that judge the same elsewhere: there is one verdict on each fact. */
      readonly judgedBy?: ReadonlyArray<{
        readonly audit: string;
        readonly check: string;
        readonly codes: ReadonlyArray<string>;
      }>;
    };
  };
  /** "measured", or the code of the finding that says why not. */
  readonly ended: string;
  readonly rating: 'good' | 'needs-improvement' | 'poor' | null;
  readonly coreWebVitals: {
    readonly assessment: 'passed' | 'failed' | 'unavailable';
    readonly basis: 'field' | 'none';
    readonly reason?: string;
    readonly lab: {
      readonly lcp: 'good' | 'needs-improvement' | 'poor' | null;
      readonly cls: 'good' | 'needs-improvement' | 'poor' | null;
      readonly tbt: 'good' | 'needs-improvement' | 'poor' | null;
      readonly note: string;
    };
  };
  readonly metrics: {
    readonly lcp: SpeedMetric;
    readonly cls: SpeedMetric;
    readonly tbt: SpeedMetric;
    readonly fcp: SpeedMetric;
    readonly si: SpeedMetric;
    readonly ttfb: SpeedMetric;
  } | null;
  readonly field: {
    readonly provider: 'crux' | 'psi';
    readonly scope: 'url' | 'origin';
    readonly formFactor: string;
    /** The days of the visits, both included; null where the provider does not tell them. */
    readonly period?: {
      /** Such as "2026-10-01". */
      readonly from: string;
      /** Such as "2026-10-01". */
      readonly to: string;
    } | null;
    readonly metrics: { readonly [field: string]: FieldMetric };
    /** Earlier periods; null where they could not be had. */
    readonly history?: {
      /** Oldest first, a week apart; each has 28 days. */
      readonly periods: ReadonlyArray<{
        /** Such as "2026-10-01". */
        readonly from: string;
        /** Such as "2026-10-01". */
        readonly to: string;
      }>;
      /** Of each metric a value for each period, ms (CLS has no unit); null where too few visits were counted. */
      readonly p75: { readonly [field: string]: ReadonlyArray<number | null> };
    } | null;
    /** The record of the page’s whole origin beside its own; null where there is none, or `scope` is "origin". */
    readonly origin?: FieldRecord | null;
  } | null;
  readonly lcp: {
    readonly element: { readonly selector: string; readonly snippet: string } | null;
    /** As seen here, without throttling; they do not add up to the metric. */
    readonly observedPhasesMs: { readonly [field: string]: number };
  } | null;
  readonly layoutShifts: ReadonlyArray<{ readonly [field: string]: unknown }>;
  readonly opportunities: ReadonlyArray<SpeedAudit>;
  readonly diagnostics: ReadonlyArray<SpeedAudit>;
  readonly resources: {
    readonly total: { readonly requests: number; readonly bytes: number };
    readonly byType: { readonly [field: string]: { readonly requests: number; readonly bytes: number } };
  } | null;
  readonly blockedRequests: ReadonlyArray<{
    readonly host: string;
    readonly port: number;
    readonly code: string;
    readonly reason: string;
  }>;
  readonly runs: {
    readonly count: number;
    readonly chosen: 'single' | 'median' | 'none';
    readonly scores: ReadonlyArray<number | null>;
    /** Points between the best and the worst run. */
    readonly spread: number | null;
  };
  readonly environment: {
    /** psi: PageSpeed Insights loaded the page, in Google’s browser and on its line. */
    readonly provider: 'local' | 'psi';
    readonly lighthouse: string | null;
    readonly browser: string | null;
    readonly sandbox: boolean | null;
    readonly benchmarkIndex: number | null;
    readonly throttling: { readonly [field: string]: unknown };
    readonly confidence: 'normal' | 'low' | null;
    readonly peakMemoryBytes: number | null;
    readonly receivedBytes: number | null;
    readonly sentBytes: number | null;
    /** Sites that the page asked for more than one load may ask of them; nothing more went there. */
    readonly overspent: ReadonlyArray<{
      readonly site: string;
      readonly what: string;
      readonly limit: number;
    }>;
  } | null;
  readonly warnings: ReadonlyArray<string>;
  readonly screenshot: {
    /** Pixels. */
    readonly width: number;
    readonly height: number;
    readonly type: 'image/jpeg' | 'image/png' | 'image/webp';
    readonly sizeBytes: number;
    /** Where it can be read; absent where reports have no ids. */
    readonly href?: string;
  } | null;
  /** When a picture of the page was taken while it loaded, and its size in pixels. Absent in reports of an older release. */
  readonly filmstrip?: ReadonlyArray<{
    readonly atMs: number;
    readonly width: number;
    readonly height: number;
  }>;
  /** What the page asked for; null where it was not seen. No credentials, request bodies or response texts. */
  readonly requests?: {
    /** Includes data: and blob: URLs, which cause no request. */
    readonly total: number;
    /** Without them. What a budget of requests counts. */
    readonly overNetwork?: number;
    /** Transferred by all of them. */
    readonly bytes?: number;
    readonly thirdPartyBytes?: number;
    /** Those that began first, at most 500. Absent in reports of an older release. */
    readonly entries?: ReadonlyArray<SpeedRequest>;
  } | null;
  readonly cookies?: {
    readonly total: number;
    readonly entries: ReadonlyArray<{ readonly name: string; readonly setBy: 'script' | 'response' }>;
  } | null;
  /** What kept the main thread busy, in ms on the device of `environment`; null where it was not seen. Absent in reports of an older release. */
  readonly mainThread?: {
    readonly totalMs: number;
    /** Lighthouse’s groups, such as "scriptEvaluation" and "styleLayout". */
    readonly byKind: { readonly [field: string]: number };
    /** Those that took 50 ms or more, the longest first, at most 20; with the document’s own part. */
    readonly scripts: ReadonlyArray<{
      /** Null for what belongs to no script, such as the browser’s own work. */
      readonly url: string | null;
      readonly owner: string | null;
      readonly isThirdParty: boolean;
      /** With what it made the browser do beside running it. */
      readonly totalMs: number;
      readonly scriptingMs: number;
      readonly parseMs: number;
    }>;
    /** The scripts by who is behind them, or by their host if the owner is unknown. */
    readonly owners: ReadonlyArray<{
      readonly owner: string;
      readonly isThirdParty: boolean;
      readonly totalMs: number;
    }>;
    /** Above 50 ms each, the longest first, at most 20. */
    readonly longTasks: ReadonlyArray<{
      /** Null for what belongs to no script, such as the browser’s own work. */
      readonly url: string | null;
      readonly owner: string | null;
      readonly isThirdParty: boolean;
      readonly startMs: number;
      readonly durationMs: number;
    }>;
  } | null;
  /** The budget that was asked for, and whether the load kept it. Absent without one. */
  readonly budget?: {
    /** False as soon as one metric is above its limit; null where a missing value leaves it open. */
    readonly kept: boolean | null;
    readonly entries: ReadonlyArray<{
      readonly metric:
        | 'lcp'
        | 'fcp'
        | 'si'
        | 'tbt'
        | 'ttfb'
        | 'cls'
        | 'bytes'
        | 'requests'
        | 'thirdPartyBytes';
      readonly limit: number;
      readonly value: number | null;
      readonly kept: boolean | null;
    }>;
  };
  /** The page that itself sent the browser on as it loaded, by script or by a refresh, and the page that was measured; null where the browser stayed on the first page. Absent where that was not seen. */
  readonly sentOn?: { readonly from: string; readonly to: string } | null;
};

export type SpeedMetric = {
  /** ms; CLS has no unit. Simulated for the line and the device of `environment`. */
  readonly value: number | null;
  readonly unit: 'ms' | '';
  readonly display: string | null;
  /** 0 to 1, by Lighthouse’s curve for the strategy. */
  readonly score: number | null;
  /** Per cent of the score. */
  readonly weight: number;
  readonly rating: 'good' | 'needs-improvement' | 'poor' | null;
  readonly thresholds: { readonly good: number; readonly poor: number };
  /** As seen here, without throttling. */
  readonly observed: number | null;
};

export type FieldMetric = {
  readonly p75: number;
  readonly rating: 'good' | 'needs-improvement' | 'poor';
  /** Shares of good, needs-improvement, poor. */
  readonly distribution: ReadonlyArray<number>;
};

export type FieldRecord = {
  /** The days of the visits, both included; null where the provider does not tell them. */
  readonly period?: {
    /** Such as "2026-10-01". */
    readonly from: string;
    /** Such as "2026-10-01". */
    readonly to: string;
  } | null;
  readonly metrics: { readonly [field: string]: FieldMetric };
  /** Earlier periods; null where they could not be had. */
  readonly history?: {
    /** Oldest first, a week apart; each has 28 days. */
    readonly periods: ReadonlyArray<{
      /** Such as "2026-10-01". */
      readonly from: string;
      /** Such as "2026-10-01". */
      readonly to: string;
    }>;
    /** Of each metric a value for each period, ms (CLS has no unit); null where too few visits were counted. */
    readonly p75: { readonly [field: string]: ReadonlyArray<number | null> };
  } | null;
};

export type SpeedAudit = {
  /** Lighthouse’s id of the audit. */
  readonly id: string;
  readonly title: string;
  readonly score: number | null;
  readonly display: string | null;
  readonly savings: {
    readonly lcpMs?: number;
    readonly tbtMs?: number;
    readonly fcpMs?: number;
    readonly inpMs?: number;
    readonly cls?: number;
    readonly bytes?: number;
  };
  readonly items: ReadonlyArray<{ readonly [field: string]: unknown }>;
  readonly itemCount: number;
};

export type SpeedRequest = {
  /** Without user information and fragment; of other sites than the target’s with the names of its query alone; of data: and blob: the kind and the length. */
  readonly url: string;
  readonly method: string;
  /** DevTools’ name of the kind, such as "Script". */
  readonly type: string;
  /** 0 where no answer came. */
  readonly status: number;
  /** Such as "h2" or "http/1.1". */
  readonly protocol: string | null;
  readonly mimeType: string | null;
  /** Transferred. */
  readonly bytes: number;
  /** After decoding. */
  readonly decodedBytes: number;
  /** Since the first request, without throttling. */
  readonly startMs: number;
  readonly endMs: number;
  /** The browser’s: "VeryHigh" to "VeryLow". */
  readonly priority: string | null;
  /** Who is behind the host, where third-party-web knows it, such as "Google Analytics". */
  readonly owner: string | null;
  /** Its host is of another registrable domain than the page. */
  readonly isThirdParty: boolean;
  readonly initiator: {
    /** Such as "parser", "script" or "other". */
    readonly type: string;
    readonly url: string | null;
  };
  readonly redirectsTo?: string | null;
  readonly fromCache: boolean;
  /** Chromium’s word, such as "net::ERR_FAILED". */
  readonly failure: string | null;
  /** Phases in ms, as seen here; null where the browser did not tell them. */
  readonly timings: {
    readonly blocked: number;
    readonly dns: number | null;
    /** With `ssl`. */
    readonly connect: number | null;
    readonly ssl: number | null;
    readonly send: number;
    readonly wait: number;
    readonly receive: number;
  } | null;
};

export type DomainHealthReport = ReportFields & {
  readonly schemaVersion: 1;
  readonly check: 'domain-health';
  readonly state: 'complete' | 'partial' | 'unreachable';
  readonly target: { readonly domain: string };
  readonly categories: {
    readonly dns: HealthCategory;
    readonly ssl: HealthCategory;
    readonly headers: HealthCategory;
    readonly performance: HealthCategory;
    readonly mail: HealthCategory;
  };
  /** The share of the applicable weights that has a score; parts that were left out count as applicable. Below 1 there is no grade above A. Where less than half of what was asked for has a score, the domain has none. */
  readonly coverage: number;
  readonly recheck?: Recheck;
  readonly recheckedAt?: RecheckedAt;
  /** The letter of `score`, before `caps` limit it to `grade`. */
  readonly gradeBeforeCaps: 'A+' | 'A' | 'B' | 'C' | 'D' | 'F' | null;
  /** Everything that limits the grade, the strictest first, also limits above the grade. */
  readonly caps: ReadonlyArray<GradeCap>;
  readonly entryPoints: ReadonlyArray<EntryPoint>;
  readonly addressFamilies?: AddressFamilies;
  readonly worstFindings: ReadonlyArray<WorstFinding>;
  /** The findings of the parts as they stand in their own reports, the dearest first. `findings` are those of this report alone, and `summary` counts only those. Absent in reports of earlier releases. */
  readonly partFindings?: ReadonlyArray<PartFinding>;
  /** What would raise the grade and the score most: first what caps the grade, then by points. Each figure is of that fix alone. */
  readonly raise?: ReadonlyArray<Raise>;
  readonly raisedTo?: RaisedTo;
  /** How many faults more there are than were judged again for `raise`; absent where none. */
  readonly raiseLeftOut?: number;
  /** What the registry of the domain tells, asked by RDAP. Absent in reports of earlier releases. */
  readonly registration?: Registration;
  /** Everything that was seen to end at some time, the earliest first. Absent in reports of earlier releases. */
  readonly expiries?: ReadonlyArray<Expiry>;
  readonly trend?: HealthTrend;
};

export type HealthCategory = {
  /** unavailable: it could not be checked · not-applicable: there is nothing to check, as on a domain without a web server · left-out: `parts` does not name it. */
  readonly state: 'ok' | 'partial' | 'unavailable' | 'not-applicable' | 'left-out';
  readonly score: number | null;
  readonly grade: 'A+' | 'A' | 'B' | 'C' | 'D' | 'F' | null;
  readonly weight: number;
  /** Counts of this category’s rules; null where there is no report. */
  readonly summary: {
    readonly critical: number;
    readonly high: number;
    readonly medium: number;
    readonly low: number;
    readonly info: number;
    readonly passed: number;
    readonly notTested: number;
  } | null;
  /** Why it is not ok, or what its score is based on. */
  readonly reason?: string;
  /** Codes of its findings. */
  readonly codes: ReadonlyArray<string>;
  /** Codes of rules that were not tested, beside a score. */
  readonly notTested?: ReadonlyArray<string>;
  readonly report: HealthSource;
  readonly mailHosts?: HealthMailHosts;
};

export type HealthSource = {
  readonly check: string;
  readonly target: string;
  /** Path of the tool that gives the whole report. */
  readonly href: string;
  readonly reportId?: string;
  /** Absent where there is no report. */
  readonly checkedAt?: string;
  readonly rulesVersion?: number;
};

/** Of mail alone: what smtp-check adds to it. What it takes, the score of the category loses. */
export type HealthMailHosts = {
  /** Why they say nothing for the score. */
  readonly reason?: string;
  /** Absent where they were not talked to. */
  readonly report?: HealthSource;
};

/** Of a report that was judged again because one check was made again: which, for what finding, and what became of it. All other parts are as old as they were. */
export type Recheck = {
  readonly check: string;
  readonly target: string;
  readonly code: string;
  readonly state: 'found' | 'fixed' | 'not-tested' | 'not-applicable' | 'not-judged';
  /** Why it was not tested. */
  readonly reason?: string;
};

/** Which check was made again, and when. */
export type RecheckedAt = { readonly check: string; readonly at: string };

export type GradeCap = {
  /** The finding that limits the grade. */
  readonly code: string;
  readonly limit: 'A+' | 'A' | 'B' | 'C' | 'D' | 'F';
  readonly category: 'dns' | 'ssl' | 'headers' | 'performance' | 'mail' | null;
  readonly reason: string;
};

export type EntryPoint = {
  readonly url: string;
  readonly finalUrl: string | null;
  readonly finalStatus: number | null;
  readonly redirects: number | null;
  readonly ended:
    | 'ok'
    | 'loop'
    | 'too-many'
    | 'refused'
    | 'invalid-location'
    | 'unreachable'
    | 'cookie-required'
    | null;
  /** Where a browser ended, as the page at finalUrl itself sent it on, by script or by a refresh. Absent where it stayed there, and where no browser was seen at that page. */
  readonly sentOnTo?: string;
  /** Whether the visitor ends at https; null when unknown. */
  readonly https: boolean | null;
  /** ok: it ends at a page · invalid: it ends elsewhere, at an error, or behind a certificate that browsers refuse · missing: no server answers there. */
  readonly state: 'ok' | 'invalid' | 'missing' | 'unknown';
  /** Why it is not ok. */
  readonly reason?: string;
  readonly report: HealthSource;
};

/** Whether the web host can be reached over HTTPS by each family of addresses. */
export type AddressFamilies = ReadonlyArray<{
  readonly family: 'IPv4' | 'IPv6';
  /** partly: some of its addresses answer, or they answer TLS but not with the page. */
  readonly state: 'answers' | 'partly' | 'no-answer' | 'no-address' | 'unknown';
  readonly reason?: string;
}>;

export type WorstFinding = {
  readonly category: 'dns' | 'ssl' | 'headers' | 'performance' | 'mail';
  readonly code: string;
  readonly severity: Severity;
  readonly title: string;
  /** Points it takes from the score of the domain; 0 or below. */
  readonly scoreEffect: number;
};

export type PartFinding = {
  /** Stable kebab-case code; all are listed at /api/findings. */
  readonly code: string;
  readonly part?: string;
  readonly severity: Severity;
  readonly title: string;
  readonly detail: string;
  /** Points this finding takes from the score: 0 or below. */
  readonly scoreEffect: number;
  readonly evidence: ReadonlyArray<{ readonly [field: string]: unknown }>;
  readonly fix: {
    readonly text: string;
    readonly record?: { readonly name: string; readonly type: string; readonly value: string };
    /** The zone that holds `record`. */
    readonly zone?: {
      readonly name: string;
      /** Who runs its name servers, where they say so. */
      readonly host?: string;
    };
    readonly snippets?: { readonly [field: string]: string };
    /** Those of `snippets` that were never tried in such a server. */
    readonly notTried?: ReadonlyArray<string>;
  };
  readonly references: ReadonlyArray<{ readonly title: string; readonly url: string }>;
  /** The check that found it; `code` is a code of that check. */
  readonly check: string;
  readonly target: string;
  /** null for an entry point’s redirect-check, and for a finding of domain-health itself. */
  readonly category: 'dns' | 'ssl' | 'headers' | 'performance' | 'mail' | null;
  /** Points it takes from the score of the domain; `scoreEffect` is that of its own report. */
  readonly domainEffect: number;
};

export type Raise = {
  /** Everything that this one fix ends, in whatever reports it stands. */
  readonly findings: ReadonlyArray<{
    readonly check: string;
    readonly target: string;
    /** null for an entry point’s redirect-check, and for a finding of domain-health itself. */
    readonly category: 'dns' | 'ssl' | 'headers' | 'performance' | 'mail' | null;
    readonly code: string;
  }>;
  readonly fix: {
    readonly text: string;
    readonly record?: { readonly name: string; readonly type: string; readonly value: string };
    /** The zone that holds `record`. */
    readonly zone?: {
      readonly name: string;
      /** Who runs its name servers, where they say so. */
      readonly host?: string;
    };
    readonly snippets?: { readonly [field: string]: string };
    /** Those of `snippets` that were never tried in such a server. */
    readonly notTried?: ReadonlyArray<string>;
  };
  /** What the fix alone adds to the score of the domain, as it was judged again from what is stored; null where the fix would let more of the site be seen, so that the result is unknown. */
  readonly points: number | null;
  readonly scoreAfter: number | null;
  readonly gradeAfter: 'A+' | 'A' | 'B' | 'C' | 'D' | 'F' | null;
};

/** With everything in `raise` fixed; null where one of the fixes has no figure. */
export type RaisedTo = {
  readonly score: number | null;
  readonly grade: 'A+' | 'A' | 'B' | 'C' | 'D' | 'F' | null;
};

export type Registration = {
  /** missing: the registry knows no such name · no-date: it does not tell when the registration ends · no-rdap: IANA lists no RDAP service for the top-level domain · unknown: it was not asked, as where the parent zone delegates nothing, or did not answer. */
  readonly state: 'ok' | 'missing' | 'no-date' | 'no-rdap' | 'unknown';
  /** Why it is not ok. */
  readonly reason?: string;
  /** The domain as registries sell it. */
  readonly name: string | null;
  readonly expiresAt: string | null;
  readonly registeredAt: string | null;
  /** When the registry was asked: answers are kept for 12 hours, for one within 30 days of the end. null where ACCOUNT_CACHE is own. */
  readonly askedAt: string | null;
  readonly registrar: string | null;
  /** By the names of EPP: "clientHold" (RFC 8056). */
  readonly statuses: ReadonlyArray<string>;
  readonly nameServers: ReadonlyArray<string>;
  readonly ds: ReadonlyArray<{
    readonly keyTag: number;
    readonly algorithm: number;
    readonly digestType: number;
    readonly digest: string;
  }>;
  /** Whether the registry says that the delegation is signed; null where it does not say. */
  readonly isSigned: boolean | null;
};

export type Expiry = {
  /** domain: its registration · certificate · signature: the signatures of the zone (DNSSEC) · ocsp: the stapled answer · crl: the list that the certificate points to · security-txt. */
  readonly what: 'domain' | 'certificate' | 'signature' | 'ocsp' | 'crl' | 'security-txt';
  /** The domain, host, zone or address that it belongs to. */
  readonly name: string;
  readonly expiresAt: string;
  /** Whole days from `checkedAt`; below 0 once it is past. */
  readonly daysLeft: number;
  /** null where it does not tell when it began. */
  readonly lifetimeDays: number | null;
  /** soon: less than a third of its lifetime is left, and less than 30 days; of a lifetime below 10 days, less than a quarter. */
  readonly state: 'ok' | 'soon' | 'past';
};

/** Since the last report with the same rules and the same coverage; absent where there is none. */
export type HealthTrend = {
  readonly previousAt: string;
  readonly previousReportId?: string;
  readonly scoreDelta: number;
  readonly gradeBefore: 'A+' | 'A' | 'B' | 'C' | 'D' | 'F' | null;
  /** What each scored category gained or lost. */
  readonly categories: { readonly [field: string]: number };
  readonly newFindings: ReadonlyArray<{
    /** A category, or health for a finding of this report itself. */
    readonly category: 'dns' | 'ssl' | 'headers' | 'performance' | 'mail' | 'health';
    readonly code: string;
  }>;
  readonly fixedFindings: ReadonlyArray<{
    /** A category, or health for a finding of this report itself. */
    readonly category: 'dns' | 'ssl' | 'headers' | 'performance' | 'mail' | 'health';
    readonly code: string;
  }>;
};

export type RedirectCheckReport = ReportFields & {
  readonly schemaVersion: 1;
  readonly check: 'redirect-check';
  readonly state: 'complete' | 'partial' | 'unreachable';
  readonly target: { readonly url: string };
  readonly hops: ReadonlyArray<RedirectHop>;
  /** Who answered instead of the site; null where the page itself was seen. */
  readonly answeredBy?: {
    readonly sign: string;
    readonly vendor: string | null;
    readonly kind: string;
    readonly certainty: 'certain' | 'likely';
    readonly reason: string;
  } | null;
  readonly finalUrl: string | null;
  readonly finalStatus: number | null;
  /** Hops that send the visitor on, by status or from within the page. */
  readonly redirects: number;
  /** Over all hops, including the time spent on hops that gave no answer; null where that is not known. */
  readonly totalMs: number | null;
  /** Where a browser begins its next visit, because a hop of this chain set Strict-Transport-Security for the first host; with preload-list it begins there the first time too. null where the next visit is the same. */
  readonly laterVisit: {
    readonly url: string;
    readonly by: 'header' | 'preload-list';
    /** From there; null where this chain did not pass there. */
    readonly redirects: number | null;
  } | null;
  readonly ended:
    | 'ok'
    | 'loop'
    | 'too-many'
    | 'refused'
    | 'invalid-location'
    | 'unreachable'
    | 'cookie-required';
};

export type RedirectHop = {
  readonly url: string;
  /** null when the hop gave no answer. */
  readonly status: number | null;
  /** Where this hop sends the visitor, as it was sent. */
  readonly location: string | null;
  /** How the hop sends the visitor on; absent when it does not. */
  readonly via?: 'http' | 'refresh-header' | 'meta-refresh';
  /** The https address that browsers ask instead of the http address in `location`, and that was asked here: by HSTS of an earlier hop or of the preload list. */
  readonly upgradedTo?: string;
  readonly address: string | null;
  readonly timings: Timings | null;
  /** Of a hop that gave no answer: for how long one was waited for. */
  readonly waitedMs?: number | null;
  /** null for http. */
  readonly tls?: {
    readonly protocol: string | null;
    readonly trusted: boolean;
    readonly error: string | null;
  } | null;
  /** As sent, each byte one character; without the values of cookies and without credentials. The first 16 kB. */
  readonly headers?: ReadonlyArray<readonly [string, string]>;
  /** Why the hop gave no answer. */
  readonly error?: { readonly code: string; readonly reason: string };
};

export type Timings = {
  readonly wait: number;
  readonly dns: number;
  readonly tcp: number;
  readonly tls: number;
  /** From the connection to the first byte of the answer. */
  readonly ttfb: number;
  readonly download: number;
  readonly total: number;
  readonly reused: boolean;
};

export type SslCheckReport = ReportFields & {
  readonly schemaVersion: 1;
  readonly check: 'ssl-check';
  readonly state: 'complete' | 'partial' | 'unreachable';
  readonly target: { readonly domain: string };
  readonly host: string;
  readonly port: number;
  /** The address that the report describes; `endpoints` has all of them. */
  readonly addresses: ReadonlyArray<string>;
  /** As sent, in order. */
  readonly certificates: ReadonlyArray<Certificate>;
  /** Leaves that other clients are shown: servers may hold one with an RSA and one with an ECDSA key. */
  readonly otherCertificates: ReadonlyArray<OtherCertificate>;
  /** null when no handshake was completed; absent in older reports. */
  readonly otherKeyKind?: OtherKeyKind | null;
  readonly trust: Trust;
  /** SSLv2 to TLSv1.3; null when it could not be told. */
  readonly protocols: { readonly [field: string]: boolean | null };
  /** In the order in which the server chose them. */
  readonly suites: ReadonlyArray<CipherSuite>;
  /** All suites of TLS 1.2 and 1.3 were found; false where the 45 connections of a run were too few to ask for each: a hello tells one suite. */
  readonly suitesComplete: boolean;
  readonly groups: ReadonlyArray<KeyExchangeGroup>;
  /** What a current client gets. */
  readonly negotiated: {
    readonly protocol: string;
    readonly suite: string;
    readonly group: string | null;
  } | null;
  readonly alpn: string | null;
  readonly ocspStaple: OcspStaple | null;
  readonly revocation: 'good' | 'revoked' | 'not-checked';
  /** What that was learnt from; empty when it was not checked, absent in older reports. */
  readonly revocationSources?: ReadonlyArray<'OCSP staple' | 'CRL'>;
  /** null when no certificate was seen; absent in older reports. */
  readonly revocationList?: RevocationList | null;
  readonly earlyData: { readonly accepted: boolean | null; readonly maxBytes: number | null };
  /** The HTTPS record or an Alt-Svc field offers h3. */
  readonly http3Advertised: boolean | null;
  readonly certificateCompression?: CertificateCompression;
  readonly http3?: Http3;
  /** The HTTPS record carries keys for Encrypted Client Hello; null when it could not be read. */
  readonly echAdvertised?: boolean | null;
  /** A client that comes back with an older version is refused (RFC 7507); null where no version before TLS 1.2 is spoken. */
  readonly fallbackRefused?: boolean | null;
  /** Session resumption; null where it was not seen. */
  readonly sessions?: {
    /** TLS 1.2: the ServerHello names a session; servers that issue tickets often do not. */
    readonly ids: boolean | null;
    /** TLS 1.2: the ServerHello promises a ticket. */
    readonly tickets: boolean | null;
    /** TLS 1.3: a ticket came after the handshake. */
    readonly tls13Tickets: boolean | null;
    /** The session of a current client was resumed; null where none was issued. */
    readonly resumed: boolean | null;
  };
  /** TLS 1.2: a handshake that the client begins inside a connection is accepted. */
  readonly renegotiationByClient?: boolean | null;
  /** Connections that were opened: at most 45 to an address looked at in full, 6 to the next eight, and 1 to any other. */
  readonly connections: number;
  /** Every address that was looked at. */
  readonly endpoints?: ReadonlyArray<TlsEndpoint>;
  /** As their own ClientHello was answered, or as it follows from what was seen; null where neither tells. The certificate is judged elsewhere. */
  readonly clients?: ReadonlyArray<SimulatedClient>;
  /** By whose order a suite of TLS 1.2 is chosen; null when that was not seen. */
  readonly cipherPreference?: 'server' | 'client' | null;
  /** The strictest profile of Mozilla’s recommendations (5.8) that the server offers nothing beyond, by versions and suites; null when not all of them are known. */
  readonly mozillaProfile?: 'modern' | 'intermediate' | 'old' | 'none' | null;
  /** The letter of the SSL Server Rating Guide 2009r; T untrusted, M mismatch. null also while a class of suites that would lower it is unknown. */
  readonly sslLabsEquivalent: 'A+' | 'A' | 'A-' | 'B' | 'C' | 'D' | 'E' | 'F' | 'M' | 'T' | null;
  readonly sslLabs: {
    readonly score: number;
    readonly protocolScore: number;
    readonly keyExchangeScore: number;
    readonly cipherScore: number;
    readonly caps: ReadonlyArray<{
      readonly letter: 'A+' | 'A' | 'A-' | 'B' | 'C' | 'D' | 'E' | 'F' | 'M' | 'T';
      readonly code: string;
    }>;
  } | null;
};

export type Certificate = {
  readonly subject: string;
  readonly issuer: string;
  /** Lower-case hex. */
  readonly serialNumber: string;
  readonly notBefore: string;
  readonly notAfter: string;
  readonly lifetimeDays: number;
  /** DNS entries of subjectAltName; at most 100 are shown. */
  readonly names: ReadonlyArray<string>;
  readonly key: { readonly type: string; readonly bits: number | null; readonly curve: string | null };
  readonly signatureAlgorithm: string;
  /** Fingerprint of the DER, lower-case hex. */
  readonly sha256: string;
  readonly role: 'leaf' | 'intermediate' | 'root' | 'surplus';
  readonly bytes: number;
  /** SHA-256 of the public key (SubjectPublicKeyInfo), base64, as pins are written. */
  readonly spkiSha256?: string;
  /** The certificate itself. */
  readonly pem?: string;
};

export type OtherCertificate = {
  readonly subject: string;
  readonly issuer: string;
  /** Lower-case hex. */
  readonly serialNumber: string;
  readonly notBefore: string;
  readonly notAfter: string;
  readonly lifetimeDays: number;
  /** DNS entries of subjectAltName; at most 100 are shown. */
  readonly names: ReadonlyArray<string>;
  readonly key: { readonly type: string; readonly bits: number | null; readonly curve: string | null };
  readonly signatureAlgorithm: string;
  /** Fingerprint of the DER, lower-case hex. */
  readonly sha256: string;
  readonly role: 'leaf' | 'intermediate' | 'root' | 'surplus';
  readonly bytes: number;
  /** SHA-256 of the public key (SubjectPublicKeyInfo), base64, as pins are written. */
  readonly spkiSha256?: string;
  /** The certificate itself. */
  readonly pem?: string;
  /** false for one that is only told, such as that of SSL 3.0, which has no SNI. */
  readonly judged?: boolean;
  /** Versions in which it was seen. */
  readonly versions?: ReadonlyArray<string>;
  /** As sent, in order, itself first. */
  readonly chain?: ReadonlyArray<Certificate>;
  readonly trust?: Trust;
  readonly ocspStaple?: OcspStaple | null;
  readonly revocation?: 'good' | 'revoked' | 'not-checked';
  /** What that was learnt from; empty when it was not checked, absent in older reports. */
  readonly revocationSources?: ReadonlyArray<'OCSP staple' | 'CRL'>;
  readonly revocationList?: RevocationList | null;
};

export type Trust = {
  /** null when no certificate was seen. */
  readonly trusted: boolean | null;
  /** Why not: "issuer-missing", "root-unknown", "expired" and so on, or the code of the finding that refutes it. */
  readonly error: string | null;
  /** The same as a sentence. */
  readonly reason?: string | null;
  /** Of the trusted certificate of current clients: whether a path leads to a root that is in each store, by the CCADB; null where that is not known. */
  readonly stores?: {
    readonly Mozilla: boolean;
    readonly Apple: boolean | null;
    readonly Chrome: boolean | null;
    readonly Microsoft: boolean | null;
  } | null;
};

/** An answer that the CA did not sign is unusable; without the certificate of the issuer that is not told. */
export type OcspStaple = {
  readonly status: 'good' | 'revoked' | 'unknown' | 'unusable';
  readonly thisUpdate: string | null;
  readonly nextUpdate: string | null;
};

/** The CRL that the certificate points to. Lists of up to 1 MB are fetched, by http, where the chain is trusted. */
export type RevocationList = {
  readonly url: string | null;
  readonly status: 'good' | 'revoked' | 'not-used';
  /** Why nothing was concluded from it. */
  readonly why: string | null;
  readonly revokedAt: string | null;
  /** As RFC 5280 §5.3.1 names it: "keyCompromise". */
  readonly reason: string | null;
  readonly thisUpdate: string | null;
  readonly nextUpdate: string | null;
  readonly entries: number | null;
  readonly bytes: number | null;
};

export type OtherKeyKind = {
  readonly kind: 'ECDSA' | 'RSA';
  readonly presence: 'shown' | 'none' | 'unknown';
  /** Why it is unknown. */
  readonly reason: string | null;
};

export type CipherSuite = {
  readonly name: string;
  /** Four hex digits, as IANA lists them: "c02f". */
  readonly id: string;
  readonly versions: ReadonlyArray<string>;
  readonly bits: number;
  readonly forwardSecrecy: boolean;
  readonly aead: boolean;
  readonly dhBits: number | null;
  /** Name of a prime that many servers share: "ffdhe2048"; null for any other. */
  readonly dhPrime?: string | null;
};

export type KeyExchangeGroup = { readonly name: string; readonly id: string; readonly postQuantum: boolean };

/** The Certificate message in TLS 1.3 to a client that offers zlib, brotli and zstd (RFC 8879): as it is sent, and what comes out of it. null where none was seen. */
export type CertificateCompression = {
  /** null where the certificates are sent as they are. */
  readonly algorithm: 'zlib' | 'brotli' | 'zstd' | null;
  readonly bytes: number;
  readonly wholeBytes: number;
} | null;

/** HTTP/3 is tried where it is offered: one datagram, sent twice at most, asks for the versions of QUIC. */
export type Http3 = {
  readonly state: 'answers' | 'no-answer' | 'not-offered' | 'unknown';
  readonly source: 'Alt-Svc' | 'HTTPS record' | null;
  readonly port: number | null;
  /** Versions of QUIC that the server lists: "QUIC v1". */
  readonly versions: ReadonlyArray<string>;
  /** Why it does not answer, or why that is unknown. */
  readonly reason: string | null;
};

export type TlsEndpoint = {
  readonly address: string;
  readonly family: 'IPv4' | 'IPv6';
  /** full: the first address of each family. short: a handshake, and whether TLS 1.0 and 1.1 are accepted. handshake: no more than that, for addresses after the first eight others. */
  readonly look: 'full' | 'short' | 'handshake';
  readonly state: 'complete' | 'unreachable' | 'not-tested';
  /** After a short look: the best letter that its certificate and versions leave, null for any. The report has the worst. */
  readonly grade: 'A+' | 'A' | 'A-' | 'B' | 'C' | 'D' | 'E' | 'F' | 'M' | 'T' | null;
  readonly protocol: string | null;
  readonly alpn: string | null;
  /** Why the handshake failed. */
  readonly reason: string | null;
  /** Whether current clients trust the certificate that they are shown there. */
  readonly trusted?: boolean | null;
  readonly trustError?: string | null;
};

export type SimulatedClient = {
  readonly name: string;
  /** null when it cannot be told. */
  readonly connects: boolean | null;
  readonly protocol: string | null;
  readonly suite: string | null;
  /** Why it does not connect, or why that is not known. */
  readonly reason: string | null;
};

export type SmtpCheckReport = ReportFields & {
  readonly schemaVersion: 1;
  readonly check: 'smtp-check';
  readonly state: 'complete' | 'partial' | 'unreachable';
  readonly target: { readonly domain: string };
  /** The domain says that it takes no mail (RFC 7505). */
  readonly nullMx: boolean | null;
  /** There is no MX record, so mail goes to the address of the domain itself (RFC 5321 §5.1). */
  readonly implicit: boolean | null;
  /** The first five by preference, with up to four addresses each. */
  readonly hosts: ReadonlyArray<MailHostTalk>;
  readonly hostsLeftOut: number;
  /** Made for this report; what was known of a host was not asked again. */
  readonly connections: number;
};

export type MailHostTalk = {
  readonly host: string;
  readonly preference: number;
  /** Why the host has no addresses here, as a clause. */
  readonly reason: string | null;
  /** The TLSA records that senders use, as in a zone file, cut. */
  readonly tlsa: ReadonlyArray<string>;
  readonly addresses: ReadonlyArray<MailAddress>;
};

export type MailAddress = {
  readonly address: string;
  readonly family: 4 | 6;
  /** When this address was talked to, for whichever domain; null where it was not, or where each account has a cache of its own. It may be up to an hour before the report. */
  readonly checkedAt: string | null;
  /** ok: it greeted us and answered EHLO. temporary, refused: its own answer to us. blocked-here: this network lets no connection to port 25 out. */
  readonly state: 'ok' | 'temporary' | 'refused' | 'silent' | 'blocked-here' | 'unknown';
  /** Why the state is not ok, as a clause. */
  readonly reason: string | null;
  /** The text of the greeting, its lines joined by spaces. */
  readonly greeting: string | null;
  /** The host name in the greeting; null where there is none. */
  readonly name: string | null;
  /** The same in the answer to EHLO. */
  readonly ehloName: string | null;
  /** Of the last answer to EHLO, as sent: "SIZE 35882577", "REQUIRETLS". */
  readonly extensions: ReadonlyArray<string>;
  /** refused: it offers STARTTLS and declines it, with `startTlsReason`. broken: no handshake was possible, twice. */
  readonly startTls: 'ok' | 'missing' | 'refused' | 'broken' | 'unknown';
  readonly startTlsReason: string | null;
  /** "TLSv1.3". */
  readonly protocol: string | null;
  readonly suite: string | null;
  readonly group: string | null;
  /** Whether it still accepts TLS 1.0 or 1.1. */
  readonly oldVersions: 'refused' | 'accepted' | 'unknown';
  /** As sent. */
  readonly certificates: ReadonlyArray<Certificate>;
  readonly trust: MailTrust;
  readonly dane: MailDane;
  readonly mtaSts: MailMtaSts;
};

export type MailTrust = {
  /** By the roots of browsers, for its name. */
  readonly trusted: boolean | null;
  readonly reason: string | null;
};

export type MailDane = {
  readonly state: 'ok' | 'none' | 'mismatch' | 'unusable' | 'insecure' | 'unknown';
  readonly reason: string | null;
};

export type MailMtaSts = {
  readonly mode: 'enforce' | 'testing' | 'none' | 'unknown';
  readonly state: 'ok' | 'mismatch' | 'not-applicable' | 'unknown';
  readonly reason: string | null;
};

export type History = {
  readonly reports: ReadonlyArray<{
    readonly reportId: string;
    readonly check: string;
    readonly target: string;
    /** What differs from the default. */
    readonly options: { readonly [field: string]: unknown };
    readonly checkedAt: string;
    readonly score: number | null;
    readonly grade: 'A+' | 'A' | 'B' | 'C' | 'D' | 'F' | null;
    readonly state: 'complete' | 'partial' | 'unreachable' | 'failed';
  }>;
  /** The value of `before` for the next page; null on the last. */
  readonly next: string | null;
};

/** What the reports of all checks have in common. */
export type Report = ReportFields & {
  readonly schemaVersion: number;
  readonly check: string;
  readonly state: 'complete' | 'partial' | 'unreachable' | 'failed';
  readonly target: { readonly domain?: string; readonly url?: string };
};

/** SARIF 2.1.0 (OASIS). */
export type Sarif = {
  readonly version: '2.1.0';
  readonly runs: ReadonlyArray<{ readonly [field: string]: unknown }>;
};

/** HTTP Archive 1.2. */
export type Har = {
  readonly log: {
    readonly version: '1.2';
    readonly entries: ReadonlyArray<{ readonly [field: string]: unknown }>;
  };
};

export type ReportDiff = {
  readonly check: string;
  readonly target: { readonly [field: string]: unknown };
  readonly from: DiffSide;
  readonly to: DiffSide;
  /** The two were judged by different rules: a difference may be ours, not the target’s. */
  readonly rulesChanged: boolean;
  /** null when one of them has no score. */
  readonly scoreDelta: number | null;
  /** False: they saw different things, or our rules changed. */
  readonly isScoreComparable: boolean;
  /** What was not seen this time, or is seen again. */
  readonly notes: ReadonlyArray<string>;
  readonly findings: {
    /** In the second, and looked at in the first without it. */
    readonly added: ReadonlyArray<DiffFinding>;
    /** In the second; the first could not look, or had no such rule. */
    readonly newlyTested: ReadonlyArray<DiffFinding>;
    /** In the first; the second tested it by the same rule. */
    readonly fixed: ReadonlyArray<DiffFinding>;
    /** In the first; the second could not look. */
    readonly noLongerTested: ReadonlyArray<DiffFinding>;
    /** In the first; the rule does not apply in the second. */
    readonly noLongerApplies: ReadonlyArray<DiffFinding>;
    /** In the first; the rule is gone or weighs otherwise. */
    readonly noLongerJudged: ReadonlyArray<DiffFinding>;
    /** In the second alone: what could not be looked at. */
    readonly notSeen: ReadonlyArray<DiffFinding>;
    readonly seenAgain: ReadonlyArray<DiffFinding>;
    /** In both, with another severity, effect, text or evidence. */
    readonly changed: ReadonlyArray<{
      readonly code: string;
      /** What of the finding is another. */
      readonly differs: ReadonlyArray<'severity' | 'title' | 'scoreEffect' | 'detail' | 'fix' | 'evidence'>;
      readonly before: DiffFinding;
      readonly after: DiffFinding;
      /** Where the evidence differs: the first ten pieces of each, and how many there are. */
      readonly evidence?: {
        readonly added: ReadonlyArray<{ readonly [field: string]: unknown }>;
        readonly gone: ReadonlyArray<{ readonly [field: string]: unknown }>;
        readonly addedCount: number;
        readonly goneCount: number;
      };
    }>;
    readonly unchanged: number;
  };
};

export type DiffSide = {
  readonly reportId?: string;
  readonly checkedAt: string;
  readonly state: string;
  readonly score: number | null;
  readonly grade: 'A+' | 'A' | 'B' | 'C' | 'D' | 'F' | null;
  readonly rulesVersion: number;
};

export type DiffFinding = {
  readonly code: string;
  readonly severity: Severity;
  readonly title: string;
  readonly scoreEffect: number;
};

export type BatchList = { readonly batches: ReadonlyArray<Batch>; readonly next: string | null };

/** A list of targets. The counts are disjoint and add up to `total`. */
export type Batch = {
  readonly batchId: string;
  readonly check: string;
  /** What differs from the default. */
  readonly options: { readonly [field: string]: unknown };
  readonly label: string | null;
  readonly state: 'running' | 'done' | 'cancelled';
  readonly createdAt: string;
  readonly endedAt: string | null;
  readonly expiresAt: string;
  readonly total: number;
  readonly waiting: number;
  readonly running: number;
  /** Have a report, of any state. */
  readonly done: number;
  /** Are no targets of this check, or are not allowed. */
  readonly refused: number;
  /** Met any other problem. */
  readonly failed: number;
  readonly cancelled: number;
  /** Targets that ended in the last minute. */
  readonly perMinute: number | null;
  readonly remainingSeconds: number | null;
  readonly links: { readonly self: string; readonly results: string };
};

export type WatchList = {
  readonly watches: ReadonlyArray<Watch>;
  /** The value of `before` for the next page; null on the last. */
  readonly next: string | null;
};

/** Checks of some targets on a schedule, and who is told of changes. */
export type Watch = {
  readonly watchId: string;
  readonly label: string | null;
  readonly check: string;
  /** What differs from the default. */
  readonly options: { readonly [field: string]: unknown };
  readonly targetCount: number;
  readonly everySeconds: number;
  readonly scansPerDay: number;
  /** Targets that are overdue. */
  readonly late: number;
  readonly paused: boolean;
  readonly pausedReason: 'owner' | 'webhook-gone' | 'token-revoked' | 'target-refused' | null;
  readonly createdAt: string;
  /** The next check of any target; null while paused. Of a new watch it is now: a report that is fresh answers a first check at no cost, else it runs as soon as the account’s scans allow. */
  readonly nextAt: string | null;
  readonly notify: {
    readonly webhook: { readonly url: string } | null;
    readonly email: { readonly to: string } | null;
    readonly minSeverity: Severity;
    readonly daysBefore: ReadonlyArray<number>;
  };
  /** The newest 20. */
  readonly deliveries: ReadonlyArray<Delivery>;
  /** Signs what the webhook gets. Only in the answer that sets a webhook. */
  readonly webhookSecret?: string;
  readonly links: { readonly self: string; readonly targets: string; readonly deliveries: string };
};

/** An event of a watch, and how its sending stands. */
export type Delivery = {
  /** Also the `webhook-id` and the id of the event. */
  readonly deliveryId: string;
  /** feed: only the feed has it. email: the same event, sent to the address. */
  readonly channel: 'webhook' | 'feed' | 'email';
  readonly type:
    | 'watch.changed'
    | 'watch.expiring'
    | 'watch.recovered'
    | 'watch.unchecked'
    | 'watch.paused'
    | 'watch.test';
  readonly target: string | null;
  readonly createdAt: string;
  readonly state: 'pending' | 'delivered' | 'retrying' | 'dead';
  readonly attempts: number;
  /** null where it is not sent again, or waits until the receiver has answered a test or the address is confirmed. */
  readonly nextAttemptAt: string | null;
  readonly httpStatus: number | null;
  readonly failure: string | null;
};

export type WatchAddresses = { readonly feed: string; readonly calendar: string };

export type WatchedTargetList = {
  readonly targets: ReadonlyArray<WatchedTarget>;
  /** The value of `before` for the next page; null on the last. */
  readonly next: string | null;
};

export type WatchedTarget = {
  readonly target: string;
  readonly state: 'new' | 'ok' | 'news' | 'unchecked';
  readonly reportId: string | null;
  readonly checkedAt: string | null;
  readonly score: number | null;
  readonly grade: 'A+' | 'A' | 'B' | 'C' | 'D' | 'F' | null;
  readonly nextAt: string | null;
  /** The code of the problem that the last check met. */
  readonly problem: string | null;
};

export type DeliveryList = {
  readonly deliveries: ReadonlyArray<Delivery>;
  /** The value of `before` for the next page; null on the last. */
  readonly next: string | null;
};

export type WebhookSecret = { readonly webhookSecret: string };

export type DomainHistory = {
  readonly domain: string;
  readonly points: ReadonlyArray<{
    readonly reportId: string;
    readonly check: string;
    readonly target: string;
    /** What differs from the default. */
    readonly options: { readonly [field: string]: unknown };
    readonly checkedAt: string;
    readonly score: number | null;
    readonly grade: 'A+' | 'A' | 'B' | 'C' | 'D' | 'F' | null;
    readonly state: 'complete' | 'partial' | 'unreachable' | 'failed';
    readonly rulesVersion: number | null;
    /** It was judged by other rules than the point before: a difference may be ours. */
    readonly rulesChanged: boolean;
    /** What changed since the older point with the same options. */
    readonly news: ReadonlyArray<News>;
    /** What was not seen this time, or is seen again. */
    readonly notes: ReadonlyArray<string>;
    readonly recheckedAt: RecheckedAt | null;
  }>;
  /** The value of `before` for the next page; null on the last. */
  readonly next: string | null;
};

export type News = {
  readonly kind: 'finding-added' | 'finding-fixed' | 'finding-changed' | 'grade' | 'state' | 'expiring';
  /** Of a finding; null for a grade or a state. */
  readonly code: string | null;
  /** Of a part of domain-health, else null. */
  readonly category: string | null;
  readonly severity: Severity;
  readonly title: string;
  readonly fix: string | null;
  /** What changed, in a sentence. */
  readonly text: string;
};

export type Comparison = {
  readonly domains: ReadonlyArray<{
    readonly domain: string;
    /** no-report: none that you may see. */
    readonly state: 'ok' | 'no-report';
    readonly reportId: string | null;
    readonly checkedAt: string | null;
    readonly score: number | null;
    readonly grade: 'A+' | 'A' | 'B' | 'C' | 'D' | 'F' | null;
    /** Address of the tool that gives the report. */
    readonly href: string;
  }>;
  readonly rows: ReadonlyArray<{
    readonly category: string | null;
    readonly check: string;
    readonly code: string | null;
    readonly name: string;
    readonly kind: 'score' | 'grade' | 'verdict' | 'text';
    /** The rule whose fix ends this one too; else null. */
    readonly consequenceOf: { readonly check: string; readonly code: string } | null;
    /** In the order of `domains`. */
    readonly cells: ReadonlyArray<{
      /** For a reader. Of a rule: “✗ critical”, “✓ not found”, “– not tested”, “– not applicable”, “– no report”. */
      readonly text: string;
      /** Of a rule; unknown: nothing is known of it, or it does not apply. null in other rows. */
      readonly verdict: 'broken' | 'holds' | 'not-tested' | 'unknown' | null;
      /** Of a broken rule. */
      readonly severity: Severity | null;
    }>;
  }>;
};

export type Me = {
  readonly kind: 'anonymous' | 'token';
  /** The name of the token. */
  readonly name?: string;
  readonly scopes: ReadonlyArray<string>;
  /** false where the operator has switched all limits off. */
  readonly limited: boolean;
  readonly limits: {
    readonly requests: {
      readonly limit: number;
      readonly windowSeconds: number;
      readonly remaining: number;
      readonly resetSeconds: number;
    };
    readonly scans: {
      readonly limit: number;
      readonly windowSeconds: number;
      readonly remaining: number;
      readonly resetSeconds: number;
    };
    readonly writes: {
      readonly limit: number;
      readonly windowSeconds: number;
      readonly remaining: number;
      readonly resetSeconds: number;
    };
  };
  readonly quotas?: { readonly [field: string]: { readonly limit: number; readonly used: number } };
  /** Your jobs that have a slot of a worker, and those that wait for one or for their host; those that a domain-health asks for are counted too. Absent while the queue is away. */
  readonly jobs?: { readonly running: number; readonly waiting: number };
  readonly costs: { readonly [field: string]: number };
};

export type Rule = {
  readonly code: string;
  readonly check: string;
  readonly part?: string;
  readonly severity: Severity;
  readonly points: number;
  readonly title: string;
  /** With {placeholders} that a finding fills from its evidence. */
  readonly detail: string;
  /** What can happen and to whom, in two sentences. null for severity "info". */
  readonly why: string | null;
  /** With {placeholders} that a finding fills from its evidence. */
  readonly fix: string;
  readonly references: ReadonlyArray<{ readonly title: string; readonly url: string }>;
  /** Codes by which older reports of this check say the same. */
  readonly replaces?: ReadonlyArray<string>;
};

/** Every tool: what it answers and which options it takes. */
export type Tools = {
  /** Reads a domain’s records, asks its parent and each of its name servers, checks DNSSEC and mail settings, and judges them. */
  readonly 'dns-check': {
    readonly report: DnsCheckReport | FailedReport;
    readonly options: {
      /** DKIM selectors to look at beside the usual ones. */
      readonly dkimSelector?: ReadonlyArray<string>;
      /** Address that sends the message (RFC 7208 <ip>). */
      readonly ip?: string;
      /** Its MAIL FROM, e.g. "bounce@example.com"; default postmaster@ the domain. */
      readonly sender?: string;
      /** The name it says in HELO or EHLO. */
      readonly helo?: string;
      /** The code of a finding of the newest report: only the check that found it is made again, at its cost, and a domain-health is judged again from its stored parts and says in `recheck` what became of the finding. Of the other tools it is the same as fresh=1. */
      readonly recheck?: string;
    };
  };
  /** Says what a browser would really enforce of a page’s security headers, and what is missing. */
  readonly 'security-header-check': {
    readonly report: SecurityHeaderCheckReport | FailedReport;
    readonly options: {
      /** The code of a finding of the newest report: only the check that found it is made again, at its cost, and a domain-health is judged again from its stored parts and says in `recheck` what became of the finding. Of the other tools it is the same as fresh=1. */
      readonly recheck?: string;
    };
  };
  /** Loads a URL in a real browser with Lighthouse and judges its speed and Core Web Vitals. */
  readonly 'pagespeed-check': {
    readonly report: PagespeedCheckReport | FailedReport;
    readonly options: {
      /** mobile: a slow phone on slow 4G; desktop: a fast line, with its own curves. */
      readonly strategy?: 'mobile' | 'desktop';
      /** How often the page is loaded; the median run is reported. */
      readonly runs?: 1 | 2 | 3 | '1' | '2' | '3';
      /** What Lighthouse judges in the load: performance, accessibility, best-practices, seo, agentic-browsing, or all; with commas or repeated. The score and the grade stay those of performance. */
      readonly category?: ReadonlyArray<
        'performance' | 'accessibility' | 'best-practices' | 'seo' | 'agentic-browsing' | 'all'
      >;
      /** What the page may need at most, as metric:number with commas between, each metric once: lcp, fcp, si, tbt and ttfb in ms, cls, bytes, requests, thirdPartyBytes. Judged without a new load while a report of the same page is fresh. */
      readonly budget?: string;
      /** The code of a finding of the newest report: only the check that found it is made again, at its cost, and a domain-health is judged again from its stored parts and says in `recheck` what became of the finding. Of the other tools it is the same as fresh=1. */
      readonly recheck?: string;
    };
  };
  /** Combines DNS, TLS, headers, speed and mail of a domain in one score and one grade, and says what would raise them most. */
  readonly 'domain-health': {
    readonly report: DomainHealthReport | FailedReport;
    readonly options: {
      /** The parts to look at: dns, ssl, headers, performance, mail; all of them where left out. What is left out lowers `coverage`. Each part costs a scan; with performance it is 5. Where this service offers smtp-check, naming mail, alone or with others, has the mail hosts talked to, for 2 scans more. */
      readonly parts?: ReadonlyArray<'dns' | 'ssl' | 'headers' | 'performance' | 'mail'>;
      /** The code of a finding of the newest report: only the check that found it is made again, at its cost, and a domain-health is judged again from its stored parts and says in `recheck` what became of the finding. Of the other tools it is the same as fresh=1. */
      readonly recheck?: string;
    };
  };
  /** Follows the redirects of a URL hop by hop, as a browser would, and judges the chain. */
  readonly 'redirect-check': {
    readonly report: RedirectCheckReport | FailedReport;
    readonly options: {
      /** Ask as another client: a desktop browser, a phone or a crawler. Left out, our own User-Agent is sent. The first address is then asked once more with our own, to see whether the answer depends on it. */
      readonly userAgent?: 'ours' | 'desktop' | 'phone' | 'googlebot-like';
      /** The code of a finding of the newest report: only the check that found it is made again, at its cost, and a domain-health is judged again from its stored parts and says in `recheck` what became of the finding. Of the other tools it is the same as fresh=1. */
      readonly recheck?: string;
    };
  };
  /** Looks at the certificate, its chain, and all that a TLS server offers, and grades it. */
  readonly 'ssl-check': {
    readonly report: SslCheckReport | FailedReport;
    readonly options: {
      /** Port of a service that speaks TLS from the first byte. */
      readonly port?: number | `${number}`;
      /** The code of a finding of the newest report: only the check that found it is made again, at its cost, and a domain-health is judged again from its stored parts and says in `recheck` what became of the finding. Of the other tools it is the same as fresh=1. */
      readonly recheck?: string;
    };
  };
  /** Talks to the mail hosts of a domain: whether mail to it is encrypted, and whether they prove who they are. */
  readonly 'smtp-check': {
    readonly report: SmtpCheckReport | FailedReport;
    readonly options: {
      /** The code of a finding of the newest report: only the check that found it is made again, at its cost, and a domain-health is judged again from its stored parts and says in `recheck` what became of the finding. Of the other tools it is the same as fresh=1. */
      readonly recheck?: string;
    };
  };
};

/** Every tool, and whether it takes a domain or a URL. */
export const toolKinds = {
  'dns-check': 'domain',
  'security-header-check': 'url',
  'pagespeed-check': 'url',
  'domain-health': 'domain',
  'redirect-check': 'url',
  'ssl-check': 'domain',
  'smtp-check': 'domain',
} as const satisfies { readonly [name in keyof Tools]: 'domain' | 'url' };
