import { afterAll, expect, test } from 'vitest';
import { catalogue } from '#shared/catalogue/registry';
import { makeToken } from '#shared/stores/tokens/make-token';
import { openService, type Service } from '../../api/kit.ts';
import { keepGolden } from '../../kit/golden-report.ts';
import { openTestBrowser } from './kit.ts';
import { expectReadable, listen, openWithAxe } from './looks.ts';

const browser = await openTestBrowser();
const held: (() => void)[] = [];
const service = await openService({
  sites: {
    'http://a.test': (_request, response) => response.writeHead(200).end('<p>hello'),
    // Answers when the test lets it.
    // Its check goes on as long as it is looked at.
    'http://waiting.test': () => undefined,
    'http://held.test': (_request, response) => void held.push(() => response.writeHead(200).end('<p>late')),
  },
  settings: { RATE_LIMIT: 'off' },
});
afterAll(async () => {
  await browser.close();
  await service.close();
});

const addressOf = ({ port }: Service, path: string) => `http://127.0.0.1:${port}${path}`;
const held1 = '/u/redirect-check?url=http%3A%2F%2Fheld.test%2F';

const jpeg =
  '/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDABQODxIPDRQSEBIXFRQYHjIhHhwcHj0sLiQySUBMS0dARkVQWnNiUFVtVkVGZIhlbXd7gYKBTmCNl4x9lnN+gXz/2wBDARUXFx4aHjshITt8U0ZTfHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHz/wAARCAAYAAwDASIAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAAAAT/xAAUEAEAAAAAAAAAAAAAAAAAAAAA/8QAFgEBAQEAAAAAAAAAAAAAAAAAAAQF/8QAFBEBAAAAAAAAAAAAAAAAAAAAAP/aAAwDAQACEQMRAD8AgAUMcAB//9k=';
const frames = [300, 900].map((atMs) => ({ atMs, width: 12, height: 24 }));
const requests = ['Document', 'Script', 'Stylesheet', 'Image', 'Font', 'Fetch'].map((type, index) => ({
  url: `https://${index % 2 === 0 ? 'a.test' : 'cdn.example'}/${type.toLowerCase().repeat(index + 1)}`,
  type,
  startMs: index * 40,
  endMs: 100 + index * 90,
  bytes: 5000 * index,
  status: index === 4 ? 0 : 200,
  isThirdParty: index % 2 === 1,
}));
/** What the golden report of a check does not show. */
const loads: { readonly [check: string]: object } = {
  'pagespeed-check': { filmstrip: frames, requests: { total: 90, first: requests } },
};

const shown = [
  { name: 'the first page', path: async () => '/' },
  { name: 'a page without a report', path: async () => '/d/nothing.test' },
  { name: 'a field that was not understood', path: async () => '/go?target=not%20a%20domain' },
  { name: 'the API', path: async () => '/docs' },
  { name: 'a comparison', path: async () => '/compare?domain=nothing.test&domain=never.test' },
  { name: 'a fault', path: async () => '/r/none' },
  { name: 'a target that cannot be checked', path: async () => '/d/192.168.0.1' },
  { name: 'a history', path: async () => '/d/nothing.test/history' },
  { name: 'what watches need', path: async () => '/watches' },
  {
    name: 'a check that runs',
    path: async () => {
      const started = await fetch(addressOf(service, '/api/tools/domain-health/waiting.test?wait=0'));
      const { id } = (await started.json()) as { readonly id: string };
      return `/d/waiting.test?job=${id}`;
    },
  },
  {
    name: 'a tool’s own page, with its buttons',
    path: async () => {
      const target = '?url=http%3A%2F%2Fa.test%2F';
      await fetch(addressOf(service, `/api/tools/security-header-check${target}&wait=30`));
      return `/u/security-header-check${target}&again=1`;
    },
  },
  ...catalogue.map(({ name }) => ({
    name: `a report of ${name}`,
    path: async () => {
      const { reportStore } = service.backend;
      const { reportId, expiresAt } = await keepGolden(reportStore, name, loads[name]);
      const bytes = Buffer.from(JSON.stringify(frames.map((frame) => ({ ...frame, jpeg }))));
      if (loads[name]) await reportStore.keepBlob({ reportId, kind: 'filmstrip' }, bytes, expiresAt);
      return `/r/${reportId}`;
    },
  })),
];

test.for(shown)(
  '$name: no axe violation, nothing beyond the edge, at four widths, light and dark',
  async ({ path }) => {
    const page = await openWithAxe(browser);
    const complaints = listen(page);
    await page.goto(addressOf(service, await path()), { waitUntil: 'load' });
    await expectReadable(page);
    expect(complaints.filter((text) => !/status of 4\d\d/.test(text))).toEqual([]);
    await page.browserContext().close();
  },
);

/** Lets what waits at the held site answer, as soon as it has come. */
async function release(): Promise<void> {
  await expect.poll(() => held.length).toBeGreaterThan(0);
  for (const answer of held.splice(0)) answer();
}

test('without scripts the button, the wait and the report work', async () => {
  const page = await browser.open({ script: false });
  await page.goto(addressOf(service, held1));
  await Promise.all([page.waitForNavigation(), page.click('form.start button')]);
  expect(page.url()).toContain('&job=');
  expect(await page.$eval('h1', (title) => title.textContent)).toContain('Checking');
  await release();
  // The page loads itself again.
  await page.waitForSelector('.report', { timeout: 60_000 });
  expect(page.url()).toBe(addressOf(service, held1));
  await page.browserContext().close();
});

