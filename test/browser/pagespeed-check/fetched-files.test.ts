import { afterAll, expect, test } from 'vitest';
import { assessPagespeed } from '../../../worker/checks/pagespeed-check/assess.ts';
import { gatherPagespeed } from '../../../worker/checks/pagespeed-check/gather.ts';
import { openProbe, openSite } from './kit.ts';

// What Lighthouse fetches by itself, beside the page: robots.txt, source maps.
const page =
  '<!doctype html><html lang="en"><head><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="description" content="A page about things that are fine"><title>A fine page</title></head><body><main><h1>Hello</h1><p>Some words for a page. <a href="/more">More about these things</a></p></main>';
let robots = '';
const asked: string[] = [];
const site = await openSite((request, response) => {
  asked.push(request.url ?? '');
  if (request.url === '/robots.txt') response.writeHead(200, { 'content-type': 'text/plain' }).end(robots);
  else if (request.url === '/')
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page);
  else response.writeHead(404).end();
});
afterAll(() => site.close());

async function check(category: 'seo'[]) {
  const evidence = await gatherPagespeed({
    target: 'http://www.a.test/',
    options: { strategy: 'mobile', runs: 1, category },
    probes: { browser: openProbe(site.port, { path: process.env['BROWSER_PATH'] }) },
    progress: () => undefined,
  });
  return assessPagespeed(evidence);
}

test('a flawless page with a robots.txt has the full score of seo', { timeout: 60_000 }, async () => {
  robots = 'User-agent: *\nDisallow: /private/\n\nSitemap: https://www.a.test/sitemap.xml\n';
  const { fields } = await check(['seo']);
  expect(asked).toContain('/robots.txt');
  expect(fields.categories?.['seo']).toMatchObject({ score: 100 });
});

test('a field that Lighthouse does not know costs nothing', { timeout: 60_000 }, async () => {
  robots = 'License: https://www.a.test/license.xml\nUser-agent: *\nContent-Signal: ai-train=no\nAllow: /\n';
  const { fields } = await check(['seo']);
  expect(fields.categories?.['seo']).toMatchObject({ score: 100, lighthouseScore: 91 });
  expect(fields.warnings.join(' ')).not.toContain('robots.txt');
});

test('a robots.txt that cannot be understood costs points of seo', { timeout: 60_000 }, async () => {
  robots = 'these are\nno rules\n';
  const { fields } = await check(['seo']);
  expect(fields.categories?.['seo']?.['score']).toBeLessThan(100);
  expect(fields.warnings.join(' ')).toContain('counts robots.txt as a fault');
});
