import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { brotliDecompressSync } from 'node:zlib';

/** One page of the lab: `head` and `body` of its HTML, and what is odd about how it is answered. */
type LabPage = {
  readonly head?: string;
  readonly body: string;
  /** Before the document is answered, in ms. */
  readonly waitMs?: number;
  /** Answered with a redirect here first, so often. */
  readonly hops?: number;
};

const text = 'A sentence of some length that fills the page with words. '.repeat(12);
const paragraphs = (count: number) => `<p>${text}</p>`.repeat(count);
const images = (count: number, attributes = 'width="400" height="200"') =>
  Array.from({ length: count }, (_, at) => `<img alt="noise" ${attributes} src="/noise-${at}.bmp">`).join('');
const busy = (ms: number) => `{const until=performance.now()+${ms};while(performance.now()<until);}`;
const afterLoad = (script: string) =>
  `<script>addEventListener("load",()=>setTimeout(()=>{${script}},300))</script>`;
const face = (source: string, display: string) =>
  `<style>@font-face{font-family:lab;src:url("${source}");font-display:${display}}body{font-family:lab}</style>`;

/** Pages of twenty kinds. Hosts other than page.test are other sites of the same server. */
export const labPages: { readonly [name: string]: LabPage } = {
  text: { body: paragraphs(8) },
  images: { body: `<h1>Pictures</h1>${images(12)}` },
  'blocking-script': { head: '<script src="/slow-400/script-60.js"></script>', body: paragraphs(8) },
  'blocking-styles': {
    head: '<link rel="stylesheet" href="/slow-150/style-400.css"><link rel="stylesheet" href="/slow-150/style-40.css?2">',
    body: paragraphs(8),
  },
  fonts: { head: face('/slow-200/font.ttf', 'block'), body: paragraphs(8) },
  'foreign-fonts': { head: face('http://fonts.test/font.ttf', 'swap'), body: paragraphs(8) },
  'third-parties': {
    head: ['ads', 'tags', 'chat', 'video']
      .map((host) => `<script async src="http://${host}.test/script-50.js"></script>`)
      .join(''),
    body: paragraphs(6),
  },
  frames: {
    body: `${paragraphs(2)}<iframe title="one" width="300" height="200" src="http://frames.test/text"></iframe><iframe title="two" width="300" height="200" src="http://other.test/images"></iframe>`,
  },
  'long-tasks': { body: `${paragraphs(4)}${afterLoad(`${busy(150)};setTimeout(()=>${busy(250)},50)`)}` },
  'late-banner': {
    body: `<div id="place"></div>${paragraphs(8)}${afterLoad('place.innerHTML="<div style=\\"height:160px;background:#cde\\">banner</div>"')}`,
  },
  'made-by-script': {
    body: '<div id="app"></div><script src="/script-40.js"></script><script>fetch("/slow-100/words.json").then(a=>a.json()).then(({words})=>{app.innerHTML=`<h1>${words}</h1>`+`<p>${words}</p>`.repeat(40)})</script>',
  },
  'slow-server': { waitMs: 700, body: paragraphs(8) },
  redirects: { hops: 2, body: paragraphs(8) },
  'lazy-pictures': { body: `${paragraphs(10)}${images(10, 'width="400" height="200" loading="lazy"')}` },
  'large-document': { body: '<div><span>part</span><b>of</b><i>a list</i></div>'.repeat(1200) },
  'hard-to-use': {
    body: `<img src="/noise-1.bmp"><a href="/x"></a><button></button><input><h1>One</h1><h4>Four</h4><p style="color:#bbb">${text}</p><iframe src="/text"></iframe><ul><div>no item</div></ul>`,
  },
  animation: {
    head: '<style>@keyframes move{to{left:80vw}}.box{position:absolute;left:0;width:40px;height:40px;background:#456;animation:move 1s infinite}</style>',
    body: `<div class="box"></div>${paragraphs(6)}`,
  },
  modules: {
    body: `${paragraphs(4)}<script type="module">${Array.from({ length: 12 }, (_, at) => `import "/module-${at}.js"`).join(';')}</script>`,
  },
  'broken-parts': {
    body: `${paragraphs(4)}<img alt="" src="/missing.png"><script src="/missing.js"></script><script>console.error("lost");undefined_name()</script>`,
  },
  'consent-banner': {
    body: `${paragraphs(8)}<div role="dialog" aria-label="Cookies" style="position:fixed;inset:auto 0 0 0;background:#fff">We use cookies.<button>Accept</button></div>`,
  },
};

