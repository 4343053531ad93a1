import { mailRules } from '#shared/catalogue/dns-check/mail/rules';
import { rules as dnsCheckRules, dnsRules } from '#shared/catalogue/dns-check/rules';
import { dnsCheck } from '#shared/catalogue/dns-check/spec';
import type { PagespeedFields } from '#shared/catalogue/pagespeed-check/report';
import { pagespeedCheck } from '#shared/catalogue/pagespeed-check/spec';
import { redirectCheck } from '#shared/catalogue/redirect-check/spec';
import { securityHeaderCheck } from '#shared/catalogue/security-header-check/spec';
import { smtpCheck } from '#shared/catalogue/smtp-check/spec';
import type { CheckSpec } from '#shared/catalogue/spec';
import { certificateRules } from '#shared/catalogue/ssl-check/rules/certificate';
import { sslCheck } from '#shared/catalogue/ssl-check/spec';
import type { HealthEvidence, Source } from '#shared/health/evidence';
import { keysOf } from '#shared/model/finding';
import {
  type Assessment,
  makeFailedReport,
  makeReport,
  type Report,
  type ReportFacts,
} from '#shared/model/report';
import { score } from '#shared/model/score';
import { codesOf, type Evidence, notTested, type Rules, type Verdicts } from '#shared/model/verdict';
import { assessRedirects } from '../../../worker/checks/redirect-check/assess.ts';
import type { RedirectEvidence } from '../../../worker/checks/redirect-check/evidence.ts';
import { chain } from '../redirect-check/chain.ts';

/** The clock of all these rows. */
export const at = Date.parse('2026-11-21T03:00:00Z');

/** What a report of a part says: these rules are broken, those were not looked at, all others hold. */
export type Says = {
  readonly broken?: readonly string[];
  readonly unseen?: readonly string[];
  readonly state?: Assessment['state'];
  readonly score?: number | null;
  readonly rulesVersion?: number;
  readonly target?: string;
};

const factsOf = (spec: CheckSpec, target: string, says: Says = {}): ReportFacts => ({
  check: spec.name,
  target: { [spec.targetKind]: target },
  rules: spec.rules,
  rulesVersion: says.rulesVersion ?? spec.rulesVersion,
  reportId: `${spec.name}-1`,
  checkedAtMs: at,
  durationMs: 40,
  freshForS: 300,
  keepForS: 3600,
});

/** A verdict for every rule of a table; the evidence of a broken one fills its sentence. */
export function verdictsOf(rules: Rules, { broken = [], unseen = [] }: Says): Verdicts {
  const wrong = [...broken, ...unseen].filter((code) => !Object.hasOwn(rules, code));
  if (wrong.length > 0) throw new Error(`no such rule: ${wrong.join(', ')}`);
  return Object.fromEntries(
    Object.entries(rules).map(([code, { detail }]) => {
      if (unseen.includes(code)) return [code, notTested(`${code} was not looked at`)];
      return [code, broken.includes(code) ? { broken: [evidenceFor(detail)] } : 'holds'];
    }),
  );
}

function evidenceFor(detail: string): Evidence {
  return Object.fromEntries(keysOf(detail).map((key) => [key, `the ${key}`]));
}

function make(spec: CheckSpec, target: string, says: Says, fields: Assessment['fields']): Report {
  const { state = 'complete' } = says;
  return makeReport(factsOf(spec, says.target ?? target, says), {
    state,
    verdicts: verdictsOf(spec.rules, says),
    fields,
    ...('score' in says ? { score: says.score ?? null } : {}),
  });
}

/** A run of ours that could not end. */
export function failedRun(spec: CheckSpec, target: string): Source {
  return {
    report: makeFailedReport(
      factsOf(spec, target),
      `The run hit its limit of ${spec.runLimitMs({}) / 1000} s.`,
    ),
  };
}

const state = (name: string) => ({ state: name });

