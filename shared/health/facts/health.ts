import type { Registration } from '../../catalogue/domain-health/registration.ts';
import { type CategoryName, categoryNames } from '../../catalogue/domain-health/weights.ts';
import { certificateRules } from '../../catalogue/ssl-check/rules/certificate.ts';
import type { Finding } from '../../model/finding.ts';
import type { Report } from '../../model/report.ts';
import { withoutFragment } from '../../targets/without-fragment.ts';
import type { HealthEvidence } from '../evidence.ts';
import { type Category, readCategories } from './categories.ts';
import { type Delegation, readDelegation } from './delegation.ts';
import { type EntryPoint, readEntryPoints } from './entry-points.ts';
import { type FamilyFacts, readFamilies } from './families.ts';
import { type DnsFields, readDnsFields, readSpeedFields, readTrust } from './fields.ts';
import type { LinkTargets } from './links.ts';
import { findingIn, readSource, type SourceFacts } from './source.ts';
import { readWeb, type WebFacts } from './web.ts';

/** What the registry and the parent zone tell of a domain. */
export type RegistrationFacts = {
  /** undefined in evidence of earlier releases. */
  readonly registration: Registration | undefined;
  readonly delegation: Delegation;
  /** When the report was checked, Unix ms. */
  readonly at: number;
};

/** Every source, read once. */
export type SourcesRead = {
  /** The parts that were asked for. */
  readonly parts: readonly CategoryName[];
  readonly asked: LinkTargets;
  readonly dns: SourceFacts;
  readonly dnsFields: DnsFields | null;
  readonly ssl: SourceFacts;
  readonly headers: SourceFacts;
  readonly performance: SourceFacts;
  /** The mail hosts; undefined where nothing is told of them. */
  readonly smtp: SourceFacts | undefined;
  readonly entries: readonly EntryPoint[];
  readonly families: readonly FamilyFacts[];
  readonly registration: RegistrationFacts;
};

/** All that a domain is judged by. */
export type HealthFacts = SourcesRead & {
  readonly domain: string;
  readonly webHost: string;
  readonly exists: boolean;
  /** Every source: that of each category and of each entry point. */
  readonly all: readonly SourceFacts[];
  readonly web: WebFacts;
  readonly categories: readonly Category[];
};

/** Reads the evidence: each source once, then what they say together. @param at when the report was checked, Unix ms */
export function readHealth(evidence: HealthEvidence, at: number): HealthFacts {
  const { domain, webHost, pageUrl } = evidence;
  const dns = readSource(evidence.dns);
  const ssl = readSource(evidence.ssl);
  const headers = readSource(evidence.headers);
  const performance = readSource(evidence.performance);
  return joinSources({
    parts: evidence.parts ?? categoryNames,
    asked: {
      domain,
      ...(webHost === undefined ? {} : { webHost }),
      ...(pageUrl === undefined ? {} : { pageUrl }),
    },
    dns,
    dnsFields: dns.report && readDnsFields(dns.report),
    ssl,
    headers,
    performance,
    smtp: evidence.smtp && readSource(evidence.smtp),
    entries: joinBrowserEnd(readEntryPoints(evidence), performance),
    families: readFamilies(ssl, headers),
    registration: { registration: evidence.registration, delegation: readDelegation(dns), at },
  });
}

/** What the sources say together. */
export function joinSources(sources: SourcesRead): HealthFacts {
  const { asked, dns, dnsFields, ssl, headers, performance, entries } = sources;
  const { domain, webHost = domain } = asked;
  const web = readWeb(domain, entries, { dns: dnsFields, ssl });
  const exists = findingIn(dns, 'domain-not-found') === undefined && dnsFields?.exists !== false;
  return {
    ...sources,
    domain,
    webHost,
    exists,
    web,
    all: [dns, ssl, headers, performance, ...entries.map((entry) => entry.source)],
    categories: readCategories({ ...sources, exists, web }),
  };
}

/** The host whose TLS ssl-failed tells of; null where it tells of none. */
export function failedHostOf({ categories, ...facts }: HealthFacts): string | null {
  const failed = categories.find((category) => category.name === 'ssl' && hasFailedTls(category, facts));
  return failed?.link.target ?? null;
}

/**
 * The entry points with what a real browser proved of them: from the page at which redirect-check ended, scripts and refreshes sent it on to
 * another, or it stayed there. Of an entry point that ends at another page than the browser came to, the browser says nothing.
 */
function joinBrowserEnd(entries: readonly EntryPoint[], performance: SourceFacts): readonly EntryPoint[] {
  const { finalUrl = null, sentOn } = (performance.report && readSpeedFields(performance.report)) ?? {};
  if (finalUrl === null || sentOn === undefined) return entries;
  const from = withoutFragment(sentOn?.from ?? finalUrl);
  return entries.map((entry) => {
    const end = entry.fields?.finalUrl ?? null;
    const isSame = entry.end === 'arrived' && end !== null && withoutFragment(end) === from;
    return isSame ? { ...entry, sentOnTo: sentOn?.to ?? null } : entry;
  });
}

/** What is asked to tell TLS that fails. */
export type TlsFacts = { readonly ssl: SourceFacts; readonly web: WebFacts };

/**
 * True where TLS was spoken, is graded F, and that concerns the clients of today: what they are shown is not trusted, or something else than a
 * certificate is grave. A certificate that only others are shown (with an RSA key, beside a good one with ECDSA) turns away these alone.
 */
export function hasFailedTls(
  { grade }: Pick<Category, 'grade'>,
  { ssl: { report }, web }: TlsFacts,
): boolean {
  if (grade !== 'F' || web.tlsRefusal !== null || report === null) return false;
  const isOfToday = ({ code }: Finding) => !Object.hasOwn(certificateRules, code);
  return readTrust(report) !== true || graveFindings(report).some(isOfToday);
}

/** The findings that ssl-check calls critical or high. */
export function graveFindings({ findings }: Report): readonly Finding[] {
  return findings.filter(({ severity }) => severity === 'critical' || severity === 'high');
}
