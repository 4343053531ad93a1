import { MIMEType } from 'node:util';
import { type Fields, splitValues, valuesOf } from './fields.ts';

/** `charset` in lower case, as it was named: it may be no label that a browser knows. */
export type ContentType = { readonly essence: string; readonly charset: string | null };

/**
 * The media type that counts of all Content-Type lines (Fetch Standard, "extract a MIME type"): the last valid one, with the charset of an
 * earlier one of the same type where it names none itself.
 * @returns undefined where there is no valid one
 */
export function parseContentType(lines: readonly string[]): ContentType | undefined {
  let seen: ContentType | undefined;
  for (const text of splitValues(lines).slice(-valueLimit)) {
    const type = parseOne(text);
    if (!type) continue;
    const charset = type.charset ?? (seen?.essence === type.essence ? seen.charset : null);
    seen = { essence: type.essence, charset };
  }
  return seen;
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

/** True for an answer that browsers save as a file instead of showing it: it is an attachment, or of a type that they do not show. */
export function isDownload(fields: Fields): boolean {
  if (isAttachment(fields)) return true;
  const type = parseContentType(valuesOf(fields, 'content-type'));
  return type !== undefined && !shownTypes.test(type.essence);
}

/** True where Content-Disposition has another type than inline, known or not (RFC 6266 §4.2). */
export function isAttachment(fields: Fields): boolean {
  const dispositions = valuesOf(fields, 'content-disposition').flatMap(
    (value) => /^[ \t]*([\w!#$%&'*+.^`|~-]+)[ \t]*(?:;|$)/.exec(value)?.[1]?.toLowerCase() ?? [],
  );
  return dispositions.some((type) => type !== 'inline');
}

/** Measured in Chromium 153; it shows PDF too, but obeys no Refresh there. */
const shownTypes =
  /^(?:text|image|audio|video)\/|^application\/(?:json|javascript|xml|[\w.-]+\+(?:xml|json))$/;

/** True for a label by which browsers decode (Encoding Standard, "get an encoding"; those of the replacement encoding show nothing). */
export function isCharsetLabel(label: string): boolean {
  try {
    return new TextDecoder(label).encoding !== '';
  } catch {
    return false;
  }
}

/** Values that are looked at, from the last; more is no mistake of a server. */
const valueLimit = 50;

function parseOne(text: string): ContentType | undefined {
  // Longer than any; keeps what is read bounded.
  const type = parseMimeType(text.slice(0, 1000));
  if (!type || type.essence === '*/*') return undefined;
  return { essence: type.essence, charset: type.params.get('charset')?.toLowerCase() ?? null };
}

function parseMimeType(text: string): MIMEType | undefined {
  try {
    return new MIMEType(text);
  } catch {
    return undefined; // by the standard it is none
  }
}
