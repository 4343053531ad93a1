import type { Logger } from '../telemetry/logger.ts';

/** Reads something that a store gave; undefined where `read` throws, which the log tells once of each id. */
export type RowReader = <T>(
  row: { readonly kind: string; readonly id: string },
  read: () => T,
) => T | undefined;

/** So many ids are remembered as told; a store full of foreign rows would else fill the log, or the memory. */
const toldLimit = 1000;

/**
 * Opens the reader of one store. What is in a store may be broken or written by somebody else: such a row is absent, never
 * trusted, and no caller is answered 500 for it.
 */
export function openRowReader(log: Logger): RowReader {
  const told = new Set<string>();
  return ({ kind, id }, read) => {
    try {
      return read();
    } catch (error) {
      const name = `${kind} ${id}`;
      if (!told.has(name) && told.size < toldLimit) {
        told.add(name);
        log.error({ kind, id, err: error }, 'a stored row does not fit its schema and is left out');
      }
      return undefined;
    }
  };
}
