import { afterAll, expect, test } from 'vitest';
import { assessPagespeed } from '../../../worker/checks/pagespeed-check/assess.ts';
import { gatherPagespeed } from '../../../worker/checks/pagespeed-check/gather.ts';
import { openProbe, openSite } from './kit.ts';

const busyFor = (ms: number) => `{const until=performance.now()+${ms};while(performance.now()<until);}`;
const page =
  '<!doctype html><meta name="viewport" content="width=device-width"><title>x</title><h1>hello</h1><div id="late"></div><p>text that moves</p>' +
  '<script src="/own.js"></script><script src="http://cdn.example.test/ads.js?key=s3cret"></script>' +
  '<script>setTimeout(()=>{late.style.height="200px"},600)</script>';
const site = await openSite((request, response) => {
  const { host = '' } = request.headers;
  const isScript = request.url?.includes('.js') === true;
  const script = host.startsWith('cdn.') ? busyFor(400) : busyFor(150);
  response
    .writeHead(200, { 'content-type': isScript ? 'text/javascript' : 'text/html' })
    .end(isScript ? script : page);
});
afterAll(() => site.close());

test('what kept the main thread busy is told by script and by owner', { timeout: 60_000 }, async () => {
  const evidence = await gatherPagespeed({
    target: 'http://www.a.test/',
    options: { strategy: 'desktop', runs: 1, category: ['performance', 'accessibility'] },
    probes: { browser: openProbe(site.port) },
    progress: () => undefined,
  });
  expect(JSON.stringify(evidence)).not.toContain('s3cret');
  const { mainThread, layoutShifts, categories } = assessPagespeed(evidence).fields;
  // Axe looks at every element.
  expect(categories?.accessibility?.['tookMs']).toBeGreaterThan(10);
  const ads = { url: 'http://cdn.example.test/ads.js?key=', isThirdParty: true };
  const own = { url: 'http://www.a.test/own.js', isThirdParty: false };
  const scripts = mainThread?.scripts.filter(({ url }) => url?.includes('.js')) ?? [];
  expect(scripts).toMatchObject([ads, own]);
  // Each is busy for at least as long as it waits; a busy machine only adds to that.
  for (const [index, ms] of [400, 150].entries())
    expect(scripts[index]?.scriptingMs).toBeGreaterThan(ms * 0.9);
  expect(mainThread?.byKind['scriptEvaluation']).toBeGreaterThan(500);
  expect(mainThread?.owners.find(({ owner }) => owner === 'cdn.example.test')).toMatchObject({
    isThirdParty: true,
  });
  expect(mainThread?.longTasks).toContainEqual(expect.objectContaining(ads));
  expect(layoutShifts.length).toBeGreaterThan(0);
});
