import { Token } from 'structured-headers';
import { isMalformed, type Malformed } from '#shared/model/verdict';
import { readDictionary } from './structured.ts';

/** Feature → whether it is open to every frame. A Map: feature names are the target's. */
type PermissionsPolicy = {
  readonly features: ReadonlyMap<string, { readonly wildcard: boolean }>;
};

/**
 * Parses all Permissions-Policy lines together as a structured dictionary (RFC 9651 §3.2).
 * Browsers drop the whole header when it does not parse.
 */
export function parsePermissionsPolicy(lines: readonly string[]): PermissionsPolicy | Malformed {
  const read = readDictionary(lines);
  if (isMalformed(read)) return read;
  const features = new Map<string, { wildcard: boolean }>();
  for (const [feature, [value]] of read.dictionary) {
    const items: readonly unknown[] = Array.isArray(value) ? value.map(([item]) => item) : [value];
    features.set(feature, { wildcard: items.some(isStar) });
  }
  return { features };
}

/** True for the syntax of the older Feature-Policy: semicolons between features, quoted 'self' and 'none'. */
export function isFeaturePolicySyntax(text: string): boolean {
  return text.includes(';') || /'(?:self|none|src)'/.test(text) || /^\s*[a-z-]+ [^=]*$/.test(text);
}

function isStar(item: unknown): boolean {
  return item instanceof Token && item.toString() === '*';
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
