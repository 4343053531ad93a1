import type { RequestListener } from 'node:http';
import { page, paths, to } from '../answers.ts';
import { type Kind, kind } from './kind.ts';

const end = page('<p>the end');
const strict = { 'strict-transport-security': 'max-age=31536000' };
const strictBelow = { 'strict-transport-security': 'max-age=31536000; includeSubDomains' };

const numbered = (count: number): RequestListener =>
  paths({
    ...Object.fromEntries(Array.from({ length: count }, (_, at) => [`/${at}`, to(`/${at + 1}`, 302)])),
    [`/${count}`]: end,
  });

/** Lets in who brings the cookie. */
const gate =
  (cookie: string, wanted: string): RequestListener =>
  (request, response) =>
    request.headers.cookie?.includes(wanted)
      ? end(request, response)
      : to(request.url ?? '/', 302, { 'set-cookie': cookie })(request, response);

const twentieth = 'Firefox and Fetch follow 20; redirect-too-many says that Chromium does not';

const lengths: readonly Kind[] = [
  ...[1, 3, 10, 19, 20, 21, 25].map((count) =>
    kind(
      `${count} redirects`,
      { https: numbered(count) },
      'https:/0',
      count === 20 ? { meant: twentieth } : {},
    ),
  ),
  kind('a loop of one', { https: to('/', 302) }),
  kind('a loop of two', { https: paths({ '/': to('/b', 302), '/b': to('/', 302) }) }),
  kind(
    'a loop of http and https',
    (host) => ({ http: to(`https://${host}/`), https: to(`http://${host}/`) }),
    'http:/',
  ),
];

const cookies: readonly Kind[] = [
  kind('a gate that wants its cookie', { https: gate('in=1', 'in=1') }),
  kind('a gate whose cookie is Secure, over http', { http: gate('in=1; Secure', 'in=1') }, 'http:/'),
  kind('a gate whose cookie is for another path', { https: gate('in=1; Path=/x', 'in=1') }),
  kind('a gate whose cookie has expired', { https: gate('in=1; Max-Age=0', 'in=1') }),
  kind('a gate whose cookie has the prefix __Host- and a Domain', (host) => ({
    https: gate(`__Host-in=1; Secure; Path=/; Domain=${host}`, 'in=1'),
  })),
  kind('a new cookie at each turn, three times', {
    https: (request, response) => {
      const turn = Number(/n=(\d)/.exec(request.headers.cookie ?? '')?.[1] ?? 0);
      if (turn === 3) end(request, response);
      else to('/', 302, { 'set-cookie': `n=${turn + 1}` })(request, response);
    },
  }),
];

const schemes: readonly Kind[] = [
  kind('http to https', (host) => ({ http: to(`https://${host}/`), https: end }), 'http:/'),
  kind('https to http', (host) => ({ https: to(`http://${host}/b`), http: end })),
  kind('https with HSTS to http', (host) => ({
    https: paths({ '/': to(`http://${host}/b`, 302, strict), '/b': end }),
    http: end,
  })),
  kind('HSTS, and http on port 8080', (host) => ({
    https: paths({ '/': to(`http://${host}:8080/b`, 302, strict), '/b': end }),
    http: end,
  })),
  kind('HSTS, then http at a later hop', (host) => ({
    https: paths({
      '/': to('/a', 302, strict),
      '/a': to(`http://${host}/b`, 302),
      '/b': end,
    }),
    http: end,
  })),
  kind('HSTS taken back by max-age=0, then http', (host) => ({
    https: paths({
      '/': to('/a', 302, strict),
      '/a': to(`http://${host}/b`, 302, { 'strict-transport-security': 'max-age=0' }),
    }),
    http: end,
  })),
  kind('HSTS that is malformed, then http', (host) => ({
    https: to(`http://${host}/b`, 302, { 'strict-transport-security': 'max-age=soon' }),
    http: end,
  })),
  kind(
    'HSTS over http counts for nothing',
    (host) => ({
      http: paths({ '/': to(`http://${host}/b`, 302, strict), '/b': end }),
      https: end,
    }),
    'http:/',
  ),
  kind(
    'http, https with HSTS, back to http: a loop by HSTS',
    (host) => ({
      http: to(`https://${host}/`),
      https: to(`http://${host}/`, 301, strict),
    }),
    'http:/',
  ),
  subdomains('HSTS with includeSubDomains, then http below', strictBelow),
  subdomains('HSTS without includeSubDomains, then http below', strict),
  kind('a refresh to http behind HSTS', (host) => ({
    https: paths({
      '/': page(`<meta http-equiv=refresh content="0;url=http://${host}/b">`, strict),
      '/b': end,
    }),
    http: end,
  })),
  kind('a downgrade and an upgrade', (host) => ({
    https: paths({ '/': to(`http://${host}/a`, 302), '/b': end }),
    http: to(`https://${host}/b`, 302),
  })),
  {
    what: 'http to a host under a preloaded top-level domain',
    start: 'https://to-preloaded.test/',
    sites: {
      'https://to-preloaded.test': to('http://preloaded.dev/', 302),
      'https://preloaded.dev': end,
      'http://preloaded.dev': end,
    },
    meant: 'Chromium with its preload list ends at https; the bundled headless shell has no list',
  },
];

