import { type PagespeedCode, rules } from '#shared/catalogue/pagespeed-check/rules';
import { keysOf } from '#shared/model/finding';
import type { Evidence, Fix } from '#shared/model/verdict';
import type { AuditObservation } from '../../../probes/browser/port.ts';
import { textOf } from '../../../probes/browser/untyped.ts';
import { displayBytes, displayMs } from '../facts/ratings.ts';

/** The entries of Lighthouse's checklists, as what is wrong; some of its own labels say what is wrong, others what should be. */
const failedChecks: ReadonlyMap<string, string> = new Map([
  ['noRedirects', 'the page is redirected before it begins'],
  ['serverResponseIsFast', 'the server answers slowly'],
  ['usesCompression', 'the document is not compressed'],
  ['priorityHinted', 'fetchpriority=high is missing'],
  ['requestDiscoverable', 'the image is not in the HTML'],
  ['eagerlyLoaded', 'the image waits because of loading=lazy'],
]);

/** What helps against each fault of the document's request. */
const cures: ReadonlyMap<string, string> = new Map([
  ['noRedirects', 'Link to the final address, so that no redirect comes before the page.'],
  ['serverResponseIsFast', 'Cache the page, or make its generation on the server faster.'],
  ['usesCompression', 'Compress the HTML document on the server, with Brotli or gzip.'],
]);

/** What helps against the faults of the document's request; undefined where none of them is known. */
export function fixOfLatency(audit: AuditObservation): Fix | undefined {
  const text = failedOf(audit).flatMap(({ check }) => cures.get(textOf(check)) ?? []);
  return text.length === 0 ? undefined : { text: text.join(' ') };
}

function failedOf({ items }: AuditObservation): AuditObservation['items'] {
  return items.filter(({ passed }) => passed === false);
}

/** One piece of evidence: what the rule's sentence needs, and the audit's first rows. */
export function summarise(code: PagespeedCode, audit: AuditObservation): Evidence {
  const { id, score, savings, items } = audit;
  const keys = keysOf(rules[code].detail);
  const told = Object.entries(tellAll(audit)).filter(([key]) => keys.includes(key));
  return { audit: id, ...Object.fromEntries(told), score, savings, items: items.slice(0, 3) };
}

/** All that the sentences of the rules may name. */
function tellAll(audit: AuditObservation): Evidence {
  const { display, items, itemCount, value, savedBytes } = audit;
  const [first = {}] = items;
  const failed = failedOf(audit).map(({ check, label }) => failedChecks.get(textOf(check)) ?? textOf(label));
  return {
    display: readAmount(display),
    value,
    count: itemCount,
    saved: savedBytes === null ? readAmount(display) : displayBytes(savedBytes),
    size: value === null ? 'an unknown size' : displayBytes(Math.round(value)),
    url: lastOrFirst(audit)['url'] ?? first['selector'] ?? 'the page itself',
    entity: first['entity'] ?? 'A third party',
    busy: displayMs(sumBusyMs(audit)),
    group: first['groupLabel'] ?? 'other work',
    failed: failed.join('; '),
  };
}

// Of a chain the end is what it keeps waiting; of a table the first row is the worst.
function lastOrFirst({ id, items }: AuditObservation): Evidence {
  return (id === 'network-dependency-tree-insight' ? items.at(-1) : items[0]) ?? {};
}

/** "Est savings of 30 ms" and "Root document took 710 ms" as "30 ms" and "710 ms". */
function readAmount(display: string | null): string {
  return /[\d.,]+\s*(?:ms|s|KiB|MiB)\b/.exec((display ?? '').slice(0, 200))?.[0] ?? 'some time';
}

/** The ms for which the rows of third parties kept the main thread busy, as observed. */
export function sumBusyMs({ items }: AuditObservation): number {
  const times = items.map(({ mainThreadTime }) => mainThreadTime);
  return times.reduce<number>((sum, time) => sum + (typeof time === 'number' ? time : 0), 0);
}
