import type { CheckSpec } from '#shared/catalogue/spec';
import type { Fault } from '#shared/model/problem';
import {
  type Parsed,
  parseDomain,
  parseHttpUrl,
  siteOf,
  type TargetFault,
  type TargetPolicy,
  tellFault,
} from '#shared/targets/parse-target';
import { decodeSegment, type Query } from './read-query.ts';

export type TargetRead =
  | {
      readonly ok: true /** In normal form. */;
      readonly target: string /** The unit of the per-host limit. */;
      readonly host: string;
    }
  | { readonly ok: false; readonly kind: TargetFault['kind']; readonly fault: Fault };

/**
 * Reads the target of a request: the query parameter `url`, or the last part of the path.
 * @param address what was asked for, as it came: "/api/tools/dns-check/example.com?wait=5"
 */
export function readTarget(spec: CheckSpec, address: string, query: Query, policy: TargetPolicy): TargetRead {
  return spec.targetKind === 'url' ? readUrl(query, policy) : readDomain(address, policy);
}

function readUrl(query: Query, policy: TargetPolicy): TargetRead {
  const place = { in: 'query', name: 'url' } as const;
  const [text] = query.values.get('url') ?? [];
  if (text === undefined)
    return malformed({
      ...place,
      detail: 'Give the URL to check, percent-encoded: ?url=https%3A%2F%2Fexample.com%2F',
    });
  const parsed = parseHttpUrl(text, policy);
  return toRead(parsed, place, (url) => ({ target: url.href, host: siteOf(url.hostname) }));
}

function readDomain(address: string, policy: TargetPolicy): TargetRead {
  const place = { in: 'path', name: 'domain' } as const;
  const [path = ''] = address.split(/[?#]/, 1);
  const text = decodeSegment(path.slice(path.lastIndexOf('/') + 1));
  if (text === undefined)
    return malformed({ ...place, detail: 'The path is not valid percent-encoding of UTF-8.' });
  return toRead(parseDomain(text, policy), place, (domain) => ({ target: domain, host: siteOf(domain) }));
}

function toRead<T>(
  parsed: Parsed<T>,
  place: Pick<Fault, 'in' | 'name'>,
  read: (value: T) => { target: string; host: string },
): TargetRead {
  if (parsed.ok) return { ok: true, ...read(parsed.value) };
  return { ok: false, kind: parsed.fault.kind, fault: { ...place, detail: tellFault(parsed.fault) } };
}

function malformed(fault: Fault): TargetRead {
  return { ok: false, kind: 'malformed', fault };
}
