type Field = { readonly name: string; readonly value: string };

/**
 * Writes the head of an answer as HTTP has it, in the way in which Chromium reads it (net/http/http_util.cc, http_response_headers.cc): CR
 * and LF each end a line; lines without a colon or with a name that is no token are left out; a folded line goes on with a space; one
 * Content-Length that is no number counts for nothing.
 * @param head from its status line to the empty line, each byte one character (latin1)
 * @returns undefined where browsers refuse it too
 */
export function rewriteHead(head: string): string | undefined {
  if (head.includes('\0')) return undefined;
  const [first = '', ...lines] = head.split(/[\r\n]/);
  const status = rewriteStatus(first);
  if (status === undefined) return undefined;
  const fields = joinLengths(readFields(joinFolds(lines)));
  // The parser cuts spaces and tabs from the ends of a value. Of what else stands there browsers cut nothing.
  return [status, ...fields.map(({ name, value }) => `${name}:${value}`), '', ''].join('\r\n');
}

/** Chromium reads a version that it does not know as 1.0 or 1.1, and an answer without a status as 200. */
function rewriteStatus(line: string): string | undefined {
  const space = line.indexOf(' ');
  const [version, rest] =
    space < 0 ? [line, ''] : [line.slice(0, space), line.slice(space).replace(/^ +/, '')];
  const [isHttp, number = ''] = /^http(?:\/(\d\.\d))?/i.exec(version) ?? [];
  if (isHttp === undefined) return undefined;
  const digits = /^\d*/.exec(rest)?.[0] ?? '';
  if (digits !== '' && (digits.length !== 3 || digits.startsWith('0'))) return undefined;
  const status = digits === '' ? '200' : digits;
  return `HTTP/${number < '1.1' ? '1.0' : '1.1'} ${status} ${rest.slice(digits.length).trimStart()}`;
}

/** Lines, those that begin with a space joined to the field before. */
function joinFolds(lines: readonly string[]): readonly string[] {
  const joined: string[][] = [];
  for (const line of lines) {
    const before = joined.at(-1);
    if (line === '') continue;
    if (before && isFolded(line) && canGoOn(before[0] ?? '')) before.push(line.replace(/^[ \t]+/, ''));
    else joined.push([line]);
  }
  return joined.map((parts) => parts.join(' '));
}

function isFolded(line: string): boolean {
  return line.startsWith(' ') || line.startsWith('\t');
}

function canGoOn(line: string): boolean {
  return line.indexOf(':') > 0 && !isFolded(line);
}

const fieldName = /^([!#$%&'*+.^_`|~\w-]+)[ \t]*$/;

function readFields(lines: readonly string[]): readonly Field[] {
  return lines.flatMap((line) => {
    const colon = line.indexOf(':');
    if (colon < 0 || isFolded(line)) return [];
    const name = fieldName.exec(line.slice(0, colon))?.[1];
    return name === undefined ? [] : [{ name, value: line.slice(colon + 1) }];
  });
}

/** One Content-Length instead of several that say the same, none beside chunks and none that is no number; those that differ stay, and are refused. */
function joinLengths(fields: readonly Field[]): readonly Field[] {
  const lengths = fields.filter((field) => isNamed(field, 'content-length'));
  const [value = '', ...others] = lengths.flatMap((field) => field.value.split(',').map(readLength));
  const isChunked = fields.some(
    (field) => isNamed(field, 'transfer-encoding') && /\bchunked\b/i.test(field.value),
  );
  if (!isChunked && others.some((other) => other !== value)) return fields;
  const kept = isChunked || !/^\d{1,15}$/.test(value) ? [] : [{ name: 'Content-Length', value: ` ${value}` }];
  return fields.flatMap((field) => {
    if (!isNamed(field, 'content-length')) return [field];
    return field === lengths[0] ? kept : [];
  });
}

function readLength(text: string): string {
  return /^[ \t]*([^ \t]*)[ \t]*$/.exec(text)?.[1] ?? text;
}

function isNamed({ name }: Field, lowerCase: string): boolean {
  return name.toLowerCase() === lowerCase;
}
