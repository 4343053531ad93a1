import { anyEnd, type HostilePage } from './hostile-pages.ts';
import { siteAddress } from './kit.ts';

/** What a script does more often, or with more, than a browser's tools were made for. */
const storms: { readonly [name: string]: string } = {
  'dialogs one after the other': 'setInterval(()=>{alert(1);confirm(2);prompt(3)},0)',
  'a thousand popups': 'for(let i=0;i<1000;i++)open("/p"+i)',
  'a console of 200 MB': 'for(let i=0;i<20000;i++)console.error("x".repeat(10000))',
  '700 kB of cookies': 'for(let i=0;i<180;i++)document.cookie="c"+i+"="+"x".repeat(4000)',
  '2,000 data: URLs of 50 kB':
    'for(let i=0;i<2000;i++)new Image().src="data:image/png;base64,"+i+"A".repeat(50000)',
  '100,000 requests': 'for(let i=0;i<1e5;i++)fetch("/r"+i).catch(()=>{})',
  'a million elements':
    'for(let i=0;i<1e6;i++)document.body.appendChild(document.createElement("p")).textContent=i',
  'pictures that WebGL keeps':
    'for(let i=0;i<40;i++){const g=document.createElement("canvas").getContext("webgl");if(!g)break;for(let k=0;k<8;k++){g.bindTexture(g.TEXTURE_2D,g.createTexture());g.texImage2D(g.TEXTURE_2D,0,g.RGBA,4096,4096,0,g.RGBA,g.UNSIGNED_BYTE,null)}}',
  'memory that WebAssembly grows':
    'const all=[];setInterval(()=>{const m=new WebAssembly.Memory({initial:800});new Uint8Array(m.buffer).fill(1);all.push(m)},20)',
  'a service worker that asks again for ever': 'navigator.serviceWorker.register("/worker.js").catch(()=>{})',
  'addresses of its own without end': 'setInterval(()=>history.pushState(0,0,"/"+Math.random()),1)',
  'frames in frames':
    'if(window.top===window)for(let i=0;i<300;i++){const f=document.createElement("iframe");f.src="/";document.body.append(f)}',
};

function stormPage(name: string, code: string): HostilePage {
  return {
    name,
    // A service worker needs a secure context: a name over HTTP is none, an address of loopback is.
    url: `http://${siteAddress}/`,
    answer: (request, response) =>
      request.url === '/worker.js'
        ? response
            .writeHead(200, { 'content-type': 'text/javascript' })
            .end('const ask=()=>fetch("/"+Math.random()).catch(()=>{}).then(ask);ask()')
        : response
            .writeHead(200, { 'content-type': 'text/html' })
            .end(
              `<!doctype html><title>x</title><h1>hello</h1><script>setTimeout(()=>{${code}},300)</script>`,
            ),
    ends: anyEnd,
    nearly: 'dialogs, popups, a download and a way to chrome://crash at once',
    hurry: { timeoutMs: 12_000, memoryBytes: 1_000_000_000 },
  };
}

/** Every storm in one page, and each alone. Only the soak loads them; the first is loaded by a service as well. */
export const stormPages: readonly HostilePage[] = [
  stormPage(
    'all storms at once',
    Object.values(storms)
      .map((code) => `setTimeout(()=>{${code}})`)
      .join(';'),
  ),
  ...Object.entries(storms).map(([name, code]) => stormPage(name, code)),
];
