/** One cut of a report: the field whose list, table or text was cut, and how many items or characters were kept of how many. */
export type Truncated = { readonly field: string; readonly kept: number; readonly of: number };

/**
 * Longest JSON of a report, in bytes. Ordinary sites give 6 to 28 kB, and one report may quote 256 KiB of header text. A hostile site
 * produced 2.6 MB, and every report is stored for weeks.
 */
export const reportLimitBytes = 524_288;

/** The limits of each try: how many items of a list and characters of a text are kept. */
const levels = [
  { items: 1000, characters: 16_384 },
  { items: 300, characters: 8192 },
  { items: 100, characters: 2048 },
  { items: 50, characters: 1024 },
  { items: 20, characters: 512 },
  { items: 10, characters: 256 },
  { items: 5, characters: 128 },
] as const;
type Level = (typeof levels)[number];

/** An object with more keys than this is a table whose keys the target chose. One with fewer has fields of ours, which stay. */
const leastTable = 50;
/** Most fields that `truncated` names: a hostile report may have as many paths as items. */
const toldLimit = 50;
// These are as long as the rules and the request make them, so only what they contain is cut.
const whole: ReadonlySet<string> = new Set(['', 'findings', 'passed', 'notTested', 'summary', 'target']);

/**
 * Gives a report of at most `limitBytes`. The longest lists, tables and texts of a longer one are cut, and `truncated` names them. Pure:
 * the same report is always cut in the same way.
 */
export function cutReport<T extends object>(report: T, limitBytes: number): T & { truncated?: Truncated[] } {
  if (fits(report, limitBytes)) return report;
  let cut = report;
  for (const level of levels) {
    cut = cutTo(report, level);
    if (fits(cut, limitBytes)) return cut;
  }
  return dropFields(cut, limitBytes);
}

function cutTo<T extends object>(report: T, level: Level): T & { truncated: Truncated[] } {
  const told = new Map<string, Truncated>();
  const cut = cutValue(report, '', level, (field, kept, of) => {
    const before = told.get(field) ?? { kept: 0, of: 0 };
    if (told.has(field) || told.size < toldLimit)
      told.set(field, { field, kept: before.kept + kept, of: before.of + of });
  }) as T;
  return { ...cut, truncated: [...told.values()] };
}

type TellCut = (field: string, kept: number, of: number) => void;

function cutValue(value: unknown, field: string, level: Level, tell: TellCut): unknown {
  if (typeof value === 'string') return cutText(value, field, level, tell);
  if (typeof value !== 'object' || value === null) return value;
  const keep = (all: readonly unknown[], most: number) => {
    if (whole.has(field) || all.length <= most) return all;
    tell(field, most, all.length);
    return all.slice(0, most);
  };
  if (Array.isArray(value)) return keep(value, level.items).map((item) => cutValue(item, field, level, tell));
  const names = keep(Object.keys(value), Math.max(level.items, leastTable)) as readonly string[];
  const items = value as { readonly [name: string]: unknown };
  return Object.fromEntries(
    names.map((name) => [name, cutValue(items[name], field === '' ? name : `${field}.${name}`, level, tell)]),
  );
}

function cutText(text: string, field: string, { characters }: Level, tell: TellCut): string {
  if (text.length <= characters) return text;
  tell(field, characters, text.length);
  return `${text.slice(0, characters)}…`;
}

// For reports nested so deep that short lists still add up: drops whole fields, the longest first.
function dropFields<T extends object>(report: T, limitBytes: number): T & { truncated: Truncated[] } {
  const fields = Object.entries(report)
    .filter(([name]) => !whole.has(name) && name !== 'truncated')
    .map(([name, value]) => ({ name, length: JSON.stringify(value)?.length ?? 0 }))
    .sort((one, other) => other.length - one.length);
  let left = report;
  const truncated: Truncated[] = [];
  for (const { name } of fields) {
    if (fits(left, limitBytes)) break;
    left = Object.fromEntries(Object.entries(left).filter(([each]) => each !== name)) as T;
    truncated.push({ field: name, kept: 0, of: 1 });
  }
  return { ...left, truncated };
}

function fits(report: object, limitBytes: number): boolean {
  const json = JSON.stringify(report);
  // UTF-8 needs at most three bytes for each UTF-16 unit, so a short text needs no counting.
  return json.length * 3 <= limitBytes || Buffer.byteLength(json) <= limitBytes;
}
