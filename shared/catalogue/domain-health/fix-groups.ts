import type { Finding } from '../../model/finding.ts';
import { certificateRules } from '../ssl-check/rules/certificate.ts';
import { protocolRules } from '../ssl-check/rules/protocol.ts';
import { suiteRules } from '../ssl-check/rules/suite.ts';
import type { CategoryName } from './weights.ts';

/** A finding of one of the reports that a domain-health is made of, or one of its own. */
export type DomainFinding = Pick<Finding, 'code' | 'severity' | 'evidence'> & {
  /** Findings that offer the same record have one fix. */
  readonly fix?: Pick<Finding['fix'], 'record'>;
  readonly check: string;
  /** The domain or URL that its report is about. */
  readonly target: string;
  /** null for an entry point, and for a finding of domain-health itself. */
  readonly category: CategoryName | null;
  /** Points that it takes from the score of the domain: 0 or below. */
  readonly domainEffect: number;
};

/** Findings that one fix ends; the first speaks for all. */
export type FixGroup<T extends DomainFinding> = {
  readonly main: T;
  readonly others: readonly T[];
};

/** Own findings that only sum up what parts found: they end with those, and have no fix of their own. */
export const conclusions: ReadonlySet<string> = new Set([
  'ssl-failed',
  'finding-critical',
  'category-failed',
  'category-poor',
]);

/** What a new certificate from a public CA ends, in every report that met the old one. */
const certificateCodes: readonly string[] = [
  ...Object.entries(certificateRules)
    .filter(([code, { severity }]) => severity === 'critical' && !code.startsWith('chain-'))
    .map(([code]) => code),
  'entry-point-certificate-not-trusted',
  'mta-sts-certificate',
];

const namesOfOldVersions = /^(?:sslv|tls1[01]-)/;

/** Codes that one fix ends, by the name of that fix. What has the same code in several reports is one fault anyway. */
const families: { readonly [family: string]: readonly string[] } = {
  'tls-versions': Object.keys(protocolRules).filter((code) => namesOfOldVersions.test(code)),
  'cipher-suites': Object.keys(suiteRules).filter(
    (code) => code.startsWith('suite-') && suiteRules[code as keyof typeof suiteRules].points >= 20,
  ),
  https: [
    'https-missing',
    'connection-refused',
    'connection-reset',
    'connection-closed',
    'tls-alert',
    'tls-silent',
    'port-speaks-http',
    'port-not-tls',
    'parameters-not-common',
  ],
  hsts: ['hsts-missing', 'hsts-off', 'hsts-invalid', 'hsts-short', 'hsts-duplicate-conflict'],
  // One Set-Cookie line.
  'session-cookie': ['cookie-session-no-secure', 'cookie-session-no-httponly', 'cookie-session-no-samesite'],
  cookies: ['cookie-no-secure', 'cookie-no-samesite', 'cookie-samesite-invalid'],
  // One list of origins.
  cors: ['cors-reflects-origin-credentials', 'cors-null-credentials', 'cors-reflects-origin'],
  // One policy with a nonce.
  'script-sources': [
    'csp-script-unsafe-inline',
    'csp-script-wildcard',
    'csp-script-scheme',
    'csp-bypass-host',
  ],
  framing: [
    'framing-open',
    'framing-allow-all',
    'xfo-allow-from',
    'xfo-invalid',
    'csp-frame-ancestors-missing',
  ],
  redirects: [
    'redirect-no-page',
    'redirect-loop',
    'redirect-too-many',
    'redirect-to-nowhere',
    'location-invalid',
    'location-scheme-not-allowed',
    'page-interstitial',
    'entry-points-all-broken',
    'entry-point-broken',
  ],
  'error-status': ['target-error-status', 'entry-point-error-status'],
  'dnssec-bogus': [
    'dnssec-bogus',
    'dnssec-ds-without-key',
    'dnssec-signature-invalid',
    'dnssec-denial-invalid',
  ],
  // A server that cannot answer for a type.
  'caa-lookup': ['caa-lookup-failed', 'ns-type-failed', 'lookup-failed'],
  'mail-hosts': ['mx-none-reachable', 'mx-no-address', 'mx-private-address'],
};

