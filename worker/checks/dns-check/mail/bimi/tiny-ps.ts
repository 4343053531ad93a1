/** Elements of SVG Tiny 1.2 that draw or describe, without those that SVG Tiny PS takes away (draft-svg-tiny-ps-abrotman §2.3). */
export const allowedElements: ReadonlySet<string> = new Set(
  `svg title desc metadata defs g switch use path rect circle ellipse line polyline polygon text tspan textArea
  tbreak linearGradient radialGradient stop solidColor font font-face font-face-src font-face-name font-face-uri
  glyph missing-glyph hkern`.split(/\s+/),
);

/** Attributes that need not be there, and have one value if they are (draft-svg-tiny-ps-abrotman §2.3). */
export const fixedAttributes: ReadonlyMap<string, string> = new Map([
  ['zoomAndPan', 'disable'],
  ['externalResourcesRequired', 'false'],
  ['focusable', 'false'],
  ['snapshotTime', 'none'],
  ['playbackOrder', 'all'],
  ['timelineBegin', 'onLoad'],
]);

const reasons: ReadonlyMap<string, string> = new Map([
  ...['script', 'handler', 'listener'].map((name) => [name, 'which is a script'] as const),
  ...['animate', 'animateColor', 'animateMotion', 'animateTransform', 'set', 'mpath', 'discard'].map(
    (name) => [name, 'which is an animation'] as const,
  ),
  ...['image', 'foreignObject', 'audio', 'video', 'animation', 'prefetch'].map(
    (name) => [name, 'which embeds something that is not a drawing'] as const,
  ),
  ['a', 'which is a link'],
]);

/** Why an element is not allowed, as a clause. */
export function whyForbidden(name: string): string {
  return reasons.get(name) ?? 'which the profile does not allow';
}