/** Own fields of a dns-check report of a domain with everything in it. */
export const dnsFields = {
  exists: true as boolean | null,
  unicodeDomain: 'a.test',
  alias: [],
  records: {
    A: [{ data: '192.0.2.1', ttl: 3600 }],
    AAAA: [{ data: '2001:db8::1', ttl: 3600 }],
    MX: [{ data: { preference: 10, exchange: 'mail.a.test' }, ttl: 3600 }],
  } as Record<string, { data: unknown; ttl: number }[]>,
  recordsUnknown: [] as { type: string; reason: string }[],
  ns: {
    state: 'ok',
    zone: 'a.test',
    parentZone: 'test',
    parent: ['ns1.a.test', 'ns2.a.test'],
    child: ['ns1.a.test', 'ns2.a.test'],
    servers: [server('ns1.a.test', '192.0.2.53', true), server('ns2.a.test', '198.51.100.53', true)],
    notAsked: 0,
  },
  soa: state('ok'),
  dnssec: {
    state: 'ok',
    status: 'secure',
    reason: 'the resolver has validated it',
    ds: [],
    keys: [],
    signatures: [],
    signaturesUntil: null,
    resolverValidates: true,
  },
  caa: { state: 'ok', at: 'a.test', records: [], issue: ['ca.example'], issuewild: null },
  mailMode: 'mail',
  spf: {
    state: 'ok',
    record: 'v=spf1 mx -all',
    valid: true,
    all: '-all',
    lookups: 1,
    voidLookups: 0,
    complete: true,
    tree: null,
    mxHosts: [],
  },
  dmarc: {
    state: 'ok',
    record: 'v=DMARC1; p=reject',
    valid: true,
    location: 'a.test',
    orgDomain: 'a.test',
    policy: 'reject',
    subdomainPolicy: 'reject',
    nonExistentPolicy: 'reject',
    effectivePolicy: 'reject',
    testing: false,
    tags: [],
    queries: [],
    rua: [],
    ruf: [],
    faults: [],
  },
  dkim: { state: 'ok', subtreeExists: true as boolean | null, selectors: [] },
  mtaSts: { state: 'ok', record: null, id: null, policy: null, policyUrl: '', mxMatch: null },
  tlsRpt: { state: 'ok', record: null, rua: [] },
  bimi: { state: 'missing', record: null, logo: null, authority: null },
  mx: {
    state: 'ok',
    nullMx: false,
    implicit: false,
    hosts: [
      {
        host: 'mail.a.test',
        preference: 10,
        addresses: ['192.0.2.25'],
        ptr: [],
        tlsa: { state: 'missing', secure: null, records: [] },
      },
    ],
  },
  mailScoreParts: [],
};

/** What differs from `dnsFields`, and the two scores. */
type DnsChange = Partial<typeof dnsFields> & {
  readonly dnsScore?: number | null;
  readonly mailScore?: number | null;
};

/** A name server as dns-check shows it; `authoritative` null did not answer. */
export function server(name: string, ip: string, authoritative: boolean | null) {
  return { name, ip, rttMs: null, authoritative, serial: null, tcp: null, edns: null, recursion: null };
}

/** A dns-check report of a.test. Both scores follow from what is broken, unless they are given. */
export function dns(says: Says = {}, change: DnsChange = {}): Source {
  const verdicts = verdictsOf(dnsCheckRules, says);
  const part = (rules: Rules) =>
    Object.fromEntries(Object.entries(verdicts).filter(([code]) => Object.hasOwn(rules, code)));
  const dnsScore = change.dnsScore === undefined ? score(dnsRules, part(dnsRules)) : change.dnsScore;
  const mailPoints = (100 - score(mailRules, part(mailRules))) * (100 / 72);
  const mailScore =
    change.mailScore === undefined ? Math.max(0, Math.round(100 - mailPoints)) : change.mailScore;
  const scores = [dnsScore, mailScore].filter((one) => one !== null);
  const mean = scores.length === 0 ? null : Math.round(scores.reduce((a, b) => a + b, 0) / scores.length);
  const report = makeReport(factsOf(dnsCheck, 'a.test', says), {
    state: says.state ?? 'complete',
    verdicts,
    score: mean,
    scoreEffects: Object.fromEntries(
      Object.entries(dnsCheckRules).map(([code, { points }]) => [code, -points / (scores.length || 1)]),
    ),
    fields: { ...dnsFields, ...change, dnsScore, mailScore },
  });
  return { report };
}

/** The same report, in which this rule does not apply. */
export function withoutVerdict(code: string, part: Source): Source {
  if ('unavailable' in part) return part;
  return { report: { ...part.report, passed: part.report.passed.filter((passed) => passed !== code) } };
}

/** An smtp-check report of mail hosts; `score` null: none of them was seen. */
export function smtp(says: Says = {}): Source {
  const fields = { nullMx: false, implicit: false, hosts: [], hostsLeftOut: 0, connections: 2 };
  return { report: make(smtpCheck, 'a.test', says, fields) };
}

/** A domain of which the DNS says that it does not exist. */
export const notThere = (): Source =>
  dns(
    { broken: ['domain-not-found'], state: 'unreachable' },
    { exists: false, records: {}, dnsScore: null, mailScore: null },
  );

