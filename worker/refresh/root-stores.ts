import { fingerprintDigits, otherStores } from '../certificates/trust/by-store.ts';
import { listBuiltInRoots } from '../certificates/trust/store.ts';

const url = 'https://ccadb.my.salesforce-sites.com/ccadb/AllCertificateRecordsCSVFormatv4';

/**
 * The text of `worker/certificates/trust/listed-roots.ts` for the CCADB's export of all certificate records.
 * @param csv the export
 * @param day of the export, "2026-08-22"
 * @throws Error where the export lacks more than a tenth of the roots of this Node: then it is another file, or only a part
 */
export function writeRootStores(csv: string, day: string): string {
  const roots = listBuiltInRoots().map((sha256) => sha256.slice(0, fingerprintDigits));
  const missing = new Set(roots);
  const byStores = new Map<string, string[]>();
  for (const record of readQuotedCsv(csv)) {
    const root = (record.get('SHA-256 Fingerprint') ?? '').toLowerCase().slice(0, fingerprintDigits);
    if (record.get('Certificate Record Type') !== 'Root Certificate' || !missing.delete(root)) continue;
    const stores = storesIn(record.get('Status of Root Cert') ?? '');
    byStores.set(stores, [...(byStores.get(stores) ?? []), root]);
  }
  if (missing.size > roots.length / 10)
    throw new Error(`${missing.size} of ${roots.length} roots are not in this export`);
  return `/** The day of the list below. */
const rootsListedOn = '${day}';

/**
 * Roots of Node's store by the other stores that have them too: the first ${fingerprintDigits} digits of their SHA-256.
 * Source: "Status of Root Cert" in ${url}.
 * Written by \`npm run refresh root-stores\`.
 */
const rootsByStores: { readonly [stores: string]: readonly string[] } = ${JSON.stringify(linesOf(byStores))};
`;
}

// "Apple: Included; Google Chrome: Included; Microsoft: Disabled; Mozilla: Included" → "Apple Chrome"
function storesIn(status: string): string {
  return otherStores.filter((store) => new RegExp(`\\b${store}: Included`).test(status)).join(' ');
}

function linesOf(byStores: ReadonlyMap<string, readonly string[]>): Record<string, string[]> {
  const perLine = 6;
  return Object.fromEntries(
    [...byStores].map(([stores, roots]) => {
      const sorted = roots.toSorted();
      const count = Math.ceil(sorted.length / perLine);
      return [
        stores,
        Array.from({ length: count }, (_, at) => sorted.slice(at * perLine, (at + 1) * perLine).join(' ')),
      ];
    }),
  );
}

/**
 * Reads CSV in which every field is quoted, as the CCADB exports it (RFC 4180).
 * @returns one record a row, by the names of the first row
 * @throws Error for text that is written in another way
 */
export function readQuotedCsv(text: string): readonly ReadonlyMap<string, string>[] {
  const field = /"((?:[^"]|"")*)"(,|\r?\n|$)/gy;
  const rows: string[][] = [[]];
  while (field.lastIndex < text.length) {
    const at = field.lastIndex;
    const match = field.exec(text);
    if (!match) throw new Error(`no quoted field at character ${at}`);
    const [, value = '', end] = match;
    rows.at(-1)?.push(value.replaceAll('""', '"'));
    if (end !== ',') rows.push([]);
  }
  const [names = [], ...records] = rows.filter((row) => row.length > 0);
  return records.map((row) => new Map(names.map((name, at) => [name, row[at] ?? ''])));
}
