import { z } from 'zod';
import { type Markup, markup, printMarkup } from './markup.ts';

/** A picture of a page while it loaded, by what a report says of it. */
export type FrameSize = { readonly atMs: number; readonly width: number; readonly height: number };
/** One with its bytes, in base64. */
export type FramePicture = FrameSize & {
  readonly type: 'image/jpeg' | 'image/png' | 'image/webp';
  readonly base64: string;
};

const frameHeight = 180;
const labelHeight = 24;
const gap = 8;
const widest = 320;
const mostFrames = 12;

/** How the kept filmstrip of a report must come out of the store. */
export const filmstripSchema = z
  .array(
    z.object({
      atMs: z.number().min(0),
      width: z.int().min(1),
      height: z.int().min(1),
      jpeg: z.base64(),
    }),
  )
  .max(mostFrames);

/** The size of the strip in pixels, so that a page leaves room for it. */
export function sizeOfFilmstrip(frames: readonly FrameSize[]): {
  readonly width: number;
  readonly height: number;
} {
  const widths = frames.slice(0, mostFrames).map(shownWidth);
  return {
    width: widths.reduce((sum, width) => sum + width + gap, -gap),
    height: frameHeight + labelHeight,
  };
}

/** All frames side by side as one SVG, each with its time below: one request for a page, and nothing in it runs. */
export function drawFilmstrip(frames: readonly FramePicture[]): string {
  const shown = frames.slice(0, mostFrames);
  const { width, height } = sizeOfFilmstrip(shown);
  let x = 0;
  const drawn = shown.map((frame): Markup => {
    const [left, own] = [x, shownWidth(frame)];
    x += own + gap;
    return markup`<image x="${left}" width="${own}" height="${frameHeight}" href="data:${frame.type};base64,${frame.base64}"/><rect x="${left + 0.5}" y="0.5" width="${own - 1}" height="${frameHeight - 1}" fill="none" stroke="#767d87"/><text x="${left + own / 2}" y="${height - 7}" text-anchor="middle">${timeOf(frame)}</text>
`;
  });
  // Gray that can be read on the page's light and its dark ground: a picture does not know which one it has.
  return printMarkup(markup`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="13" fill="#767d87">
${drawn}</svg>
`);
}

/** "0.4 s". */
export function timeOf({ atMs }: Pick<FrameSize, 'atMs'>): string {
  return `${(atMs / 1000).toFixed(1)} s`;
}

function shownWidth({ width, height }: FrameSize): number {
  return Math.min(widest, Math.max(24, Math.round((width / height) * frameHeight)));
}
