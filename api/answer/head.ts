import { type ServerResponse, STATUS_CODES } from 'node:http';

/** What Node's own writeHead calls: it takes the first line of a head, and adds Date, Connection and Keep-Alive. */
type WithStoreHeader = {
  _storeHeader?(firstLine: string, fields: readonly string[]): void;
  /** False where an answer has none: Node would announce chunks. */
  _hasBody: boolean;
};

/**
 * Writes the head of an answer from fields of ours: values of a caller must have been judged before.
 * Node's writeHead checks each name and value by regular expressions, which cost as much as the rest of a cached answer (4 µs for twenty fields).
 * @param blocks flat lists of names and values
 * @param length of the body in bytes; undefined for an answer that has none, such as 304
 */
export function writeOwnHead(
  response: ServerResponse,
  status: number,
  blocks: readonly (readonly string[])[],
  length: number | undefined,
): void {
  const lengthField = length === undefined ? [] : ['Content-Length', String(length)];
  const low = response as unknown as WithStoreHeader;
  if (low._storeHeader === undefined)
    return void response.writeHead(status, [...blocks.flat(), ...lengthField]);
  response.statusCode = status;
  if (length === undefined) low._hasBody = false;
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`;
  for (const block of blocks)
    for (let index = 0; index < block.length; index += 2) head += `${block[index]}: ${block[index + 1]}\r\n`;
  low._storeHeader(head, lengthField);
}