/** Own fields of an ssl-check report that nobody here reads, as the shape wants them. */
const sslFields = {
  host: 'a.test',
  port: 443,
  addresses: ['192.0.2.1'],
  certificates: [],
  otherCertificates: [],
  trust: { trusted: true, error: null },
  protocols: { 'TLSv1.3': true },
  suites: [],
  suitesComplete: true,
  groups: [],
  negotiated: null,
  alpn: 'h2',
  ocspStaple: null,
  revocation: 'not-checked',
  earlyData: { accepted: null, maxBytes: null },
  http3Advertised: null,
  connections: 20,
  sslLabsEquivalent: null,
  sslLabs: null,
};

/** An ssl-check report: 100 less the points of what is broken. A critical certificate is that of today's clients, unless `trust` says otherwise. */
export function ssl(says: Says = {}, trust?: { readonly trusted: boolean | null }): Source {
  const criticals: readonly string[] = codesOf(certificateRules).filter(
    (code) => certificateRules[code].severity === 'critical',
  );
  const trusted = !(says.broken ?? []).some((code) => criticals.includes(code));
  const fields = { ...sslFields, trust: { trusted, error: null, ...trust } };
  return { report: make(sslCheck, 'a.test', says, fields) };
}

/** An ssl-check report of a port at which no handshake came about. */
export const sslAway = (code: string): Source => ssl({ broken: [code], state: 'unreachable', score: null });

/** A security-header-check report: 100 less the points of what is broken. */
export function headers(says: Says = {}): Source {
  return {
    report: make(securityHeaderCheck, 'https://a.test/', says, {
      judgedUrl: 'https://a.test/',
      hops: [],
      effective: {
        hsts: null,
        framing: null,
        script: null,
        sniffing: null,
        referrer: null,
        isolation: null,
        cors: null,
      },
      groups: {},
      csp: { policies: [], evaluator: [] },
      cookies: [],
      thirdParties: { origins: [], count: 0, whole: true },
      securityTxt: { state: 'absent', url: 'https://a.test/.well-known/security.txt' },
      robots: { state: 'absent', url: 'https://a.test/robots.txt' },
      observatory: { algorithm: 6, score: null, grade: null, preload: 'unknown', tests: {} },
    }),
  };
}

export const headersAway = (): Source =>
  headers({ broken: ['target-unreachable'], state: 'unreachable', score: null });

const amount = { requests: 1, bytes: 1000 };

/** Where a browser ended; left out where that was not seen. */
type BrowserEnd = { readonly finalUrl?: string; readonly sentOn?: PagespeedFields['sentOn'] };

/** A pagespeed-check report with a score of 95, or what is said. */
export function performance(says: Says = {}, end: BrowserEnd = {}): Source {
  return {
    report: make(
      pagespeedCheck,
      'https://a.test/',
      { score: 95, ...says },
      {
        finalUrl: 'https://a.test/',
        strategy: 'mobile',
        ended: 'measured',
        rating: 'good',
        coreWebVitals: {
          assessment: 'unavailable',
          basis: 'none',
          lab: { lcp: 'good', cls: 'good', tbt: 'good', note: 'lab' },
        },
        metrics: null,
        field: null,
        lcp: null,
        layoutShifts: [],
        opportunities: [],
        diagnostics: [],
        resources: { total: amount, byType: {} },
        blockedRequests: [],
        runs: { count: 1, chosen: 'single', scores: [95], spread: null },
        environment: null,
        warnings: [],
        screenshot: null,
        ...end,
      },
    ),
  };
}

export const performanceAway = (code = 'target-unreachable'): Source =>
  performance({ broken: [code], state: 'unreachable', score: null });

/** The redirect-check report of a walked chain, judged by the check itself. */
export function redirect(evidence: RedirectEvidence): HealthEvidence['redirects'][number] {
  const report = makeReport(factsOf(redirectCheck, evidence.url), assessRedirects(evidence));
  return { url: evidence.url, part: { report } };
}

/** The four entry points of a site that sends everybody to https://a.test/. */
export const goodRedirects = (): HealthEvidence['redirects'] =>
  [
    chain('http://a.test/', 'https://a.test/'),
    chain('https://a.test/'),
    chain('http://www.a.test/', 'https://www.a.test/', 'https://a.test/'),
    chain('https://www.a.test/', 'https://a.test/'),
  ].map(redirect);

/** Everything is well, but for the change. Goes through JSON, as it does when it is kept. */
export function evidence(change: Partial<HealthEvidence> = {}): HealthEvidence {
  const all: HealthEvidence = {
    domain: 'a.test',
    dns: dns(),
    ssl: ssl(),
    headers: headers(),
    performance: performance({ score: 98 }),
    redirects: goodRedirects(),
    previous: null,
    ...change,
  };
  return JSON.parse(JSON.stringify(all)) as HealthEvidence;
}
