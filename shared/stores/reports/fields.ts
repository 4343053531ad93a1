/** A row as it comes out of a store, which others may have written to. */
export type StoredFields = Readonly<Record<string, unknown>>;

/** A text of a row. Throws where the field is something else, as all functions here do. */
export function readText(row: StoredFields, name: string): string {
  const value = row[name];
  return typeof value === 'string' ? value : refuse(name);
}

/** An id of a row: a text of 1 to 64 characters. */
export function readId(row: StoredFields, name: string): string {
  const id = readText(row, name);
  return id.length > 0 && id.length <= 64 ? id : refuse(name);
}

/** A whole number of a row. */
export function readInteger(row: StoredFields, name: string): number {
  const value = row[name];
  return Number.isSafeInteger(value) ? (value as number) : refuse(name);
}

/** A number of a row, or null. A document of an earlier version lacks a field that a row has as null. */
export function readNumberOrNull(row: StoredFields, name: string): number | null {
  const value = row[name] ?? null;
  return value === null || (typeof value === 'number' && Number.isFinite(value)) ? value : refuse(name);
}

/** A text of a row, or null. */
export function readTextOrNull(row: StoredFields, name: string): string | null {
  return (row[name] ?? null) === null ? null : readText(row, name);
}

/** A text of a row that is one of a list. */
export function readOneOf<Name extends string>(
  row: StoredFields,
  name: string,
  names: readonly Name[],
): Name {
  const value = row[name];
  return names.find((known) => known === value) ?? refuse(name);
}

/** Throws that a field does not fit. */
export function refuse(name: string): never {
  throw new Error(`the field ${name} is not what it should be`);
}