function subdomains(what: string, headers: Readonly<Record<string, string>>): Kind {
  const made = kind(what, {});
  const { hostname } = new URL(made.start);
  const below = `www.${hostname}`;
  return {
    ...made,
    sites: {
      [`https://${hostname}`]: to(`http://${below}/b`, 302, headers),
      [`http://${below}`]: end,
      [`https://${below}`]: end,
    },
  };
}

const preloaded: Kind = {
  what: 'the host under a preloaded top-level domain, asked over http',
  start: 'http://first.dev/',
  sites: { 'http://first.dev': end, 'https://first.dev': end },
  meant: 'the first address is asked as it was given; laterVisit says where browsers begin',
};

const hosts: readonly Kind[] = [
  {
    what: 'an IDN host, in UTF-8',
    start: 'https://idn.test/',
    sites: {
      'https://idn.test': to('https://b\u00c3\u00bccher.test/b', 302),
      'https://xn--bcher-kva.test': end,
    },
  },
  {
    what: 'an IDN host, as A-label',
    start: 'https://idn-a.test/',
    sites: {
      'https://idn-a.test': to('https://xn--mnchen-3ya.test/b', 302),
      'https://xn--mnchen-3ya.test': end,
    },
  },
  {
    what: 'a host with the dot of the root',
    start: 'https://dot.test/',
    sites: {
      'https://dot.test': to('https://dotted.test./b', 302),
      'https://dotted.test.': end,
      'https://dotted.test': end,
    },
  },
  kind(
    'another port',
    (host) => ({ http: paths({ '/': to(`http://${host}:8080/b`, 302), '/b': end }) }),
    'http:/',
  ),
  kind('a port that browsers refuse', (host) => ({ https: to(`https://${host}:25/`, 302) })),
  kind('a host that does not exist', { https: to('https://nobody.test/', 302) }),
];

const meta = (content: string, more = '') =>
  `<!doctype html>${more}<meta http-equiv=refresh content="${content}">`;
const leads = (
  html: string,
  headers: Readonly<Record<string, string>> = {},
): Record<'https', RequestListener> => ({
  https: paths({ '/': page(html, headers), '/b': end }),
});
const late = 'a page that stays for more than five seconds is read';
const script = 'scripts are not run; redirect-javascript-suspected names where this one leads';

