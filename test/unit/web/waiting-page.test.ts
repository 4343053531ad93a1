import { expect, test } from 'vitest';
import { isWaitingPage } from '../../../worker/web/waiting-page.ts';

const page = (body: string, head = '') =>
  `<!doctype html><html><head><meta charset="utf-8">${head}</head><body>${body}</body></html>`;
const reload = '<script>document.cookie="pass="+6*7+";path=/";location.reload()</script>';
const bundle = '<script type="module" src="/assets/index-4f3a.js"></script>';

test.for([
  ['a sentence, a cookie and the same address again', page(`<p>Please wait…</p>${reload}`)],
  ['nothing at all beside the script', page(reload)],
  ['a title alone', page(reload, '<title>One moment</title>')],
  [
    'names in brackets',
    page('<script>document["cookie"]="a="+n();window["location"]["href"]="/?"+n()</script>'),
  ],
  [
    'names in escapes',
    page(
      '<script>document["\\x63\\x6f\\x6f\\x6b\\x69\\x65"]="a=1";window["\\x6cocation"]["reload"]()</script>',
    ),
  ],
  [
    'a cookie of a cipher, and a redirect to itself',
    page(
      '<noscript>This site requires Javascript to work</noscript><script src="/aes.js"></script><script>function toNumbers(d){}document.cookie="__test="+toHex(slow.decrypt(c,2,a,b))+"; expires=Thu, 31-Dec-37 23:55:55 GMT; path=/";location.href="http://a.test/?i=1";</script>',
    ),
  ],
  [
    'a proof that is sent by a form',
    page(
      '<h1>Verifying your browser</h1><p>This takes a few seconds.</p><form id="f" method="post"></form><script>work().then(n=>{f.n.value=n;f.submit()})</script>',
    ),
  ],
  [
    'a proof that is sent by fetch',
    page(
      '<div>Checking your connection, please wait</div><script>fetch("/.verify",{method:"POST",body:solve()}).then(()=>location.reload())</script>',
    ),
  ],
  [
    'a waiting page that reloads itself',
    page('<p>Please wait while we verify your request.</p>', '<meta http-equiv="refresh" content="5">'),
  ],
  [
    'a script beside it that looks at the visitor',
    page('<h1>Verifying your browser</h1><script src="/.challenge/v2.js"></script>'),
  ],
  [
    'a cookie of the answer, and the same address again',
    page('<p>Please wait…</p><script>setTimeout(function(){location.reload()},3000)</script>'),
  ],
  ['another language', page(`<p>请稍候，正在验证您的浏览器</p>${reload}`)],
  [
    'a sentence of an app beside what an app never does',
    page(`<div id="root"></div><p>Please wait…</p>${reload}`),
  ],
] as const)('%s is a waiting page', ([, html]) => {
  expect(isWaitingPage(html)).toBe(true);
});

