import { isToken, splitValues, trimSpaces } from './fields.ts';

export type ContentType = { readonly essence: string; readonly charset: string | null };

/** The media type that counts of all Content-Type lines: the last valid one (Fetch Standard, "extract a MIME type"); undefined where there is none. */
export function parseContentType(lines: readonly string[]): ContentType | undefined {
  return splitValues(lines)
    .map(parseOne)
    .findLast((type) => type !== undefined);
}

/** True where the answer is a page that runs scripts: HTML, XHTML, SVG and other XML, and what has no type and is guessed at. */
export function isDocument(type: ContentType | undefined): boolean {
  if (type === undefined) return true;
  return isHtml(type) || type.essence === 'image/svg+xml' || /^(text|application)\/xml$/.test(type.essence);
}

/** True for the types that an HTML parser reads. */
export function isHtml(type: ContentType | undefined): boolean {
  return type === undefined || type.essence === 'text/html' || type.essence === 'application/xhtml+xml';
}

function parseOne(text: string): ContentType | undefined {
  const [first = '', ...parameters] = text.split(';');
  const essence = trimSpaces(first).toLowerCase();
  if (essence === '*/*') return undefined;
  const slash = essence.indexOf('/');
  if (slash < 1 || !isToken(essence.slice(0, slash)) || !isToken(essence.slice(slash + 1))) return undefined;
  const charset = parameters
    .map((parameter) => parameter.split('='))
    .find(([name = '']) => trimSpaces(name).toLowerCase() === 'charset')?.[1];
  return {
    essence,
    charset: charset === undefined ? null : trimSpaces(charset).replaceAll('"', '').toLowerCase(),
  };
}
