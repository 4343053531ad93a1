import type { Evidence, Json } from '#shared/model/verdict';

/** Rows of one audit that are kept; a hostile page can break a rule ten thousand times. */
const rowLimit = 10;
const textLimit = 300;
const chainLimit = 10;

/** The details of an audit as flat rows, the first few, and how many there were. */
export function readRows(details: unknown): { readonly rows: readonly Evidence[]; readonly count: number } {
  const rows = rowsOf(details);
  return { rows: rows.slice(0, rowLimit), count: rows.length };
}

/** The first element that the details of an audit name. */
export function findNode(details: unknown): { readonly selector: string; readonly snippet: string } | null {
  const items = isObject(details) && Array.isArray(details['items']) ? details['items'] : [];
  const node = items.find((item) => isObject(item) && item['type'] === 'node') as Bag | undefined;
  return node ? { selector: text(node['selector']), snippet: text(node['snippet']) } : null;
}

type Bag = { readonly [key: string]: unknown };

function isObject(value: unknown): value is Bag {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

// Lighthouse nests: a list holds tables, checklists, elements and titled sections; only tables are rows already.
function rowsOf(details: unknown): readonly Evidence[] {
  if (!isObject(details)) return [];
  const { type, items, value } = details;
  if (type === 'list-section') return rowsOf(value);
  if (type === 'network-tree') return longestChain(details['chains']);
  if (type === 'node') return [flatten({ node: details })];
  if (type === 'checklist' && isObject(items))
    return Object.entries(items).map(([check, item]) => ({
      check,
      passed: isObject(item) && item['value'] === true,
      label: isObject(item) ? text(item['label']) : '',
    }));
  if (!Array.isArray(items)) return [];
  if (type === 'list') return items.flatMap(rowsOf);
  return type === 'table' || type === 'opportunity' ? items.filter(isObject).map(flatten) : [];
}

function flatten(item: Bag): Evidence {
  const row: { [key: string]: Json } = Object.create(null);
  for (const [key, value] of Object.entries(item)) {
    if (isObject(value)) Object.assign(row, flattenValue(key, value));
    else if (typeof value === 'number') row[key] = round(value);
    else if (typeof value === 'string') row[key] = text(value);
    else if (typeof value === 'boolean') row[key] = value;
  }
  return { ...row };
}

function flattenValue(key: string, value: Bag): Evidence {
  if (value['type'] === 'node') return { selector: text(value['selector']), snippet: text(value['snippet']) };
  if (value['type'] === 'source-location')
    return { [key]: `${text(value['url'])}:${Number(value['line']) + 1}` };
  if (value['type'] === 'subitems') return reasonsOf(value['items']);
  const inner = value['value'] ?? value['text'];
  if (typeof inner === 'number') return { [key]: round(inner) };
  return typeof inner === 'string' ? { [key]: text(inner) } : {};
}

/** Of a row's own table the reasons are kept, and the elements or addresses that stand beside them. */
function reasonsOf(items: unknown): Evidence {
  const rows = (Array.isArray(items) ? items : []).filter(isObject);
  const reasons = firstOf(rows.flatMap((item) => [item['cause'], item['reason'], item['signal']]));
  const culprits = firstOf(rows.map(({ extra }) => nameOf(extra)));
  // The elements that break a rule of the row's own: what stands in a list and is no item.
  const related = firstOf(rows.map(({ relatedNode }) => isObject(relatedNode) && relatedNode['snippet']));
  return {
    ...(reasons.length > 0 ? { reasons } : {}),
    ...(culprits.length > 0 ? { culprits } : {}),
    ...(related.length > 0 ? { related } : {}),
  };
}

function nameOf(extra: unknown): unknown {
  return isObject(extra) ? (extra['type'] === 'node' ? extra['selector'] : extra['value']) : extra;
}

/** The first few that differ. */
function firstOf(values: readonly unknown[]): readonly string[] {
  const texts = values.filter((value) => typeof value === 'string').map(text);
  return [...new Set(texts)].filter((value) => value !== '').slice(0, 3);
}

function longestChain(chains: unknown): readonly Evidence[] {
  const rows: Evidence[] = [];
  let level = chains;
  while (isObject(level) && rows.length < chainLimit) {
    const next = Object.values(level).find((link) => isObject(link) && link['isLongest'] === true);
    if (!isObject(next)) break;
    rows.push({
      url: text(next['url']),
      endMs: round(Number(next['navStartToEndTime'])),
      bytes: Number(next['transferSize']),
    });
    level = next['children'];
  }
  return rows;
}

/** What the target may have written, cut. */
export function text(value: unknown): string {
  const whole = typeof value === 'string' ? value : '';
  return whole.length > textLimit ? `${whole.slice(0, textLimit)}…` : whole;
}

/** Shares keep four decimals, times and sizes one. */
export function round(value: number): number {
  if (!Number.isFinite(value)) return 0;
  const scale = Math.abs(value) < 1 ? 10_000 : 10;
  return Math.round(value * scale) / scale;
}