test.for([
  ['an empty page', page('')],
  ['the shell of an app', page(`<div id="root"></div>${bundle}`)],
  [
    'a shell that says to wait',
    page(`<div id="app">Loading, please wait…</div><noscript>Please enable JavaScript.</noscript>${bundle}`),
  ],
  [
    'a shell that tries again when a part of it is missing',
    page(
      `<div id="app"></div><script>addEventListener("vite:preloadError",()=>location.reload())</script>${bundle}`,
    ),
  ],
  [
    'a shell that keeps the time zone',
    page(
      `<div id="root"></div><script>if(!/tz=/.test(document.cookie)){document.cookie="tz="+zone();location.reload()}</script>${bundle}`,
      '<link rel="stylesheet" href="/a.css">',
    ),
  ],
  ['an app that verifies a session', page(`<div id="app">Verifying your session…</div>${bundle}`)],
  [
    'a way on that asks for patience',
    page('<p>Please wait, you are being redirected.</p>', '<meta http-equiv=refresh content="0;url=/en/">'),
  ],
  [
    'a page that compares cookies and addresses',
    page('<p>Please wait</p><script>if(document.cookie=="a"&&location.href=="b")x()</script>'),
  ],
  ['a redirect by a script', page('<p>Redirecting…</p><script>location.href="https://www.a.test/"</script>')],
  [
    'a refresh of a landing page',
    page('<a href="/en/">English</a>', '<meta http-equiv=refresh content="0;url=/en/">'),
  ],
  [
    'a landing page that keeps the language',
    page('<script>document.cookie="lang=en";location.href="/en/"</script>'),
  ],
  [
    'a landing page that says so',
    page(
      '<p>Redirecting…</p><script>document.cookie="lang=en";location.replace("https://www.a.test/en")</script>',
    ),
  ],
  [
    'a small site with scripts of its own',
    page(`<h1>Hello</h1><p>${'Words about something. '.repeat(30)}</p>${reload}`),
  ],
  [
    'a shop that checks something',
    page(`<p>Security check for your house: call us.</p><p>${'We come. '.repeat(20)}</p>`),
  ],
  [
    'a whole app in one file',
    page(
      `<div></div><script>${'function a(){}'.repeat(2000)}document.cookie="a=1";location.reload()</script>`,
    ),
  ],
] as const)('%s is the site', ([, html]) => {
  expect(isWaitingPage(html)).toBe(false);
});

test.for([
  [
    'a sentence and a script of another site',
    page('<p>Please wait…</p><script src="https://check.guard.test/v1/c.js"></script>'),
    true,
  ],
  ['a title alone', page('<script src="//guard.test/a.js"></script>', '<title>Just a moment</title>'), true],
  [
    'one that is configured',
    page(
      '<p>Please wait</p><script>var c={k:1}</script><script src=https://client.guard.test/PX1/main.min.js></script>',
    ),
    true,
  ],
  ['another language', page('<p>请稍候</p><script src="https://guard.test/a.js"></script>'), true],
  [
    'a script of the own site',
    page('<p>Please wait…</p><script src="https://js.a.test/c.js"></script>'),
    false,
  ],
  [
    'two scripts',
    page(
      '<p>Please wait…</p><script src="https://guard.test/a.js"></script><script src="https://guard.test/b.js"></script>',
    ),
    false,
  ],
  ['no script', page('<p>Please wait…</p>'), false],
  [
    'more to say',
    page(
      `<p>Please wait…</p><p>${'The office opens at nine. '.repeat(8)}</p><script src="https://guard.test/a.js"></script>`,
    ),
    false,
  ],
  ['no such sentence', page('<p>Loading</p><script src="https://guard.test/a.js"></script>'), false],
  [
    'an empty app, its bundle of a CDN',
    page('<div id="main">Please wait…</div><script src="https://cdn.jsdelivr.net/npm/shop@1/x.js"></script>'),
    false,
  ],
  [
    'an empty app, its bundle of its host of files',
    page('<p>Please wait…</p><script src="https://cdn.shop-files.test/app.3f2a.js"></script>'),
    false,
  ],
  [
    'an empty app with a root',
    page('<div id="app">Please wait…</div><script src="https://files.test/a.js"></script>'),
    false,
  ],
  [
    'an empty app with styles',
    page(
      '<p>Please wait…</p><script src="https://files.test/a.js"></script>',
      '<link rel="stylesheet" href="/a.css">',
    ),
    false,
  ],
] as const)('to wait for a script of others: %s', ([, html, isWaiting]) => {
  expect(isWaitingPage(html, 'https://www.a.test/')).toBe(isWaiting);
});

test('64 kB of any text are looked through quickly', () => {
  const before = process.threadCpuUsage();
  for (const text of [
    '<script',
    '<script>',
    '<!--',
    '<',
    '<a',
    'cookie ',
    'location ',
    '<link rel',
    '\\x6',
    'please ',
    '<script src=',
  ])
    isWaitingPage(text.repeat(Math.floor(65_000 / text.length)), 'https://a.test/');
  expect(process.threadCpuUsage(before).user / 1000).toBeLessThan(300);
});
