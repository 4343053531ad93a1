import type { RequestListener, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { siteAddress } from './kit.ts';

/** A page that does what pages should not, and how a load of it may end: "measured", or codes of the rules. */
export type HostilePage = {
  readonly name: string;
  readonly answer: RequestListener;
  readonly ends: readonly string[];
  /** Rules that must be broken beside. */
  readonly broken?: readonly string[];
  /** Asked instead of the site's own root. */
  readonly url?: string;
  /** Limits that show this page's end sooner; the soak has production's. */
  readonly hurry?: Hurry;
  /** The page that this one is nearly the same as: only the soak loads it. */
  readonly nearly?: string;
};

export type Hurry = {
  readonly timeoutMs?: number;
  readonly silentMs?: number;
  readonly memoryBytes?: number;
  readonly loadMs?: number;
  readonly firstPaintMs?: number;
};

/** For pages that only the deadline ends: the browser is up after two seconds, what comes then is the page. */
const untilDeadline: Hurry = { timeoutMs: 6000 };
/** For pages that only memory ends: half as much again as a usual page takes. */
const littleMemory: Hurry = { memoryBytes: 800_000_000 };

const html =
  (body: string): RequestListener =>
  (request, response) => {
    if (request.url !== '/') return void response.writeHead(404).end();
    response.writeHead(200, { 'content-type': 'text/html' }).end(`<!doctype html><title>x</title>${body}`);
  };
const script = (code: string, body = '<h1>hello</h1>') => html(`${body}<script>${code}</script>`);
const afterPaint = (code: string) => script(`requestAnimationFrame(()=>setTimeout(()=>{${code}},200))`);
const status =
  (code: number, headers: Record<string, string> = {}, body = ''): RequestListener =>
  (_request, response) =>
    void response.writeHead(code, headers).end(body);

/** Writes on until the other end is gone. */
function pour(response: ServerResponse, piece: string | Buffer, everyMs: number): void {
  if (everyMs > 0) {
    const timer = setInterval(() => response.write(piece), everyMs);
    response.once('close', () => clearInterval(timer));
    return;
  }
  const more = () => {
    while (!response.destroyed && response.write(piece));
  };
  response.on('drain', more);
  more();
}

const megabyte = Buffer.alloc(1_048_576, 'x');
const mapBomb = gzipSync(Buffer.alloc(64 * 1_048_576, ' '));
const bomb = gzipSync(Buffer.alloc(64 * 1_048_576, '<p>x</p>'));

const dialogs = 'alert(1);confirm(2);prompt(3);addEventListener("beforeunload",e=>e.preventDefault())';
const popups = 'for(let i=0;i<20;i++)open("/p"+i)';
const download = 'const a=document.createElement("a");a.href="data:text/plain,x";a.download="x";a.click()';
const crash = 'location="chrome://crash"';

/** For a page of which no browser makes the same twice: each end is an orderly one. */
export const anyEnd = [
  'measured',
  'page-hung',
  'page-memory-excessive',
  'page-crashed',
  'page-not-painted',
  'browser-failed',
];

export const hostilePages: readonly HostilePage[] = [
  {
    name: 'a server that accepts and never answers',
    answer: () => undefined,
    ends: ['target-unreachable'],
    hurry: { silentMs: 4000 },
  },
  {
    name: 'a name that does not exist',
    answer: () => undefined,
    url: 'http://gone.test/',
    ends: ['target-unreachable'],
  },
  {
    name: 'a port where nobody listens',
    answer: () => undefined,
    url: 'http://a.test:8099/',
    ends: ['target-unreachable'],
    nearly: 'a name that does not exist',
  },
  {
    name: 'a connection that is closed at once',
    answer: (request) => void request.socket.destroy(),
    ends: ['page-not-loaded'],
  },
  {
    name: 'an answer that is no HTTP',
    answer: (request) => void request.socket.end('hello\n'),
    ends: ['page-not-loaded', 'page-not-html'],
    nearly: 'a connection that is closed at once',
  },
  {
    name: 'a script that never ends, before the first paint',
    answer: html('<script>for(;;){}</script>'),
    ends: ['page-hung', 'page-not-painted'],
    hurry: untilDeadline,
  },
  {
    name: 'a script that never ends, after the first paint',
    answer: afterPaint('for(;;){}'),
    ends: ['page-hung'],
    hurry: { loadMs: 2000 },
  },
  {
    name: 'a document that drips without end',
    answer: (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).write('<!doctype html><h1>hello</h1>');
      pour(response, '<p>more</p>', 200);
    },
    ends: ['measured', 'page-hung'],
    hurry: untilDeadline,
  },
  {
    name: 'a document that streams without end',
    answer: (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).write('<!doctype html><h1>hello</h1>');
      pour(response, '<p>more</p>'.repeat(2000), 0);
    },
    ends: ['measured', 'page-hung', 'page-memory-excessive', 'page-crashed'],
    hurry: littleMemory,
  },
  {
    name: 'a script that fetches without end',
    answer: (request, response) => {
      if (request.url === '/')
        return script('fetch("/big").then(r=>r.arrayBuffer()).catch(()=>{})')(request, response);
      response.writeHead(200, { 'content-type': 'application/octet-stream' });
      pour(response, megabyte, 0);
    },
    ends: ['measured'],
    broken: ['page-transfer-excessive'],
  },
  {
    name: 'a script that fills its heap',
    answer: afterPaint('const a=[];for(;;)a.push(new Array(1e6).fill(Math.random()))'),
    ends: ['page-memory-excessive', 'page-crashed', 'page-hung', 'browser-failed'],
    hurry: littleMemory,
  },
  {
    name: 'a script that fills typed arrays',
    answer: afterPaint('const a=[];setInterval(()=>a.push(new Uint8Array(5e7).fill(1)),20)'),
    ends: ['page-memory-excessive', 'page-crashed', 'measured'],
    nearly: 'a script that fills its heap',
    hurry: littleMemory,
  },
  {
    name: 'a document that unpacks to 64 MB of elements',
    answer: (_request, response) =>
      void response.writeHead(200, { 'content-type': 'text/html', 'content-encoding': 'gzip' }).end(bomb),
    ends: anyEnd,
    hurry: littleMemory,
  },
  {
    name: 'a script that fills its database',
    answer: afterPaint(
      'const o=indexedDB.open("x");o.onupgradeneeded=()=>o.result.createObjectStore("s",{autoIncrement:true});' +
        'o.onsuccess=()=>setInterval(()=>{const b=new Uint8Array(2e7);crypto.getRandomValues(b.subarray(0,65536));o.result.transaction("s","readwrite").objectStore("s").add(new Blob([b]))},20)',
    ),
    ends: ['measured', 'page-memory-excessive', 'page-crashed', 'page-hung'],
    hurry: littleMemory,
  },
  {
    name: 'a script that fills its cache of files',
    url: `http://${siteAddress}/`,
    answer: afterPaint(
      'let n=0;setInterval(async()=>{const c=await caches.open("x");await c.put("/"+n++,new Response(new Uint8Array(2e7)))},20)',
    ),
    ends: ['measured', 'page-memory-excessive', 'page-crashed', 'page-hung'],
    nearly: 'a script that fills its database',
    hurry: littleMemory,
  },
  {
    name: 'a script that keeps blobs without end',
    answer: afterPaint('const a=[];setInterval(()=>a.push(new Blob([new Uint8Array(5e7)])),20)'),
    ends: ['measured', 'page-memory-excessive', 'page-crashed', 'page-hung'],
    nearly: 'a script that fills its database',
    hurry: littleMemory,
  },
  {
    name: 'a source map that swells',
    answer: (request, response) => {
      if (request.url === '/') return html('<h1>hello</h1><script src="/a.js"></script>')(request, response);
      const isMap = request.url === '/a.js.map';
      response.writeHead(200, {
        'content-type': isMap ? 'application/json' : 'text/javascript',
        ...(isMap ? { 'content-encoding': 'gzip' } : {}),
      });
      if (isMap) pour(response, mapBomb, 0);
      else response.end('var a=1;\n//# sourceMappingURL=/a.js.map');
    },
    ends: ['measured', 'page-hung', 'page-memory-excessive'],
  },
  {
    name: 'downloads that a script makes up',
    answer: afterPaint(
      'const b=new Blob([new Uint8Array(5e7)]);setInterval(()=>{const a=document.createElement("a");a.href=URL.createObjectURL(b);a.download="x";a.click()},50)',
    ),
    ends: ['measured', 'page-memory-excessive', 'page-hung'],
  },
  {
    name: 'dialogs, popups, a download and a way to chrome://crash at once',
    answer: script([dialogs, popups, download, crash].join(';')),
    ends: ['measured'],
  },
  {
    name: 'dialogs',
    answer: script(dialogs),
    ends: ['measured'],
    nearly: 'dialogs, popups, a download and a way to chrome://crash at once',
  },
  {
    name: 'twenty popups',
    answer: script(popups),
    ends: ['measured'],
    nearly: 'dialogs, popups, a download and a way to chrome://crash at once',
  },
  {
    name: 'a download started by a script',
    answer: script(download),
    ends: ['measured'],
    nearly: 'dialogs, popups, a download and a way to chrome://crash at once',
  },
  {
    name: 'a way to chrome://crash',
    answer: script(crash),
    ends: ['measured'],
    nearly: 'dialogs, popups, a download and a way to chrome://crash at once',
  },
  {
    name: 'eight workers that spin',
    answer: script('for(let i=0;i<8;i++)new Worker(URL.createObjectURL(new Blob(["for(;;);"])))'),
    ends: ['measured'],
  },
  {
    name: 'a script that asks again and again',
    answer: (request, response) =>
      request.url === '/'
        ? script('setInterval(()=>fetch("/poll"),100)')(request, response)
        : void response.writeHead(204).end(),
    ends: ['measured'],
    hurry: { loadMs: 3000 },
    broken: ['page-not-quiet'],
  },
  {
    name: 'a page that reloads itself without end',
    answer: script('location.reload()'),
    ends: ['measured', 'page-not-painted', 'page-hung', 'page-not-loaded'],
    hurry: untilDeadline,
  },
  {
    name: 'an attachment',
    answer: status(200, { 'content-type': 'text/html', 'content-disposition': 'attachment' }, 'x'),
    ends: ['page-not-loaded'],
  },
  {
    name: 'redirects without end',
    answer: (_request, response) => void response.writeHead(302, { location: '/' }).end(),
    ends: ['page-interstitial', 'page-not-loaded'],
  },
  {
    name: 'a redirect to loopback',
    answer: status(302, { location: 'http://127.0.0.1/' }),
    ends: ['target-not-allowed'],
  },
  {
    name: 'a redirect to a name that leads to loopback',
    answer: status(302, { location: 'http://private.test/' }),
    ends: ['target-address-not-allowed'],
  },
  {
    name: 'JSON',
    answer: status(200, { 'content-type': 'application/json' }, '{}'),
    ends: ['page-not-html'],
  },
  {
    name: 'PDF',
    answer: status(200, { 'content-type': 'application/pdf' }, '%PDF-1.4'),
    ends: ['page-not-html', 'page-not-loaded'],
    nearly: 'JSON',
  },
  {
    name: 'a page that is not there',
    answer: status(404, { 'content-type': 'text/html' }, '<h1>no'),
    ends: ['target-error-status'],
  },
  {
    name: 'an error of the server',
    answer: status(500, { 'content-type': 'text/html' }, '<h1>no'),
    ends: ['target-error-status'],
    nearly: 'a page that is not there',
  },
  {
    name: 'a login by dialog',
    answer: status(401, { 'www-authenticate': 'Basic realm="x"' }),
    ends: ['page-not-loaded', 'target-error-status'],
    nearly: 'a page that is not there',
  },
  { name: 'no content', answer: status(204), ends: ['page-not-loaded'], nearly: 'an attachment' },
  { name: 'an empty page', answer: html(''), ends: ['page-not-painted'], hurry: { firstPaintMs: 1500 } },
];
