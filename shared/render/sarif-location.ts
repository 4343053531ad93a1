import type { Report } from '../model/report.ts';
import { encodeURIComponentStrictly } from './link.ts';
import { targetOf } from './report-words.ts';

const longestFallback = 200;

/**
 * The target as a relative path, "example.com/path": code scanning refuses http and https addresses as locations. Query and
 * fragment are left out, the same page is then the same file; the port's colon is encoded, a first segment must have none
 * (RFC 3986 §4.2).
 */
export function artifactUri(report: Report): string {
  const target = targetOf(report);
  const url = /^https?:/i.test(target) ? URL.parse(target) : null;
  if (url === null) return nameSegment(target);
  return `${nameSegment(url.host)}${url.pathname.replace(/[^\w\-.~!$&'()*+,;=:@/%]|%(?![0-9A-Fa-f]{2})/gu, percent)}`;
}

/** One path segment, never empty and never a step up or down. */
function nameSegment(text: string): string {
  const segment = encodeURIComponentStrictly(text.slice(0, longestFallback));
  return /^\.*$/.test(segment) ? `target${segment.replaceAll('.', '%2E')}` : segment;
}

function percent(character: string): string {
  return character === '%' ? '%25' : encodeURIComponentStrictly(character);
}
