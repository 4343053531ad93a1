import { isMalformed } from '#shared/model/verdict';
import type { LoadObservation } from '../../../probes/browser/port.ts';
import { bagOf, finiteOf, listOf, textOf } from '../../../probes/browser/untyped.ts';
import { parseImage } from './parse-image.ts';

/** A picture of the page while it loaded. */
export type Frame = {
  readonly atMs: number;
  readonly width: number;
  readonly height: number;
  /** JPEG, base64. */
  readonly jpeg: string;
};

/** More pixels than a thumbnail has; the browser that shows it would have to unpack them. */
const mostPixels = 1_000_000;

/** The pictures in order, without those that show the same as the one before. Only what begins as a JPEG counts: they come from a process that ran the target's code, and are served to others. */
export function readFrames(page: LoadObservation): readonly Frame[] {
  const frames = listOf(page.frames).map(bagOf);
  return frames
    .filter(({ jpeg }, index) => jpeg !== frames[index - 1]?.['jpeg'])
    .flatMap(({ atMs, jpeg }) => {
      const header = parseImage(Uint8Array.from(Buffer.from(textOf(jpeg), 'base64')));
      if (isMalformed(header) || header.type !== 'image/jpeg') return [];
      const { width, height } = header;
      // Written anew, so that nothing but base64 can stand in it.
      const base64 = Buffer.from(textOf(jpeg), 'base64').toString('base64');
      return width * height > mostPixels
        ? []
        : [{ atMs: Math.max(0, finiteOf(atMs) ?? 0), width, height, jpeg: base64 }];
    });
}
