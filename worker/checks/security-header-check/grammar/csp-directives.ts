import { editDistance } from '#shared/settings/edit-distance';

/** Directives whose values are source lists. */
export const sourceListDirectives: ReadonlySet<string> = new Set(
  `base-uri child-src connect-src default-src fenced-frame-src font-src form-action frame-ancestors frame-src img-src
  manifest-src media-src object-src script-src script-src-attr script-src-elem style-src style-src-attr
  style-src-elem worker-src`.split(/\s+/),
);

/** Directives that current browsers skip though they knew them once. */
export const deprecatedDirectives: ReadonlySet<string> = new Set(
  `block-all-mixed-content disown-opener navigate-to plugin-types prefetch-src referrer reflected-xss require-sri-for`.split(
    /\s+/,
  ),
);

const otherDirectives =
  `report-to report-uri require-trusted-types-for sandbox trusted-types upgrade-insecure-requests webrtc`.split(
    /\s+/,
  );

const known: ReadonlySet<string> = new Set([
  ...sourceListDirectives,
  ...deprecatedDirectives,
  ...otherDirectives,
]);

/** True for a directive that some browser knows or knew. */
export function isKnownDirective(name: string): boolean {
  return known.has(name);
}

/** The directive that a misspelt name was meant for: at most two letters put in, left out, changed or swapped. */
export function suggestDirective(name: string): string | undefined {
  if (name.length > 30) return undefined;
  const [best] = [...known]
    .map((directive) => ({ directive, distance: editDistance(name, directive) }))
    .filter(({ distance }) => distance <= 2)
    .toSorted((one, other) => one.distance - other.distance);
  return best?.directive;
}
