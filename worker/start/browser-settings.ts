import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Config } from '#shared/settings/config';
import { cruxBaseUrl } from '../probes/browser/field.ts';
import type { BrowserLimits } from '../probes/browser/open.ts';
import { psiBaseUrl } from '../probes/browser/psi.ts';
import { trafficBudget } from '../probes/browser/traffic-account.ts';
import type { ProbeSettings } from '../probes/open.ts';

/** The browser probe's settings, with production's limits. */
export function browserSettingsOf(config: Config): ProbeSettings['browser'] {
  return {
    browser: { path: config.BROWSER_PATH, folder: browserFolderOf(config) },
    noSandbox: config.BROWSER_NO_SANDBOX,
    limits: browserLimits,
    trustedAuthorities: readAuthorities(config.NODE_EXTRA_CA_CERTS),
    psi:
      config.PSI_API_KEY === undefined || config.BROWSER_PATH !== undefined
        ? undefined
        : { key: config.PSI_API_KEY, baseUrl: psiBaseUrl },
    field: config.CRUX_API_KEY === undefined ? undefined : { key: config.CRUX_API_KEY, baseUrl: cruxBaseUrl },
  };
}

// Of a run that keeps nothing, what was unpacked stays beside the other things that npm install would bring back.
function browserFolderOf({ DATA_DIR }: Config): string {
  if (DATA_DIR !== ':memory:') return join(DATA_DIR, 'browser');
  return fileURLToPath(new URL('../../node_modules/.cache/diag/browser', import.meta.url));
}

// Node trusts them by itself; Chromium has to be told.
function readAuthorities(path: string | undefined): string[] {
  if (path === undefined) return [];
  return readFileSync(path, 'utf8').match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
}

/** Production's limits: a usual page needs 6 s and 0.6 GB, and a greedy one takes 0.3 GB more before it is stopped; the waits are those of PageSpeed Insights, cut so that all fits into 50 s. */
export const browserLimits: BrowserLimits = {
  memoryBytes: 1_300_000_000,
  diskBytes: 100_000_000,
  watchEveryMs: 250,
  silentMs: 25_000,
  traffic: trafficBudget,
  waits: { firstPaintMs: 15_000, loadMs: 25_000, protocolMs: 30_000 },
};