const picture = makePicture(400, 200);

/** Answers as the lab does: each page at its name, files by what their names ask for. */
export function answerLab(request: IncomingMessage, response: ServerResponse): void {
  const path = request.url ?? '/';
  const waitMs = Number(/^\/slow-(\d+)\//.exec(path)?.[1] ?? 0);
  const send = (type: string, body: string | Buffer, ms = waitMs) => {
    const headers = {
      'content-type': type,
      'access-control-allow-origin': '*',
      'cache-control': 'max-age=60',
    };
    setTimeout(() => response.writeHead(200, headers).end(body), ms);
  };
  const size = Number(/-(\d+)\.\w+(?:\?|$)/.exec(path)?.[1] ?? 1);
  if (path.endsWith('.bmp')) return send('image/bmp', picture);
  if (/\/script-\d+\.js$/.test(path))
    return send('text/javascript', `${busy(5)}${'function unused(){return 1}\n'.repeat(size * 40)}`);
  if (/\/module-\d+\.js$/.test(path)) return send('text/javascript', `export const at=${size};`);
  if (/\/style-\d+\.css/.test(path))
    return send('text/css', `body{margin:8px}${'.never{color:red}'.repeat(size * 10)}`);
  if (path.endsWith('/words.json')) return send('application/json', JSON.stringify({ words: text }));
  if (path.endsWith('/font.ttf')) return send('font/ttf', readFont());
  return answerPage(path, response, send);
}

function answerPage(
  path: string,
  response: ServerResponse,
  send: (type: string, body: string, ms: number) => void,
): void {
  const [, name = '', hop = '0'] = /^\/([a-z-]+)(?:\/(\d))?$/.exec(path) ?? [];
  const page = Object.hasOwn(labPages, name) ? labPages[name] : undefined;
  if (!page) return void response.writeHead(404, { 'content-type': 'text/plain' }).end('not here');
  const { hops = 0, head = '', body, waitMs = 0 } = page;
  if (Number(hop) < hops)
    return void response.writeHead(302, { location: `/${name}/${Number(hop) + 1}` }).end();
  const html = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${name}</title>${head}<main><h1>${name}</h1>${body}</main></html>`;
  return send('text/html', html, waitMs);
}

let font: Buffer | undefined;

/** A real font: the first of those that come with the bundled Chromium, which are an archive of tar. */
function readFont(): Buffer {
  if (font) return font;
  const archive = new URL('../../../node_modules/@sparticuz/chromium/bin/fonts.tar.br', import.meta.url);
  const tar = brotliDecompressSync(readFileSync(archive));
  for (let at = 0; at + 512 <= tar.length;) {
    const name = tar.toString('latin1', at, at + 100).replace(/\0.*$/s, '');
    const size = Number.parseInt(tar.toString('latin1', at + 124, at + 136), 8) || 0;
    if (name.endsWith('.ttf')) return (font = tar.subarray(at + 512, at + 512 + size));
    at += 512 + Math.ceil(size / 512) * 512;
  }
  throw new Error('the bundled Chromium has no font');
}

/** An uncompressed picture of noise. */
function makePicture(width: number, height: number): Buffer {
  const bytes = Buffer.alloc(54 + width * 3 * height);
  bytes.write('BM');
  bytes.writeUInt32LE(bytes.length, 2);
  bytes.writeUInt32LE(54, 10);
  bytes.writeUInt32LE(40, 14);
  bytes.writeInt32LE(width, 18);
  bytes.writeInt32LE(height, 22);
  bytes.writeUInt16LE(1, 26);
  bytes.writeUInt16LE(24, 28);
  for (let at = 54; at < bytes.length; at += 1) bytes[at] = (at * 7919) % 251;
  return bytes;
}
