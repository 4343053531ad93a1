import axe from 'axe-core';
import type { Page } from 'puppeteer-core';
import { expect } from 'vitest';
import type { Appearance, TestBrowser } from './kit.ts';

const widths = [320, 360, 768, 1280];
/** Below it tables are cards, so that nothing has to be scrolled sideways. */
const wideEnough = 640;

/** Everything that a browser complains about. */
export function listen(page: Page): string[] {
  const complaints: string[] = [];
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(String(error)));
  return complaints;
}

type Violations = readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[];

/** Colours change with the scheme and never with the width: of axe's time this rule takes two thirds. */
const colourRule = 'color-contrast';
const ofColours = { runOnly: [colourRule] };
const ofLayout = { rules: { [colourRule]: { enabled: false } } };

/** What axe-core finds, with every part of the page unfolded. */
async function findViolations(page: Page, rules: object): Promise<readonly string[]> {
  const options = JSON.stringify({ resultTypes: ['violations'], ...rules });
  const found = (await page.evaluate(`(async () => {
    for (const part of document.querySelectorAll('details')) part.open = true;
    const found = await axe.run(document, ${options});
    return found.violations;
  })()`)) as Violations;
  return found.map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 200) ?? ''}`);
}

/** What has to be scrolled sideways to be read, with every part unfolded. */
async function findSideways(page: Page): Promise<unknown> {
  return page.evaluate(`[...document.querySelectorAll('.scroll')]
    .filter((part) => part.scrollWidth > part.clientWidth + 1)
    .map((part) => part.getAttribute('aria-label'))`);
}

/** Tables that nobody sees, with every part unfolded; what stands in for a picture has another form for a phone. */
async function findHidden(page: Page): Promise<unknown> {
  return page.evaluate(`[...document.querySelectorAll('table')]
    .filter((table) => table.offsetHeight === 0 && table.closest('.wide, .upright') === null).length`);
}

/** The page runs only its own script: axe comes by the browser's debugger, before any policy. */
export async function openWithAxe(browser: TestBrowser, look: Appearance = {}): Promise<Page> {
  const page = await browser.open(look);
  await page.evaluateOnNewDocument(axe.source);
  return page;
}

/** No violation of axe, and nothing beyond the edge, at four widths, light and dark. One load for all: the page's script knows neither width nor scheme. */
export async function expectReadable(page: Page): Promise<void> {
  for (const width of widths) {
    await page.setViewport({ width, height: 900 });
    const over = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
    expect({ width, over }).toEqual({ width, over: 0 });
    expect({ width, found: await findViolations(page, ofLayout) }).toEqual({ width, found: [] });
    expect({ width, hidden: await findHidden(page) }).toEqual({ width, hidden: 0 });
    const sideways = await findSideways(page);
    expect({ width, sideways: width < wideEnough ? sideways : [] }).toEqual({ width, sideways: [] });
  }
  for (const scheme of ['light', 'dark']) {
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
    expect({ scheme, found: await findViolations(page, ofColours) }).toEqual({ scheme, found: [] });
  }
}