test('with the keyboard alone: from the field to the report', async () => {
  const page = await browser.open();
  const complaints = listen(page);
  await page.goto(addressOf(service, '/'));
  await page.keyboard.press('Tab');
  const first = await page.evaluate('document.activeElement.textContent');
  expect(first).toBe('Skip to the content');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  expect(await page.evaluate('document.activeElement.id')).toBe('target');
  await page.keyboard.type('http://a.test/');
  const tabTo = async (selector: string) => {
    for (let presses = 0; presses < 40; presses += 1) {
      await page.keyboard.press('Tab');
      if ((await page.evaluate(`document.activeElement.matches('${selector}')`)) === true) return;
    }
    throw new Error(`${selector} cannot be reached by Tab`);
  };
  await tabTo('[value=redirect-check]');
  await page.keyboard.press('Enter');
  await page.waitForFunction("document.querySelector('.report') !== null", { timeout: 60_000 });
  expect(await page.title()).toContain('a.test');
  expect(complaints).toEqual([]);
  // The first page knows it now.
  await page.goto(addressOf(service, '/'));
  expect(await page.$eval('.recent a', (link) => link.getAttribute('href'))).toBe(
    '/u/redirect-check?url=http%3A%2F%2Fa.test%2F',
  );
  await page.browserContext().close();
});

test('reload and the back button while a check runs start nothing more', async () => {
  const page = await browser.open();
  const path = `${held1}again`;
  await page.goto(addressOf(service, path));
  await page.click('form.start button');
  await page.waitForFunction("location.search.includes('job=')");
  await expect.poll(() => held.length).toBe(1);
  await page.reload();
  await page.goBack();
  await page.goForward();
  await page.waitForFunction("location.search.includes('job=')");
  expect(held.length).toBe(1);
  await release();
  await page.waitForFunction("document.querySelector('.report') !== null", { timeout: 60_000 });
  expect(held.length).toBe(0);
  await page.browserContext().close();
});

test('hostile texts run nothing and turn nothing', async () => {
  const evil = '<img src=x onerror="document.title=1"><script>document.title=2</script>\u202e';
  const { reportId } = await keepGolden(service.backend.reportStore, 'ssl-check', {
    target: { domain: `${evil}${'w'.repeat(100_000)}` },
    host: evil,
    trust: { trusted: false, error: evil },
  });
  const page = await browser.open({ width: 320 });
  const complaints = listen(page);
  await page.goto(addressOf(service, `/r/${reportId}`));
  expect(await page.title()).toMatch(/^<img src=x/);
  expect(await page.$$('main img, main script')).toEqual([]);
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
  expect(complaints).toEqual([]);
  await page.browserContext().close();
});

test('the pictures of a page are loaded once, as one', async () => {
  const speed = shown.find(({ name }) => name === 'a report of pagespeed-check');
  const page = await browser.open();
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  await page.goto(addressOf(service, (await speed?.path()) ?? ''), { waitUntil: 'load' });
  await page.$eval('img.strip', (strip) => strip.scrollIntoView());
  await page.waitForFunction("document.querySelector('img.strip').naturalWidth === 188");
  expect(asked.filter((path) => path.endsWith('filmstrip.svg'))).toHaveLength(1);
  expect(asked.length).toBeLessThanOrEqual(5);
  await page.browserContext().close();
});

test('on paper the charts are there, and the buttons are not', async () => {
  const { reportId } = await keepGolden(service.backend.reportStore, 'dns-check');
  const page = await browser.open();
  await page.emulateMediaType('print');
  await page.goto(addressOf(service, `/r/${reportId}`));
  const isShown = async (selector: string) =>
    page.$$eval(selector, (found) => found.length > 0 && found.every((one) => one.checkVisibility()));
  expect(await isShown('svg rect.bar')).toBe(true);
  expect(await isShown('nav')).toBe(false);
  expect(await isShown('.actions')).toBe(false);
  await page.browserContext().close();
});

test('in token mode one form opens a session, also without scripts, and no script sees it', async () => {
  const closed = await openService({
    sites: { 'http://a.test': (_request, response) => response.writeHead(200).end('<p>hello') },
    settings: { AUTH_MODE: 'token', RATE_LIMIT: 'off' },
  });
  const { text, token } = makeToken(
    { name: 'test', scopes: ['tools', 'reports:read'], limits: {}, expiresAt: null },
    Date.now(),
  );
  await closed.backend.tokenStore.insert(token);
  for (const script of [true, false]) {
    const page = await browser.open({ script });
    // A page of its own: that of a report which is there has a button, too, and would be left while it is read.
    await page.goto(addressOf(closed, `/u/redirect-check?url=http%3A%2F%2Fa.test%2F${String(script)}`));
    await page.type('#token-text', text);
    await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
    await page.waitForSelector('form.start');
    await page.click('form.start button');
    await page.waitForSelector('.report', { timeout: 60_000 });
    expect(page.url()).not.toMatch(/dtk_|token|job=/);
    // The report alone has a page for who may read it.
    await Promise.all([page.waitForNavigation(), page.click('.actions a.button')]);
    expect(page.url()).toContain('/r/');
    expect(await page.$('.report')).not.toBeNull();
    // The debugger evaluates also where the page's own scripts do not run.
    const seen = await page.evaluate(
      'JSON.stringify({ ...localStorage, ...sessionStorage }) + document.cookie',
    );
    expect(seen).not.toMatch(/dtk_|diag-session/);
    await page.reload();
    expect(await page.$('#token-text')).toBeNull();
    await page.browserContext().close();
  }
  await closed.close();
});