const pages: readonly Kind[] = [
  kind('a Refresh field', leads('', { refresh: '0; url=/b' })),
  kind('a Refresh field with quotes', leads('', { refresh: '0; URL="/b"' })),
  kind('a Refresh field with a comma', leads('', { refresh: '0, /b' })),
  kind('a Refresh field that is none', leads('', { refresh: 'url=/b' })),
  kind('a meta refresh', leads(meta('0; url=/b'))),
  kind('a meta refresh in capitals', leads('<META HTTP-EQUIV="REFRESH" CONTENT="0; URL=/b">')),
  kind('a meta refresh with inner quotes', leads(`<meta http-equiv=refresh content="0; url='/b'">`)),
  kind('a meta refresh with entities', leads(meta('0&#59; url=&sol;b'))),
  kind('a meta refresh without url=', leads(meta('0;/b'))),
  kind('a meta refresh with a fraction', leads(meta('0.9; url=/b')), 'https:/', { watchMs: 1500 }),
  kind('a meta refresh in two seconds', leads(meta('2; url=/b')), 'https:/', { watchMs: 3000 }),
  kind('a meta refresh in seven seconds', leads(meta('7; url=/b')), 'https:/', {
    watchMs: 8000,
    meant: late,
  }),
  kind('a meta refresh in the body', leads(`<body><p>x<div>${meta('0; url=/b')}</div>`)),
  kind('a meta refresh in noscript', leads(`<noscript>${meta('0; url=/b')}</noscript>`)),
  kind('a meta refresh in a comment', leads(`<!-- ${meta('0; url=/b')} -->`)),
  kind('a meta refresh in a template', leads(`<template>${meta('0; url=/b')}</template>`)),
  kind('a meta refresh in a textarea', leads(`<textarea>${meta('0; url=/b')}</textarea>`)),
  kind('a meta refresh against a base', leads(meta('0; url=b', '<base href="/">'))),
  kind('a meta refresh to javascript:', leads(meta("0; url=javascript:location='/b'"))),
  kind('a meta refresh to itself', leads(meta('60'))),
  kind('a meta refresh with a negative time', leads(meta('-1; url=/b'))),
  kind('two meta refreshes', leads(`${meta('0; url=/b')}${meta('0; url=/c')}`)),
  kind(
    'a meta refresh, and a later one that waits',
    leads(`${meta('0; url=/b')}${meta('1; url=/c')}`),
    'https:/',
    {
      watchMs: 1800,
    },
  ),
  kind(
    'a meta refresh, and a later one that waits less',
    leads(`${meta('1; url=/c')}${meta('0; url=/b')}`),
    'https:/',
    {
      watchMs: 1800,
    },
  ),
  kind(
    'a Refresh field that waits, and a meta refresh',
    leads(meta('0; url=/b'), { refresh: '1; url=/c' }),
    'https:/',
    {
      watchMs: 1800,
    },
  ),
  kind('a meta refresh, and then a reload', leads(`${meta('0; url=/b')}${meta('0')}`)),
  kind('a meta refresh in plain text', leads(meta('0; url=/b'), { 'content-type': 'text/plain' })),
  kind('a meta refresh on an error page', {
    https: paths({ '/': page(meta('0; url=/b'), {}, 404), '/b': end }),
  }),
  kind('a meta refresh on the body of a 302 without Location', {
    https: paths({ '/': page(meta('0; url=/b'), {}, 302), '/b': end }),
  }),
  ...[
    'location.href = "/b"',
    'window["location"] = "/b"',
    'window.location.replace("/b")',
    'top.location = "/b"',
    'setTimeout(function () { document.location.assign("/b") }, 10)',
  ].map((text) => kind(`a script: ${text}`, leads(`<script>${text}</script>`), 'https:/', { meant: script })),
  kind(
    'a script that sends a form',
    leads('<form id=f action=/b></form><script>document.forms[0].submit()</script>'),
    'https:/',
    {
      meant: script,
    },
  ),
  kind(
    'a script that tests its own scheme',
    leads(
      `<script>if (location.protocol !== 'https:') location = 'https://' + location.host + '/b'</script>`,
    ),
  ),
];

/** How hops follow on each other, and pages that lead on by themselves. */
export const chainKinds: readonly Kind[] = [
  ...lengths,
  ...cookies,
  ...schemes,
  preloaded,
  ...hosts,
  ...pages,
];
