import { isMalformed } from '#shared/model/verdict';
import { isLoaded, type PagespeedEvidence } from '../evidence.ts';
import { type ImageHeader, parseImage } from '../facts/parse-image.ts';

/** A larger picture is not kept: 256 kB. */
export const screenshotLimitBytes = 256_000;

export type Screenshot = { readonly type: ImageHeader['type']; readonly bytes: Uint8Array };

/**
 * The page as it looked at the end of the first run; undefined without one. The bytes come from a process that ran the
 * target's code and are served to others, so only what begins as a JPEG, PNG or WebP does, at most 256 kB, counts as one.
 */
export function screenshotOf(evidence: PagespeedEvidence): Screenshot | undefined {
  const seen = readScreenshot(evidence);
  return seen && { type: seen.header.type, bytes: seen.bytes };
}

/** What the report says of the screenshot; the code that serves the bytes adds `href`. */
export function reportScreenshot(evidence: PagespeedEvidence) {
  const seen = readScreenshot(evidence);
  if (!seen) return null;
  const { type, width, height } = seen.header;
  return { width, height, type, sizeBytes: seen.bytes.length };
}

function readScreenshot({
  runs: [first],
}: PagespeedEvidence): { readonly header: ImageHeader; readonly bytes: Uint8Array } | undefined {
  const base64: unknown = first && isLoaded(first) ? first.end.page.screenshot : null;
  // Four base64 characters are three bytes. Check the length before decoding, so that a huge text is never decoded.
  if (typeof base64 !== 'string' || base64.length > Math.ceil(screenshotLimitBytes / 3) * 4) return undefined;
  const bytes = Uint8Array.from(Buffer.from(base64, 'base64'));
  const header = parseImage(bytes);
  return isMalformed(header) || bytes.length > screenshotLimitBytes ? undefined : { header, bytes };
}
