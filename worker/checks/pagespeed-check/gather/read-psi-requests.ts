import { siteOf } from '#shared/targets/parse-target';
import { cleanAddress } from '../../../probes/browser/clean-address.ts';
import type { RequestObservation, RequestsObservation } from '../../../probes/browser/port.ts';
import { type Bag, bagOf, finiteOf, listOf, textOf } from '../../../probes/browser/untyped.ts';

/** Rows that are looked at; a page may make thousands. */
const mostRows = 2000;
const mostEntries = 500;

/** The requests of a load by PageSpeed Insights: Lighthouse's own table has neither initiators nor phases. Every part is looked at before it is believed. */
export function readPsiRequests(details: unknown, finalUrl: string): RequestsObservation | undefined {
  const all = listOf(bagOf(details)['items']);
  const final = siteOfUrl(finalUrl);
  const rows = all
    .slice(0, mostRows)
    .map(bagOf)
    .flatMap((row) => readRow(row, final) ?? []);
  if (rows.length === 0) return undefined;
  const wire = rows.filter(({ url }) => /^https?:/.test(url));
  const sum = (some: readonly RequestObservation[]) => some.reduce((total, { bytes }) => total + bytes, 0);
  return {
    total: all.length,
    overNetwork: wire.length,
    bytes: sum(wire),
    thirdPartyBytes: sum(wire.filter(({ isThirdParty }) => isThirdParty)),
    entries: rows.toSorted((one, other) => one.startMs - other.startMs).slice(0, mostEntries),
  };
}

function siteOfUrl(address: string): string | undefined {
  const url = URL.parse(address);
  return url && url.hostname !== '' ? siteOf(url.hostname) : undefined;
}

function readRow(row: Bag, final: string | undefined): RequestObservation | undefined {
  const [startMs, endMs] = [finiteOf(row['networkRequestTime']), finiteOf(row['networkEndTime'])];
  const url = textOf(row['url']);
  if (startMs === undefined || endMs === undefined || !/^(?:https?|data|blob):/.test(url)) return undefined;
  const numberOf = (name: string) => Math.max(0, Math.round(finiteOf(row[name]) ?? 0));
  const wordOf = (name: string) => textOf(row[name]).slice(0, 100) || null;
  const site = siteOfUrl(url);
  const entity = wordOf('entity');
  return {
    url: cleanAddress(url, final ?? ''),
    method: 'GET',
    type: wordOf('resourceType') ?? 'Other',
    status: numberOf('statusCode'),
    protocol: wordOf('protocol'),
    mimeType: wordOf('mimeType'),
    bytes: numberOf('transferSize'),
    decodedBytes: numberOf('resourceSize'),
    startMs: Math.round(Math.max(0, startMs)),
    endMs: Math.round(Math.max(0, startMs, endMs)),
    priority: wordOf('priority'),
    // Where nobody is known, Lighthouse names the registrable domain.
    owner: entity === site ? null : entity,
    isThirdParty: site !== undefined && final !== undefined && site !== final,
    initiator: { type: 'other', url: null },
    fromCache: ['disk', 'memory', 'prefetch'].includes(textOf(row['cache'])),
    failure: null,
    timings: null,
  };
}
