import { afterAll, expect, test } from 'vitest';
import type { Report } from '#shared/model/report';
import { renderHar } from '#shared/render/har';
import { assessPagespeed } from '../../../worker/checks/pagespeed-check/assess.ts';
import { gatherPagespeed } from '../../../worker/checks/pagespeed-check/gather.ts';
import { openProbe, openSite } from './kit.ts';

const page = `<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><title>a page</title>
<div id="place"></div><main><h1>Hello</h1>${'<p>A sentence that fills the page with words. </p>'.repeat(20)}
<ul id="broken"><div>no item</div></ul></main>
<script>document.cookie="seen=S3CRET; max-age=3600";
setTimeout(()=>{place.innerHTML='<div class="banner" style="height:160px;background:#cde">banner</div>'},700)</script>
<script src="http://tags.test/loader.js"></script>
<img alt="moved" width="10" height="10" src="/old.gif">`;
const scripts: { readonly [path: string]: string } = {
  '/loader.js':
    'const s=document.createElement("script");s.src="/chained.js";s.src="http://tags.test/chained.js";document.head.append(s)',
  '/chained.js':
    'setTimeout(()=>Promise.resolve().then(()=>{new Image().src="http://pixel.test/p.gif?id=S3CRET"}),50)',
};
const gif = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');
const site = await openSite((request, response) => {
  const path = (request.url ?? '').split('?', 1)[0] ?? '';
  const script = scripts[path];
  if (script !== undefined) response.writeHead(200, { 'content-type': 'text/javascript' }).end(script);
  else if (path === '/old.gif') response.writeHead(302, { location: '/new.gif?k=1' }).end();
  else if (path.endsWith('.gif')) response.writeHead(200, { 'content-type': 'image/gif' }).end(gif);
  else if (path === '/')
    response.writeHead(200, { 'content-type': 'text/html', 'set-cookie': 'sid=S3CRET; HttpOnly' }).end(page);
  else if (path === '/moves') response.writeHead(200, { 'content-type': 'text/html' }).end(html);
  else response.writeHead(404).end();
});
afterAll(() => site.close());
let html = '';

function load(target: string, category: ('performance' | 'accessibility')[]) {
  return gatherPagespeed({
    target,
    options: { strategy: 'desktop', runs: 1, category },
    probes: { browser: openProbe(site.port, { path: process.env['BROWSER_PATH'] }) },
    progress: () => undefined,
  });
}

test(
  'a load tells cookies of scripts, who asked for a pixel, where a redirect led, what moved the page, and which list is broken',
  { timeout: 90_000 },
  async () => {
    const evidence = await load('http://www.a.test/', ['performance', 'accessibility']);
    const text = JSON.stringify(evidence);
    const at = text.indexOf('S3CRET');
    expect(at < 0 ? '' : text.slice(at - 200, at + 50)).toBe('');
    const { fields, verdicts } = assessPagespeed(evidence);
    expect(fields.cookies?.entries.map(({ name, setBy }) => [name, setBy]).toSorted()).toEqual([
      ['seen', 'script'],
      ['sid', 'response'],
    ]);
    const entries = fields.requests?.entries ?? [];
    expect(entries.find(({ url }) => url.startsWith('http://pixel.test/'))?.initiator).toEqual({
      type: 'script',
      url: 'http://tags.test/chained.js',
    });
    const moved = entries.find(({ url }) => url.endsWith('/old.gif'));
    expect(moved).toMatchObject({ status: 302, redirectsTo: 'http://www.a.test/new.gif?k=1' });
    const har = renderHar({
      ...fields,
      target: {},
      checkedAt: new Date().toISOString(),
      durationMs: 1,
      rulesVersion: 1,
    } as unknown as Report);
    expect(har).toContain('"redirectURL":"http://www.a.test/new.gif?k=1"');
    expect(fields.layoutShifts[0]).toMatchObject({
      culprits: [expect.stringMatching(/place|banner/) as string],
    });
    expect(verdicts['lists-invalid']).toMatchObject({
      broken: [
        { found: expect.stringContaining('because of <div>') as string, items: [{ related: ['<div>'] }] },
      ],
    });
  },
);

const words = '<p>A sentence that fills the page with words. </p>'.repeat(20);
const banner = '<div class="banner" style="height:160px;background:#ccc">banner</div>';
const later = (code: string) => `<script>setTimeout(()=>{${code}},700)</script>`;
const moves: readonly (readonly [what: string, body: string, culprit: string])[] = [
  [
    'a banner put into an empty place',
    `<div id="place"></div>${words}${later(`place.innerHTML='${banner}'`)}`,
    'div',
  ],
  [
    'a banner put before everything',
    `<header>Top</header><main>${words}</main>${later(`document.body.insertAdjacentHTML("afterbegin",'${banner}')`)}`,
    'div.banner',
  ],
  [
    'a box that grows',
    `<div id="place" style="height:10px;background:#ccc"></div>${words}${later('place.style.height="170px"')}`,
    'div#place',
  ],
  [
    'a banner that moves down, and takes the rest along',
    `<div id="place" style="height:60px;background:#ccc">banner</div>${words}${later('place.style.marginTop="170px"')}`,
    'div#place',
  ],
  [
    'a banner that moves over the page',
    `<div id="place" style="position:absolute;top:0;height:160px;width:100%;background:#ccc">banner</div>${words}${later('place.style.top="170px"')}`,
    'div#place',
  ],
];

test.for(moves)('the culprit of a shift is named: %s', { timeout: 60_000 }, async ([, body, culprit]) => {
  html = `<!doctype html><meta name="viewport" content="width=device-width"><title>x</title>${body}`;
  const { layoutShifts } = assessPagespeed(await load('http://www.a.test/moves', ['performance'])).fields;
  expect(layoutShifts[0]?.['culprits']).toEqual([expect.stringContaining(culprit)]);
});
