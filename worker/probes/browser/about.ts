import { stat } from 'node:fs/promises';
import type { FoundBrowser } from './find-browser.ts';
import type { BrowserSource } from './port.ts';

/** Which browser loads the pages. An old one has known holes: docs/operating.md says how to update it. */
export type BrowserAbout = {
  /** Such as "HeadlessChrome/153.0.8010.0". */
  readonly product: string;
  readonly source: BrowserSource;
  /** The day it was published or built, "2026-09-11"; null where nothing tells. */
  readonly builtOn: string | null;
};

/** When npm got the bundled build: its files keep no time of their own. */
export const bundledBuiltOn = { version: '153.0.0', day: '2026-09-11' } as const;

/** What is known of a browser that works. Packages of systems keep the time of their build in the file. */
export async function readAbout(
  { executable, source }: FoundBrowser,
  product: string,
): Promise<BrowserAbout> {
  if (source === 'bundled') return { product, source, builtOn: bundledBuiltOn.day };
  const builtOn = await stat(executable).then(
    ({ mtime }) => mtime.toISOString().slice(0, 10),
    () => null, // it was replaced this moment; the next start tells
  );
  return { product, source, builtOn };
}

/** Whole days since then. */
export function ageInDays({ builtOn }: BrowserAbout, nowMs: number): number | null {
  return builtOn === null ? null : Math.floor((nowMs - Date.parse(builtOn)) / 86_400_000);
}
