import { statfsSync } from 'node:fs';

export type FlagSettings = {
  /** The port on 127.0.0.1 of the run's SOCKS proxy. */
  readonly proxyPort: number;
  readonly profile: string;
  readonly sandbox: boolean;
  /** SHA-256 of public keys (SPKI), base64, whose certificates are taken as good; labs with an authority of their own. */
  readonly trustedKeys: readonly string[];
};

/** Features that speak to Google, or change what is measured from one start to the next. */
const disabledFeatures = [
  'AcceptCHFrame',
  'AutofillServerCommunication',
  'CertificateTransparencyComponentUpdater',
  'DestroyProfileOnBrowserClose',
  'DialMediaRouteProvider',
  'HttpsUpgrades',
  'InterestFeedContentSuggestions',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PrivacySandboxSettings4',
  'ProcessPerSiteUpToMainFrameThreshold',
  'RenderDocument',
  'Translate',
];

/** The command line of a Chromium that reaches nothing but the proxy, and whose numbers can be compared. */
export function chromiumFlags(settings: FlagSettings): readonly string[] {
  return [
    ...reachNothingBut(settings.proxyPort),
    ...measureFairly,
    ...staySilent,
    `--user-data-dir=${settings.profile}`,
    '--headless=new',
    '--remote-debugging-pipe',
    ...(settings.trustedKeys.length > 0
      ? [`--ignore-certificate-errors-spki-list=${settings.trustedKeys.join(',')}`]
      : []),
    ...(settings.sandbox ? [] : ['--no-sandbox']),
    ...(hasRoomyShm() ? [] : ['--disable-dev-shm-usage']),
    'about:blank',
  ];
}

function reachNothingBut(proxyPort: number): readonly string[] {
  return [
    `--proxy-server=socks5://127.0.0.1:${proxyPort}`,
    // Without this Chromium goes to loopback directly.
    '--proxy-bypass-list=<-loopback>',
    // Names go to the proxy as names; EXCLUDE is what lets Chromium find the proxy itself.
    '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1',
    // STUN over UDP knows no proxy. Chromium obeys the first name of the switch, the headless shell only the second.
    '--webrtc-ip-handling-policy=disable_non_proxied_udp',
    '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
    '--disable-quic',
  ];
}

const measureFairly = [
  '--disable-background-timer-throttling',
  '--disable-backgrounding-occluded-windows',
  '--disable-renderer-backgrounding',
  '--disable-ipc-flooding-protection',
  '--disable-hang-monitor',
  '--force-color-profile=srgb',
  '--hide-scrollbars',
  '--mute-audio',
  // Background tracing would answer ours with "Tracing already started".
  '--force-fieldtrials=*BackgroundTracing/default/',
];

const staySilent = [
  `--disable-features=${disabledFeatures.join(',')}`,
  '--allow-browser-signin=false',
  // Port 9 discards; what still wants to speak to Google is refused by the proxy as well.
  '--gaia-url=http://127.0.0.1:9',
  '--google-apis-url=http://127.0.0.1:9',
  '--disable-background-networking',
  '--disable-breakpad',
  '--disable-client-side-phishing-detection',
  '--disable-component-extensions-with-background-pages',
  '--disable-component-update',
  '--disable-default-apps',
  '--disable-domain-reliability',
  '--disable-extensions',
  '--disable-prompt-on-repost',
  '--disable-search-engine-choice-screen',
  '--disable-sync',
  '--metrics-recording-only',
  '--no-default-browser-check',
  '--no-first-run',
  '--password-store=basic',
  '--use-mock-keychain',
];

// Docker gives 64 MB, in which large pages crash; on disk shared memory is slower.
function hasRoomyShm(): boolean {
  try {
    const { bavail, bsize } = statfsSync('/dev/shm');
    return bavail * bsize >= 512 * 1024 * 1024;
  } catch {
    return false; // no such folder: nothing to be roomy
  }
}
