/** Every way we know by which a page can make a browser send something: name → what makes it do so to `host:port`. */
type Kind = { readonly name: string; readonly html?: string; readonly script?: string };

/** The ways, aimed at a port that nothing may reach. `at(kind)` is an address there that names its kind. */
export function leakKinds(port: number): readonly Kind[] {
  const at = (name: string, host = '127.0.0.1', scheme = 'http') => `${scheme}://${host}:${port}/${name}`;
  const tag = (name: string, html: (url: string) => string): Kind => ({ name, html: html(at(name)) });
  const run = (name: string, script: (url: string) => string): Kind => ({ name, script: script(at(name)) });
  const from = (name: string, host: string): Kind => ({ name, html: `<img src="${at(name, host)}">` });
  return [
    tag('img', (url) => `<img src="${url}">`),
    tag('srcset', (url) => `<img srcset="${url} 1x">`),
    tag('script', (url) => `<script async src="${url}"></script>`),
    tag('module', (url) => `<script type="module" src="${url}"></script>`),
    tag('stylesheet', (url) => `<link rel="stylesheet" href="${url}">`),
    tag('css-import', (url) => `<style>@import url("${url}");</style>`),
    tag('css-background', (url) => `<style>body{background:url("${url}")}</style>`),
    tag(
      'font',
      (url) =>
        `<style>@font-face{font-family:leak;src:url("${url}")}</style><p style="font-family:leak">text</p>`,
    ),
    tag('video', (url) => `<video preload="auto" src="${url}"></video>`),
    tag('audio', (url) => `<audio preload="auto" src="${url}"></audio>`),
    tag('track', (url) => `<video crossorigin><track default kind="captions" src="${url}"></video>`),
    tag('poster', (url) => `<video poster="${url}"></video>`),
    tag('iframe', (url) => `<iframe src="${url}"></iframe>`),
    tag('object', (url) => `<object data="${url}"></object>`),
    tag('embed', (url) => `<embed src="${url}">`),
    tag('svg-image', (url) => `<svg><image href="${url}"/></svg>`),
    tag('preload', (url) => `<link rel="preload" as="image" href="${url}">`),
    tag('modulepreload', (url) => `<link rel="modulepreload" href="${url}">`),
    tag('prefetch', (url) => `<link rel="prefetch" href="${url}">`),
    { name: 'preconnect', html: `<link rel="preconnect" href="http://127.0.0.1:${port}">` },
    tag('manifest', (url) => `<link rel="manifest" href="${url}">`),
    tag('icon', (url) => `<link rel="icon" href="${url}">`),
    tag(
      'meta-refresh',
      (url) => `<iframe srcdoc='<meta http-equiv="refresh" content="0;url=${url}">'></iframe>`,
    ),
    { name: 'redirect', html: '<img src="/redirect">' },
    { name: 'redirect-frame', html: '<iframe src="/redirect-frame"></iframe>' },
    run('fetch', (url) => `fetch("${url}",{mode:"no-cors"}).catch(()=>{})`),
    run('fetch-keepalive', (url) => `fetch("${url}",{mode:"no-cors",keepalive:true}).catch(()=>{})`),
    run('xhr', (url) => `const x=new XMLHttpRequest();x.open("GET","${url}");x.send()`),
    run('beacon', (url) => `navigator.sendBeacon("${url}","x")`),
    run('event-source', (url) => `new EventSource("${url}")`),
    run('web-socket', (url) => `new WebSocket("${url.replace('http', 'ws')}")`),
    run('import', (url) => `import("${url}").catch(()=>{})`),
    run('worker', (url) => `new Worker(URL.createObjectURL(new Blob(['fetch("${url}",{mode:"no-cors"})'])))`),
    run('shared-worker', () => 'new SharedWorker("/shared-worker.js")'),
    run('service-worker', () => 'navigator.serviceWorker.register("/service-worker.js")'),
    run('popup', (url) => `window.open("${url}")`),
    run(
      'form',
      (url) =>
        `const f=document.createElement("form");f.method="post";f.action="${url}";f.target="sink";document.body.append(f);f.submit()`,
    ),
    run(
      'ping',
      (url) =>
        `const a=document.createElement("a");a.href="#x";a.ping="${url}";document.body.append(a);a.click()`,
    ),
    run('frame-location', (url) => `frames["sink2"].location="${url}"`),
    from('decimal-address', '2130706433'),
    from('hex-address', '0x7f000001'),
    from('short-address', '127.1'),
    from('mapped-address', '[::ffff:127.0.0.1]'),
    from('ipv6-loopback', '[::1]'),
    from('zero-address', '0.0.0.0'),
    from('localhost', 'localhost'),
    from('private-name', 'private.test'),
    { name: 'tls', html: `<img src="${at('tls', '127.0.0.1', 'https')}">` },
    {
      name: 'stun-udp',
      script: `const p=new RTCPeerConnection({iceServers:[{urls:"stun:127.0.0.1:${port}"},{urls:"stun:[::1]:${port}"}]});p.createDataChannel("x");p.createOffer().then(o=>p.setLocalDescription(o))`,
    },
    {
      name: 'turn-tcp',
      script: `const t=new RTCPeerConnection({iceServers:[{urls:"turn:127.0.0.1:${port}?transport=tcp",username:"u",credential:"c"}]});t.createDataChannel("x");t.createOffer().then(o=>t.setLocalDescription(o))`,
    },
    {
      name: 'turn-udp',
      script: `const u=new RTCPeerConnection({iceServers:[{urls:"turn:127.0.0.1:${port}",username:"u",credential:"c"}]});u.createDataChannel("x");u.createOffer().then(o=>u.setLocalDescription(o))`,
    },
    {
      name: 'web-transport',
      script: `const w=new WebTransport("https://127.0.0.1:${port}/web-transport");w.ready.catch(()=>{});w.closed.catch(()=>{})`,
    },
    { name: 'header-preload' },
    { name: 'header-csp-report' },
  ];
}

/** The page that tries them all, and the headers that it comes with. */
export function leakPage(port: number): { readonly html: string; readonly headers: Record<string, string> } {
  const kinds = leakKinds(port);
  const html = kinds.flatMap((kind) => kind.html ?? []).join('\n');
  const scripts = kinds.flatMap(({ script }) =>
    script === undefined ? [] : `try{(()=>{${script}})()}catch{}`,
  );
  return {
    html: `<!doctype html><title>leaks</title><h1>leaks</h1><iframe name="sink"></iframe><iframe name="sink2"></iframe>
${html}<script>addEventListener("load",()=>{${scripts.join(';')}})</script>`,
    headers: {
      'content-type': 'text/html',
      link: `<http://127.0.0.1:${port}/header-preload>; rel=preload; as=image`,
      'content-security-policy-report-only': `media-src 'none'; report-uri http://127.0.0.1:${port}/header-csp-report`,
    },
  };
}
