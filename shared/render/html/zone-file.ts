import { block, type Markup, markup, nothing } from '../markup.ts';
import { cut, jsonText, visible } from '../visible-text.ts';
import { quoteText } from '../zone-line.ts';

type Records = { readonly [type: string]: readonly { readonly data?: unknown; readonly ttl: number }[] };

const mostRecords = 100;
const longestData = 2000;
/** Fields of a record that are names, and so end with a dot in a zone file. */
const nameFields = new Set(['exchange', 'mname', 'rname', 'target']);

/** The records that were seen, as lines of a zone file (RFC 1035 §5.1). Nothing where there are none. */
export function zoneFile(owner: string, records: Records): Markup {
  const lines = Object.entries(records).flatMap(([type, all]) =>
    all.map(
      ({ data, ttl }) =>
        `${visible(cut(owner, 253))}. ${ttl} IN ${visible(cut(type, 20))} ${printData(type, data)}`,
    ),
  );
  if (lines.length === 0) return nothing;
  const left = lines.length - mostRecords;
  return markup`<section class="picture"><h2>Records</h2>
<pre tabindex="0" aria-label="Records as a zone file"><code>${block(lines.slice(0, mostRecords).join('\n'))}</code></pre>${left > 0 ? markup`<p class="more">… ${left} more</p>` : nothing}</section>
`;
}

function printData(type: string, data: unknown): string {
  if (typeof data === 'string') return visible(cut(isNameType(type) ? `${data}.` : data, longestData));
  if (typeof data !== 'object' || data === null) return visible(cut(jsonText(data ?? null), longestData));
  const fields = Object.entries(data);
  const strings: unknown = Object.hasOwn(data, 'strings')
    ? (data as { strings: unknown }).strings
    : undefined;
  if (Array.isArray(strings)) return cut(strings.map((text) => quote(String(text))).join(' '), longestData);
  return cut(
    fields
      // A key's tag is worked out from the key; it is no field of the record.
      .filter(([name]) => type !== 'DNSKEY' || name !== 'keyTag')
      .map(([name, value]) => printField(type, name, value))
      .join(' '),
    longestData,
  );
}

function printField(type: string, name: string, value: unknown): string {
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'string') return visible(jsonText(value));
  if (nameFields.has(name)) return value === '' ? '.' : `${visible(value)}.`;
  return type === 'CAA' && name === 'value' ? quote(value) : visible(value);
}

// The report has one character for each byte.
function quote(text: string): string {
  return quoteText(Buffer.from(text, 'latin1'));
}

function isNameType(type: string): boolean {
  return ['NS', 'CNAME', 'DNAME', 'PTR'].includes(type);
}
