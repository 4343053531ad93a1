import { type BareItem, type InnerList, type Item, type Parameters, Token } from 'structured-headers';
import { isMalformed, type Malformed } from '#shared/model/verdict';
import { splitValues } from '../../../web/fields.ts';
import { parseCspSource } from './csp-source.ts';
import { readDictionary } from './structured.ts';

/** Who may use a feature, as Chromium reads it, and what it drops. */
export type FeaturePolicy = {
  /** Every frame may. */
  readonly wildcard: boolean;
  readonly self: boolean;
  readonly origins: number;
  /** What has no meaning in its list, as clauses: "none is no origin, self or *". */
  readonly ignored: readonly string[];
  /** Features behind its semicolons, where browsers look for none. */
  readonly dropped: readonly string[];
};

/** A Map: feature names are the target's. */
type PermissionsPolicy = { readonly features: ReadonlyMap<string, FeaturePolicy> };

/**
 * Parses all Permissions-Policy lines together as a structured dictionary (RFC 9651 §3.2). Browsers drop the whole header when it does not
 * parse, and of one that does each word that they do not know (measured in Chromium 153: `camera=none;microphone=none` lets nobody use the
 * camera, for want of a word that it knows, and says nothing of the microphone).
 */
export function parsePermissionsPolicy(lines: readonly string[]): PermissionsPolicy | Malformed {
  const read = readDictionary(lines);
  if (isMalformed(read)) return read;
  const repeated = findRepeated(lines);
  const features = [...read.dictionary].map(([feature, value]): [string, FeaturePolicy] => {
    const ignored = repeated.has(feature)
      ? [`it is named ${repeated.get(feature)} times, and the last counts`]
      : [];
    return [feature, readFeature(value, ignored)];
  });
  return { features: new Map(features) };
}

function readFeature([value, parameters]: Item | InnerList, repeated: readonly string[]): FeaturePolicy {
  const items: readonly Item[] = Array.isArray(value) ? value : [[value, new Map()]];
  const read = items.map(([item]) => readAllowed(item));
  return {
    wildcard: read.includes('any'),
    self: read.includes('self'),
    origins: read.filter((one) => one === 'origin').length,
    ignored: [...repeated, ...items.flatMap(([item], at) => (read[at] === null ? [whyDropped(item)] : []))],
    dropped: [parameters, ...items.map(([, own]) => own)].flatMap(findFeatures),
  };
}

/** What an item of a list allows; null where browsers drop it. */
function readAllowed(item: BareItem): 'any' | 'self' | 'origin' | null {
  if (item instanceof Token) return keywords.get(item.toString()) ?? null;
  return typeof item === 'string' ? (texts.get(item) ?? readSource(item)) : null;
}

const keywords: ReadonlyMap<string, 'any' | 'self'> = new Map([
  ['*', 'any'],
  ['self', 'self'],
]);
const texts: ReadonlyMap<string, 'any' | 'self'> = new Map([
  ['*', 'any'],
  ["'self'", 'self'],
]);

/** A text is read as a source of a Content-Security-Policy is, but for one without a scheme. */
function readSource(text: string): 'any' | 'origin' | null {
  const source = parseCspSource(text);
  if (source.kind === 'scheme') return /^https?$/.test(source.scheme) ? 'any' : 'origin';
  if (source.kind !== 'host' || source.scheme === null) return null;
  return source.host === '*' ? 'any' : 'origin';
}

function whyDropped(item: BareItem): string {
  if (item === true) return 'it has no list of who may use it';
  if (item === false) return '?0 is no origin, self or *';
  const shown = typeof item === 'string' ? JSON.stringify(item.slice(0, 100)) : String(item).slice(0, 100);
  return `${shown} is no origin, self or *`;
}

function findFeatures(parameters: Parameters): string[] {
  return [...parameters.keys()].filter((name) => knownFeatures.has(name));
}

/** Features that are named more than once, with how often. */
function findRepeated(lines: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const piece of splitValues(lines)) {
    const name = /^[a-z*][a-z0-9_.*-]*/.exec(piece)?.[0];
    if (name !== undefined) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return new Map([...counts].filter(([, count]) => count > 1));
}

/** True for the syntax of the older Feature-Policy: semicolons between features, quoted 'self' and 'none'. */
export function isFeaturePolicySyntax(text: string): boolean {
  return text.includes(';') || /'(?:self|none|src)'/.test(text) || /^\s*[a-z-]+ [^=]*$/.test(text);
}

/** Features that the registry of policy-controlled features or a shipping browser names. */
export const knownFeatures: ReadonlySet<string> = new Set(
  `accelerometer all-screens-capture ambient-light-sensor aria-notify attribution-reporting autofill autoplay battery bluetooth
  browsing-topics camera captured-surface-control ch-device-memory ch-downlink ch-dpr ch-ect ch-prefers-color-scheme
  ch-prefers-reduced-motion ch-prefers-reduced-transparency ch-rtt ch-save-data ch-ua ch-ua-arch ch-ua-bitness ch-ua-form-factors
  ch-ua-full-version ch-ua-full-version-list ch-ua-high-entropy-values ch-ua-mobile ch-ua-model ch-ua-platform
  ch-ua-platform-version ch-ua-wow64 ch-viewport-height ch-viewport-width ch-width clipboard-read clipboard-write compute-pressure
  controlled-frame conversion-measurement cross-origin-isolated deferred-fetch deferred-fetch-minimal device-attributes
  digital-credentials-create digital-credentials-get direct-sockets direct-sockets-multicast direct-sockets-private display-capture
  document-domain encrypted-media execution-while-not-rendered execution-while-out-of-viewport fenced-unpartitioned-storage-read
  focus-without-user-activation fullscreen gamepad geolocation gyroscope hid identity-credentials-get idle-detection interest-cohort
  join-ad-interest-group keyboard-lock keyboard-map language-detector language-model local-fonts local-network
  local-network-access loopback-network magnetometer manual-text media-playback-while-not-visible mediasession microphone midi
  monetization navigation-override nfc on-device-speech-recognition otp-credentials payment picture-in-picture popins
  private-aggregation private-state-token-issuance private-state-token-redemption proofreader publickey-credentials-create
  publickey-credentials-get record-ad-auction-events rewriter run-ad-auction screen-wake-lock serial shared-autofill shared-storage
  shared-storage-select-url smart-card speaker-selection storage-access sub-apps summarizer sync-script sync-xhr tools
  translator trust-token-redemption unload usb usb-unrestricted vertical-scroll vr wake-lock web-app-installation web-printing
  web-share window-management window-placement writer xr xr-spatial-tracking`
    .split(/\s+/)
    .filter((feature) => feature !== ''),
);

/** Features that give away who or where the visitor is, or reach a device or money. */
export const powerfulFeatures: ReadonlySet<string> = new Set(
  `bluetooth camera clipboard-read display-capture geolocation hid local-fonts microphone midi payment
  publickey-credentials-get serial smart-card storage-access usb window-management`.split(/\s+/),
);
