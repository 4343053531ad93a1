import { isMalformed } from '#shared/model/verdict';
import { isTrustworthy } from '../../../web/trustworthy.ts';
import { readDictionary } from './structured.ts';

/**
 * The names that Reporting-Endpoints defines; none where it does not parse, which drops it whole. An address that is not trustworthy defines
 * nothing (Reporting API, "process reporting endpoints for response to request").
 * @param base the page's own address
 */
export function parseReportingEndpoints(lines: readonly string[], base: URL): ReadonlySet<string> {
  const read = readDictionary(lines);
  if (isMalformed(read)) return new Set();
  const defined = [...read.dictionary].filter(([, [value]]) => isEndpoint(value, base));
  return new Set(defined.map(([name]) => name));
}

/** The groups that the older Report-To defines: JSON objects between commas; those without a name are "default". */
export function parseReportTo(lines: readonly string[], base: URL): ReadonlySet<string> {
  try {
    const groups: unknown = JSON.parse(`[${lines.join(',')}]`);
    const defined = (Array.isArray(groups) ? groups : []).filter((group) => hasEndpoint(group, base));
    return new Set(defined.map(groupName));
  } catch {
    return new Set(); // not JSON: browsers ignore the header
  }
}

function hasEndpoint(group: unknown, base: URL): boolean {
  if (typeof group !== 'object' || group === null || !('endpoints' in group)) return false;
  const { endpoints } = group;
  return Array.isArray(endpoints) && endpoints.some((one: unknown) => isEndpoint(urlOf(one), base));
}

function urlOf(endpoint: unknown): unknown {
  return typeof endpoint === 'object' && endpoint !== null && 'url' in endpoint ? endpoint.url : undefined;
}

function isEndpoint(value: unknown, base: URL): boolean {
  const url = typeof value === 'string' ? URL.parse(value, base.href) : null;
  return url !== null && isTrustworthy(url) && isTrustworthy(base);
}

function groupName(group: unknown): string {
  const name = typeof group === 'object' && group !== null && 'group' in group ? group.group : undefined;
  return typeof name === 'string' ? name : 'default';
}
