import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import puppeteer, { type Browser, type Page } from 'puppeteer-core';
import { findBrowser } from '../../../worker/probes/browser/find-browser.ts';

export type TestBrowser = { open(look?: Appearance): Promise<Page>; close(): Promise<void> };

/** How a visitor looks at a page. */
export type Appearance = {
  readonly width?: number;
  readonly scheme?: 'light' | 'dark';
  readonly script?: boolean;
};

/** The bundled Chromium with an empty profile. It only loads our own pages, so it needs no sandbox. */
export async function openTestBrowser({ takesAnyCertificate = false } = {}): Promise<TestBrowser> {
  const found = await findBrowser({ path: process.env['BROWSER_PATH'], folder: 'data' });
  if (!('executable' in found)) throw new Error(`${found.reason}. ${found.fix}`);
  const profile = mkdtempSync(join(tmpdir(), 'diag-pages-'));
  const browser: Browser = await puppeteer.launch({
    executablePath: found.executable,
    userDataDir: profile,
    acceptInsecureCerts: takesAnyCertificate,
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-zygote'],
  });
  return {
    async open({ width = 1280, scheme = 'light', script = true } = {}) {
      const context = await browser.createBrowserContext();
      const page = await context.newPage();
      await page.setViewport({ width, height: 900 });
      await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
      await page.setJavaScriptEnabled(script);
      return page;
    },
    async close() {
      await browser.close();
      rmSync(profile, { recursive: true, force: true });
    },
  };
}
