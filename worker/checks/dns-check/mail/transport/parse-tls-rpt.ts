import { trimSpaces } from '../../../../mail/ascii.ts';
import { clip, type Fault, type Faulty } from '../../../../mail/fault.ts';
import { parseVersioned } from '../../../../mail/parse-versioned.ts';
import { parseReportUris } from '../dmarc/parse-report-uris.ts';

/** A TLS reporting record (RFC 8460 §3): where reports go. */
export type TlsRpt = { readonly rua: readonly string[] };

/** Reads "v=TLSRPTv1; rua=mailto:reports@example.com". */
export function parseTlsRpt(text: string): TlsRpt | Faulty {
  const read = parseVersioned(text, 'TLSRPTv1');
  if ('faults' in read) return read;
  const rua = read.fields.find(({ name }) => name === 'rua');
  if (!rua) return { faults: [{ at: text.length, term: '', problem: 'the field rua is missing' }] };
  const uris = parseReportUris(rua.value, rua.valueAt);
  const [fault, ...others] = uris.flatMap(({ uri, at, scheme, isUri, host }): Fault[] => {
    if (isUri && host !== null && (scheme === 'mailto' || scheme === 'https')) return [];
    return [{ at, term: clip(uri, 80), problem: 'an address begins with mailto: or https:' }];
  });
  return fault ? { faults: [fault, ...others] } : { rua: uris.map(({ uri }) => trimSpaces(uri).text) };
}