const familyOf: ReadonlyMap<string, string> = new Map(
  Object.entries(families).flatMap(([family, codes]) => codes.map((code) => [code, family] as const)),
);

/**
 * Puts together the findings that one fix ends, in whatever reports they stand: an expired certificate is seen by TLS, by the headers and by
 * the page load. Conclusions, and own findings that repeat one of a part, are left out. The order is that of the dearest finding of each.
 */
export function groupByFix<T extends DomainFinding>(all: readonly T[]): readonly FixGroup<T>[] {
  const parts = new Set(all.filter(isOfPart).map(({ check, code }) => `${check} ${code}`));
  const told = all.filter((one) => !isRepeated(one, parts));
  const expired = told.find(({ code }) => code === 'certificate-expired');
  const groups = [...Map.groupBy(told, (one) => keyOf(one, expired)).values()];
  return groups
    .map((group) => group.toSorted(bySpeaker))
    .flatMap(([main, ...others]) => (main ? [{ main, others }] : []))
    .toSorted((a, b) => costOf(a) - costOf(b));
}

/** What a fault costs the domain's score, in all parts together: 0 or below. */
export function costOf({ main, others }: FixGroup<DomainFinding>): number {
  const sum = [main, ...others].reduce((total, { domainEffect }) => total + domainEffect, 0);
  return Math.round(sum * 10) / 10 + 0;
}

function isOfPart({ check }: DomainFinding): boolean {
  return check !== 'domain-health';
}

/** Whether it is an own finding that says again what a part's finding says. */
function isRepeated(one: DomainFinding, parts: ReadonlySet<string>): boolean {
  if (isOfPart(one)) return false;
  if (conclusions.has(one.code)) return true;
  return one.evidence.some(({ check, code }) => parts.has(`${String(check)} ${String(code)}`));
}

/** @param expired the finding of the certificate of the web host that has expired, where it has */
function keyOf(one: DomainFinding, expired: DomainFinding | undefined): string {
  if (!certificateCodes.includes(one.code)) return familyOf.get(one.code) ?? recordKeyOf(one) ?? one.code;
  const host = hostOf(one);
  const isSame =
    expired !== undefined && one.evidence.some(({ reason }) => isExpiry(reason)) && isCovered(host, expired);
  return `certificate ${isSame ? expired.target : host}`;
}

function recordKeyOf({ fix }: DomainFinding): string | undefined {
  const record = fix?.record;
  return record && `record ${record.type} ${record.name} ${record.value}`;
}

/**
 * Whether the certificate that has expired is also that of another host, as far as its subject tells: it names the host, by a wildcard too, or
 * the host is its www. Any other host may have a certificate of its own, which ends by a renewal of its own.
 */
function isCovered(host: string, { target, evidence }: DomainFinding): boolean {
  const subjects = evidence.flatMap(({ subject }) => (typeof subject === 'string' ? [subject] : []));
  const [, parent] = /^[^.]+\.(.+)$/.exec(host) ?? [];
  return [target, ...subjects].some(
    (name) => name === host || name === `*.${parent}` || host === `www.${name}`,
  );
}

function isExpiry(reason: unknown): boolean {
  return typeof reason === 'string' && /expired/i.test(reason);
}

/** The host that showed the certificate. */
function hostOf({ evidence, target }: DomainFinding): string {
  const [first = {}] = evidence;
  const at = first['at'] ?? first['url'];
  const named = typeof at === 'string' ? URL.parse(at)?.hostname : undefined;
  return named ?? URL.parse(target)?.hostname ?? target;
}

const order = ['ssl-check', 'dns-check', 'security-header-check', 'pagespeed-check', 'redirect-check'];

// The check that looks closest at a thing says most of it; of several findings of one check the dearest speaks.
function bySpeaker(a: DomainFinding, b: DomainFinding): number {
  const rank = ({ check }: DomainFinding) => (order.includes(check) ? order.indexOf(check) : order.length);
  return rank(a) - rank(b) || a.domainEffect - b.domainEffect;
}
