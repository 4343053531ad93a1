import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isMalformed } from '#shared/model/verdict';
import { parseImage } from '../../../worker/checks/pagespeed-check/facts/parse-image.ts';
import {
  reportScreenshot,
  screenshotLimitBytes,
  screenshotOf,
} from '../../../worker/checks/pagespeed-check/report/screenshot.ts';
import { ended, load, seen } from './evidence-kit.ts';
import { jpeg, png, webpExtended, webpLossless, webpLossy } from './pictures.ts';
import { psiAnswer, seenByPsi } from './psi-kit.ts';

const kinds = [
  { name: 'a JPEG', make: jpeg, type: 'image/jpeg' },
  { name: 'a progressive JPEG', make: (w: number, h: number) => jpeg(w, h, 0xc2), type: 'image/jpeg' },
  { name: 'a PNG', make: png, type: 'image/png' },
  { name: 'a lossy WebP', make: webpLossy, type: 'image/webp' },
  { name: 'a lossless WebP', make: webpLossless, type: 'image/webp' },
  { name: 'a WebP with extras', make: webpExtended, type: 'image/webp' },
];

test.for(kinds)('$name tells its kind and its size', ({ make, type }) => {
  expect(parseImage(make(412, 823))).toEqual({ type, width: 412, height: 823 });
});

test.for(kinds)('$name of any size reads as it was written', ({ make, type }) => {
  const size = fc.integer({ min: 1, max: 16_383 });
  fc.assert(
    fc.property(size, size, (width, height) => {
      expect(parseImage(make(width, height))).toEqual({ type, width, height });
    }),
  );
});

test.for(kinds)('$name that is cut off in its header is none', ({ make }) => {
  const whole = make(412, 823);
  for (let end = 0; end < 20; end += 1) expect(isMalformed(parseImage(whole.subarray(0, end)))).toBe(true);
});

const bytesOf = (text: string) => new TextEncoder().encode(text);

test.for([
  { name: 'nothing', bytes: bytesOf('') },
  { name: 'HTML', bytes: bytesOf('<!doctype html><script>alert(1)</script>') },
  { name: 'an SVG', bytes: bytesOf('<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>') },
  { name: 'a GIF', bytes: bytesOf('GIF89a\x01\x00\x01\x00 and so on, long enough to be one') },
  {
    name: 'HTML behind the first two bytes of a JPEG',
    bytes: Uint8Array.from([0xff, 0xd8, ...bytesOf('<html>')]),
  },
  { name: 'a JPEG without width', bytes: jpeg(0, 10) },
  { name: 'a PNG without height', bytes: png(10, 0) },
  {
    name: 'a JPEG whose segments stand still',
    bytes: Uint8Array.from([0xff, 0xd8, 0xff, 0xe0, 0, 0, 0, 0, 0, 0, 0, 0]),
  },
  {
    name: 'a JPEG without a frame',
    bytes: Uint8Array.from([0xff, 0xd8, 0xff, 0xe0, 0, 2, 0xff, 0xd9, 0, 0, 0, 0]),
  },
])('$name is no picture', ({ bytes }) => {
  expect(isMalformed(parseImage(bytes))).toBe(true);
});

test('bytes of any kind never throw', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.constantFrom(...kinds), (bytes, { make }) => {
      for (const given of [bytes, Uint8Array.from([...make(1, 1).subarray(0, 16), ...bytes])]) {
        const parsed = parseImage(given);
        expect(isMalformed(parsed) || parsed.width * parsed.height > 0).toBe(true);
      }
    }),
  );
});

const shot = (bytes: Uint8Array) =>
  seen(load({ page: { screenshot: Buffer.from(bytes).toString('base64') } }));
const padded = (length: number) =>
  Uint8Array.from([...jpeg(412, 823), ...new Uint8Array(length - jpeg(1, 1).length)]);

test('a screenshot is given as bytes, and told without them', () => {
  expect(screenshotOf(shot(jpeg(412, 823)))).toEqual({ type: 'image/jpeg', bytes: jpeg(412, 823) });
  expect(reportScreenshot(shot(jpeg(412, 823)))).toEqual({
    type: 'image/jpeg',
    width: 412,
    height: 823,
    sizeBytes: jpeg(412, 823).length,
  });
});

test('what calls itself a screenshot and is a page is not given', () => {
  const evidence = shot(bytesOf('<!doctype html><script>alert(1)</script>'));
  expect(screenshotOf(evidence)).toBeUndefined();
  expect(reportScreenshot(evidence)).toBeNull();
});

test('256 kB are kept, a byte more is not', () => {
  expect(screenshotOf(shot(padded(screenshotLimitBytes)))?.bytes).toHaveLength(256_000);
  expect(screenshotOf(shot(padded(screenshotLimitBytes + 1)))).toBeUndefined();
  expect(screenshotOf(shot(padded(3 * screenshotLimitBytes)))).toBeUndefined();
});

test.for([
  { name: 'no screenshot', evidence: seen(load({ page: { screenshot: null } })) },
  { name: 'a page that was not measured', evidence: seen(ended({ kind: 'killed', why: 'deadline' })) },
  { name: 'no run', evidence: seen() },
  {
    name: 'text of another kind',
    evidence: seen(load({ page: { screenshot: { length: 1 } as unknown as string } })),
  },
])('$name gives none', ({ evidence }) => {
  expect(screenshotOf(evidence)).toBeUndefined();
});

test('of several runs the first one’s is given', () => {
  const [first] = shot(jpeg(1, 2)).runs;
  const [second] = shot(png(3, 4)).runs;
  if (!first || !second) throw new Error('there are two');
  expect(screenshotOf(seen(first, second))?.type).toBe('image/jpeg');
});

test('the screenshot of PageSpeed Insights is given as well', () => {
  expect(reportScreenshot(seenByPsi(psiAnswer()))).toMatchObject({ width: 412, height: 823 });
});
