import type { HealthEvidence } from '../evidence.ts';
import { type Category, readCategories } from './categories.ts';
import { type EntryPoint, readEntryPoints } from './entry-points.ts';
import { hasFailedTls } from './failed-tls.ts';
import { type FamilyFacts, readFamilies } from './families.ts';
import { type DnsFields, readDnsFields } from './fields.ts';
import { findingIn, readSource, type SourceFacts } from './source.ts';
import { readWeb, type WebFacts } from './web.ts';

/** All that a domain is judged by. */
export type HealthFacts = {
  readonly domain: string;
  readonly webHost: string;
  readonly exists: boolean;
  readonly dns: SourceFacts;
  readonly dnsFields: DnsFields | null;
  readonly ssl: SourceFacts;
  /** Every source: that of each category and of each entry point. */
  readonly all: readonly SourceFacts[];
  readonly entries: readonly EntryPoint[];
  readonly web: WebFacts;
  readonly families: readonly FamilyFacts[];
  readonly categories: readonly Category[];
};

/** Reads the evidence: each source once, then what they say together. */
export function readHealth(evidence: HealthEvidence): HealthFacts {
  const { domain, webHost = domain } = evidence;
  const dns = readSource(evidence.dns);
  const ssl = readSource(evidence.ssl);
  const headers = readSource(evidence.headers);
  const performance = readSource(evidence.performance);
  const dnsFields = dns.report && readDnsFields(dns.report);
  const entries = readEntryPoints(evidence);
  const web = readWeb(domain, entries, { dns: dnsFields, ssl });
  const exists = findingIn(dns, 'domain-not-found') === undefined && dnsFields?.exists !== false;
  const sources = { domain, webHost, exists, dns, dnsFields, ssl, headers, performance, entries, web };
  const all = [dns, ssl, headers, performance, ...entries.map((entry) => entry.source)];
  const families = readFamilies(ssl, headers);
  return { ...sources, all, families, categories: readCategories({ ...sources, asked: evidence }) };
}

/** The host whose TLS ssl-failed tells of; null where it tells of none. */
export function failedHostOf({ categories, ...facts }: HealthFacts): string | null {
  const failed = categories.find((category) => category.name === 'ssl' && hasFailedTls(category, facts));
  return failed?.link.target ?? null;
}
