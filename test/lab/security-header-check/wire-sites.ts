import type { RequestListener } from 'node:http';
import type { Sites } from '../kit/web-servers.ts';

/** A site over https whose http address redirects to it; `wants` are findings that the report must have, `never` ones that it must not. */
export type WireSite = {
  readonly what: string;
  readonly check: 'headers' | 'redirects';
  readonly host: string;
  readonly https: RequestListener;
  readonly wants: readonly string[];
  readonly never?: readonly string[];
  readonly score: 'none' | 'any';
};

const page = (title: string, body: string) =>
  `<!doctype html><html><head><title>${title}</title></head><body>${body}</body></html>`;

/** Bytes as they are, which Node's own server would not write. */
const raw =
  (head: string, body = '<p>hello'): RequestListener =>
  (_request, { socket }) =>
    socket?.end(
      Buffer.from(
        `HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n${head}\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
        'latin1',
      ),
    );

const html =
  (body: string): RequestListener =>
  (_request, response) =>
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(body);

const cors =
  (list: (origin: string) => boolean): RequestListener =>
  ({ headers: { origin = '' } }, response) =>
    response
      .writeHead(200, {
        'content-type': 'text/html; charset=utf-8',
        ...(list(origin)
          ? {
              'access-control-allow-origin': origin,
              'access-control-allow-credentials': 'true',
              vary: 'Origin',
            }
          : {}),
      })
      .end('<p>app');

const gate =
  (name: string, set: string): RequestListener =>
  ({ headers: { cookie = '' } }, response) => {
    if (cookie.includes(`${name}=`)) response.writeHead(200, { 'content-type': 'text/html' }).end('<p>in');
    else response.writeHead(302, { location: '/', 'set-cookie': set }).end();
  };

const lookAlike = { check: 'headers', wants: ['cors-reflects-origin-credentials'], score: 'any' } as const;
const stranger = {
  check: 'headers',
  wants: ['target-is-default-page'],
  never: ['csp-missing', 'target-blocks-checks'],
  score: 'none',
} as const;
const loop = { check: 'redirects', wants: ['redirect-loop'], score: 'any' } as const;
const said = { check: 'headers', score: 'any' } as const;

/** What a report must say of a server whose answers came over sockets; `test/lab/security-header-check/wire.test.ts` asks them all. */
export const wireSites: readonly WireSite[] = [
  {
    what: 'a dot that is any character',
    host: 'app.dot.test',
    https: cors((origin) => /^https:\/\/app.dot.test$/.test(origin)),
    ...lookAlike,
  },
  {
    what: 'an end without its dot',
    host: 'www.end.test',
    https: cors((origin) => origin.endsWith('end.test')),
    ...lookAlike,
  },
  {
    what: 'a beginning without an end',
    host: 'start.test',
    https: cors((origin) => origin.startsWith('https://start.test')),
    ...lookAlike,
  },
  {
    what: 'subdomains, http and other ports',
    host: 'sub.test',
    https: cors((origin) => /^https?:\/\/(?:[a-z]+\.)?sub\.test(?::\d+)?$/.test(origin)),
    check: 'headers',
    wants: [],
    never: ['cors-reflects-origin-credentials', 'cors-reflects-origin'],
    score: 'any',
  },
  ...(
    [
      ['host', '__Host-in', '__Host-in=1; Secure; Path=/; Domain=host.test'],
      ['foreign', 'in', 'in=1; Domain=other.test'],
      ['none', 'in', 'in=1; SameSite=None'],
      ['path', 'in', 'in=1; Path=/elsewhere'],
      ['expired', 'in', 'in=1; Max-Age=0'],
    ] as const
  ).map(([host, name, set]) => ({
    what: `a loop by ${set}`,
    host: `${host}.test`,
    https: gate(name, set),
    ...loop,
  })),
  {
    what: 'nginx',
    host: 'nginx.test',
    https: html(
      page(
        'Welcome to nginx!',
        '<h1>Welcome to nginx!</h1><p>If you see this page, the nginx web server is successfully installed and\nworking.</p>',
      ),
    ),
    ...stranger,
  },
  {
    what: 'CapRover',
    host: 'caprover.test',
    https: html(page('Powered by Captain DuckDuck ', '<div>Nothing here yet :/</div>')),
    ...stranger,
  },
  {
    what: 'a parked domain',
    host: 'parked.test',
    https: html(page('parked.test', '<p>parked.test is parked free, courtesy of a registrar.</p>')),
    ...stranger,
  },
  {
    what: 'a list of files',
    host: 'files.test',
    https: html(page('Index of /', '<h1>Index of /</h1><pre><a href="../">../</a></pre>')),
    ...said,
    wants: ['directory-listing', 'csp-missing'],
  },
  {
    what: 'attributes alone',
    host: 'alone.test',
    https: raw('Set-Cookie: sid=1\r\nSet-Cookie: Path=/; HttpOnly; Secure'),
    ...said,
    wants: ['cookie-attributes-alone', 'cookie-session-no-secure'],
  },
  {
    what: 'one cookie with a comma',
    host: 'comma.test',
    https: raw('Set-Cookie: prefs=a, b=c'),
    ...said,
    wants: ['cookie-comma'],
    never: ['cookie-refused'],
  },
  {
    what: 'no semicolon',
    host: 'semicolon.test',
    https: raw("Content-Security-Policy: default-src 'self' script-src 'self' 'unsafe-inline'"),
    ...said,
    wants: ['csp-semicolon-missing'],
    never: ['csp-script-unsafe-inline'],
  },
  {
    what: 'a control character in frame-ancestors',
    host: 'control.test',
    https: raw("Content-Security-Policy: frame-ancestors 'none'\x01"),
    ...said,
    wants: ['csp-non-ascii', 'framing-open'],
  },
  {
    what: 'DEL in frame-ancestors',
    host: 'del.test',
    https: raw("Content-Security-Policy: frame-ancestors 'none'\x7f"),
    ...said,
    wants: ['csp-non-ascii', 'framing-open'],
  },
  ...(
    [
      ['X-Content-Type-Options: nosniff', 'xcto-invalid'],
      ['Cross-Origin-Opener-Policy: same-origin', 'coop-invalid'],
      ['Cross-Origin-Resource-Policy: same-origin', 'corp-invalid'],
      ['Permissions-Policy: camera=()', 'permissions-policy-invalid'],
      ['Cross-Origin-Embedder-Policy: require-corp', 'coep-invalid'],
      ['Access-Control-Allow-Origin: https://a.test', 'cors-origin-invalid'],
    ] as const
  ).flatMap(([line, code], at) =>
    ['\f', '\v'].map((end, which) => ({
      what: `${line}${JSON.stringify(end)}`,
      host: `end${at}${which}.test`,
      https: raw(`${line}${end}`),
      ...said,
      wants: [code],
    })),
  ),
  ...['X-Frame-Options: DENY', 'Referrer-Policy: no-referrer', 'Clear-Site-Data: "cookies"'].flatMap(
    (line, at) =>
      ['\f', '\v'].map((end, which) => ({
        what: `${line}${JSON.stringify(end)}, which Chromium takes`,
        host: `kept${at}${which}.test`,
        https: raw(`${line}${end}`),
        ...said,
        wants: ['header-malformed'],
        never: ['xfo-invalid', 'referrer-policy-invalid', 'clear-site-data-skipped'],
      })),
  ),
  {
    what: 'Clear-Site-Data without quotes',
    host: 'clear.test',
    https: raw('Clear-Site-Data: cookies'),
    ...said,
    wants: ['clear-site-data-skipped'],
  },
  {
    what: 'an endpoint in clear text',
    host: 'report.test',
    https: raw(
      'Content-Security-Policy: script-src \'self\'; report-to a\r\nReporting-Endpoints: a="http://report.test/r"',
    ),
    ...said,
    wants: ['csp-report-endpoint-undefined'],
  },
  {
    what: 'integrity without crossorigin',
    host: 'integrity.test',
    https: html(
      '<script src="https://cdn.other.test/a.js" integrity="sha384-oqVuAfXRKap7fdgcCY5uykM6+R9GqQ8K/uxy9rx7HNQlGYl1kPzQho1wx4JwY8wC"></script>',
    ),
    ...said,
    wants: ['sri-missing-crossorigin'],
  },
  {
    what: 'a wall that leaves it to others',
    host: 'wall.test',
    https: html('<title>Please wait</title><script src="https://check.guard.test/c.js"></script>'),
    ...said,
    wants: ['target-blocks-checks'],
    score: 'none',
  },
];

/** All of them; http redirects to https. */
export function sitesOf(all: readonly WireSite[]): Sites {
  return Object.fromEntries(
    all.flatMap(({ host, https }) => [
      [`https://${host}`, https],
      [
        `http://${host}`,
        ((_request, response) =>
          response.writeHead(301, { location: `https://${host}/` }).end()) satisfies RequestListener,
      ],
    ]),
  );
}
