import { isMalformed } from '#shared/model/verdict';
import { readDictionary } from './structured.ts';

/** The names that Reporting-Endpoints defines; none where it does not parse, which drops it whole. */
export function parseReportingEndpoints(lines: readonly string[]): ReadonlySet<string> {
  const read = readDictionary(lines);
  if (isMalformed(read)) return new Set();
  const strings = [...read.dictionary].filter(([, [value]]) => typeof value === 'string');
  return new Set(strings.map(([name]) => name));
}

/** The groups that the older Report-To defines: JSON objects between commas; those without a name are "default". */
export function parseReportTo(lines: readonly string[]): ReadonlySet<string> {
  try {
    const groups: unknown = JSON.parse(`[${lines.join(',')}]`);
    return new Set((Array.isArray(groups) ? groups : []).map(groupName));
  } catch {
    return new Set(); // not JSON: browsers ignore the header
  }
}

function groupName(group: unknown): string {
  const name = typeof group === 'object' && group !== null && 'group' in group ? group.group : undefined;
  return typeof name === 'string' ? name : 'default';
}
