/** What a report has less of than was seen: the field with its lists, how many items were kept, and of how many. */
export type Truncated = { readonly field: string; readonly kept: number; readonly of: number };

/**
 * Longest JSON of a report, in bytes. Captured ordinary sites give 6 to 28 kB, and the header texts of one report may have
 * 256 KiB by their own limit; a hostile site made 2.6 MB of it, and every report is kept for weeks.
 */
export const reportLimitBytes = 524_288;

/** How much is kept of each list and each text, from one try to the next. */
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

/** An object with more names than this is a table whose names a target chose; one with fewer has fields, which stay. */
const leastTable = 50;
/** Fields named at most; the paths of a hostile report may be as many as its items. */
const toldLimit = 50;
// What a check's rules and the request make as long as it is: cut is only what they hold.
const whole: ReadonlySet<string> = new Set(['', 'findings', 'passed', 'notTested', 'summary', 'target']);

/**
 * A report of at most `limitBytes`: where it is longer, its longest lists, tables and texts are cut, and `truncated` says which
 * and by how much. Pure: the same report is always cut the same way.
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

type Tell = (field: string, kept: number, of: number) => void;

function cutValue(value: unknown, field: string, level: Level, tell: Tell): unknown {
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

function cutText(text: string, field: string, { characters }: Level, tell: Tell): string {
  if (text.length <= characters) return text;
  tell(field, characters, text.length);
  return `${text.slice(0, characters)}…`;
}

// Nested so deep that even short lists are long: whole fields go, the longest first.
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
  // A character has three bytes at most in UTF-8 for each unit of its length.
  return json.length * 3 <= limitBytes || Buffer.byteLength(json) <= limitBytes;
}
