import { bytes, page, paths, to } from '../answers.ts';
import { type Kind, kind } from './kind.ts';

const end = page('<p>the end');

/** From / to what the Location says, everything else is the end. */
const sends = (location: string, status = 302) => ({
  https: ((request, response) =>
    request.url === '/'
      ? to(location, status)(request, response)
      : end(request, response)) satisfies ReturnType<typeof to>,
});

const raw = (head: string) => ({ https: paths({ '/': bytes(head), '/b': end }) });
const bare = (...lines: string[]) => `HTTP/1.1 302 Found\r\n${lines.join('\r\n')}\r\n\r\n`;
const head = (...lines: string[]) => `HTTP/1.1 ${lines.join('\r\n')}\r\nContent-Length: 0\r\n\r\n`;

const noPage = 'the chain has an end, and a finding says that no page is there';

const statuses: readonly Kind[] = [
  ...[301, 302, 303, 307, 308].map((status) => kind(`${status} with a Location`, sends('/b', status))),
  ...[200, 201, 300, 304, 305, 306].map((status) =>
    kind(
      `${status} with a Location`,
      sends('/b', status),
      'https:/',
      status === 304 ? { meant: noPage } : {},
    ),
  ),
  ...[301, 302, 303, 307, 308].map((status) =>
    kind(`${status} without Location`, { https: page('<p>x', {}, status) }),
  ),
  kind('421 with a Location', sends('/b', 421)),
  kind('404 with a Location', sends('/b', 404)),
  kind('103 Early Hints, then 302', {
    https: paths({
      '/': bytes(
        `HTTP/1.1 103 Early Hints\r\nLink: </x.css>; rel=preload\r\n\r\n${head('302 Found', 'Location: /b')}`,
      ),
      '/b': end,
    }),
  }),
  kind(
    '302 to a download',
    {
      https: paths({
        '/': to('/b', 302),
        '/b': (_request, response) =>
          response
            .writeHead(200, {
              'content-type': 'application/octet-stream',
              'content-disposition': 'attachment; filename=b',
            })
            .end('x'),
      }),
    },
    'https:/',
    { meant: 'a download has an address too; Chromium shows no page for it' },
  ),
  kind('302 to a file of text', {
    https: paths({ '/': to('/b', 302), '/b': page('text', { 'content-type': 'text/plain' }) }),
  }),
  kind('302 to an error page', { https: paths({ '/': to('/b', 302), '/b': page('<p>no', {}, 500) }) }),
  kind('HEAD would lead elsewhere', {
    https: (request, response) =>
      request.method === 'HEAD' ? to('/b', 302)(request, response) : end(request, response),
  }),
];

const spellings: readonly Kind[] = [
  ['an absolute path', '/b'],
  ['a relative path', 'b'],
  ['a path upwards', '../../b'],
  ['a query alone', '?b'],
  ['dots, encoded', '/x/%2e%2e/b'],
  ['a fragment', '/b#part'],
  ['an empty fragment', '/b#'],
  ['a fragment alone, which is the same address', '#part'],
  ['a space', '/b c'],
  ['a space in front and behind', ' /b '],
  ['a tab inside', '/b\tc'],
  ['backslashes for slashes', '\\b'],
  ['UTF-8', '/\u00c3\u00a9'],
  ['latin1', '/\u00e9'],
  ['a percent sign alone', '/100%'],
  ['quotes and brackets', '/b"<>{}|^`'],
  ['https: without slashes', 'https:b'],
  ['one slash behind the scheme', 'https:/b'],
  ['an empty port', 'https://HOST:/b'],
  ['the default port', 'https://HOST:443/b'],
  ['a host in capitals', 'HTTPS://HOST/b'],
  ['no scheme', '//HOST/b'],
  ['three slashes', '///HOST/b'],
  ['backslashes before the host', '\\\\HOST\\b'],
  ['user and password', 'https://user:pass@HOST/b'],
  ['another host before the @', 'https://www.example.com@HOST/b'],
].map(([what = '', location = '']) =>
  kind(`Location: ${what}`, (host) => sends(location.replace('HOST', host))),
);

const broken: readonly Kind[] = [
  kind('an empty Location', sends('')),
  kind('a Location of spaces', raw(head('302 Found', 'Location:    '))),
  kind('two Locations that differ', raw(head('302 Found', 'Location: /b', 'Location: /c'))),
  kind('the same Location twice', raw(head('302 Found', 'Location: /b', 'Location: /b'))),
  kind('an empty Location before a true one', raw(head('302 Found', 'Location:', 'Location: /b'))),
  kind('two Locations that differ, at status 200', raw(head('200 OK', 'Location: /b', 'Location: /c'))),
  kind('a Location that is no URL', sends('http://[b')),
  kind('a Location with a port that is none', sends('https://x.test:99999/')),
  kind('javascript:', sends('javascript:alert(1)')),
  kind('data:', sends('data:text/html,hello')),
  kind('file:', sends('file:///etc/hostname')),
  kind('about:blank', sends('about:blank')),
  kind('mailto:', sends('mailto:x@y.test')),
  kind('an app', sends('someapp://open')),
  kind('ftp:', sends('ftp://x.test/')),
  kind('a Location of 7,000 characters', sends(`/${'b'.repeat(7000)}`)),
  kind('a Location of 9,021 characters', sends(`/${'b'.repeat(9020)}`)),
  kind('a Location of 15,000 characters', sends(`/${'b'.repeat(14_999)}`)),
  kind('a Location of 40,000 characters', sends(`/${'b'.repeat(39_999)}`), 'https:/', {
    meant: 'a cap of this service; the report is partial and has no score',
  }),
];

const grammar: readonly Kind[] = [
  kind('LF alone in all lines', raw('HTTP/1.1 302 Found\nLocation: /b\nContent-Length: 0\n\n')),
  kind('LF alone in one line', raw('HTTP/1.1 302 Found\r\nX: 1\nLocation: /b\r\nContent-Length: 0\r\n\r\n')),
  kind('LF alone at the end of the head', raw('HTTP/1.1 302 Found\r\nLocation: /b\r\nContent-Length: 0\n\n')),
  kind('a folded line', raw(head('302 Found', 'X: 1', '  more', 'Location: /b'))),
  kind('a folded Location', raw(head('302 Found', 'Location:', ' /b'))),
  kind('a space in a field name', raw(head('302 Found', 'Bad Name: x', 'Location: /b'))),
  kind('a space before the colon', raw(head('302 Found', 'X : x', 'Location: /b'))),
  kind('a space before the colon of Location', raw(head('302 Found', 'Location : /b'))),
  kind('a line without colon', raw(head('302 Found', 'nothing', 'Location: /b'))),
  kind('a control character in a value', raw(head('302 Found', 'X: a\u0001b', 'Location: /b'))),
  kind('NUL in a value', raw(head('302 Found', 'X: a\u0000b', 'Location: /b'))),
  kind('a CR inside of a value', raw(head('302 Found', 'X: a\rb', 'Location: /b'))),
  kind('a control character in the Location', raw(head('302 Found', 'Location: /b\u0001c'))),
  kind('a status line without reason', raw(head('302', 'Location: /b'))),
  kind('a status line without reason, with a space', raw(head('302 ', 'Location: /b'))),
  kind('HTTP/1.0', raw('HTTP/1.0 302 Found\r\nLocation: /b\r\n\r\n')),
  kind('HTTP/1.2', raw('HTTP/1.2 302 Found\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n')),
  kind('http/1.1 in small letters', raw('http/1.1 302 Found\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n')),
  kind('an empty line before the answer', raw(`\r\n${head('302 Found', 'Location: /b')}`)),
  kind('Content-Length twice, the same', raw(head('302 Found', 'Content-Length: 0', 'Location: /b'))),
  kind('Content-Length twice, different', raw(head('302 Found', 'Content-Length: 5', 'Location: /b'))),
  kind(
    'Content-Length and chunks',
    raw(
      'HTTP/1.1 302 Found\r\nLocation: /b\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ),
  ),
  kind(
    'a Content-Length that is no number',
    raw('HTTP/1.1 302 Found\r\nLocation: /b\r\nContent-Length: x\r\n\r\n'),
  ),
  kind(
    'a field of 60 kB before the Location',
    raw(head('302 Found', `X: ${'x'.repeat(60_000)}`, 'Location: /b')),
  ),
  kind('a head of 100 kB', raw(head('302 Found', `X: ${'x'.repeat(100_000)}`, 'Location: /b')), 'https:/', {
    meant: 'a cap of this service; there is no score',
  }),
];

/** What Chromium shows and we do not read. */
const unread: { readonly [what: string]: string } = {
  ...of(['a status of four digits', 'a status of two digits'], 'no such status exists; there is no score'),
  ...of(
    ['five bytes before the answer', 'a word that is no HTTP', 'a page without a head'],
    'HTTP/0.9, which Chromium shows as a page and all others refuse; there is no score',
  ),
};

function of(kinds: readonly string[], reason: string) {
  return Object.fromEntries(kinds.map((what) => [what, reason]));
}

/** An answer to the first address, and at /b the end. */
const answers: readonly Kind[] = (
  [
    ['a CR that ends a line before Location', head('302 Found', 'X: a\rLocation: /b')],
    ['a CR that splits the Location', head('302 Found', 'Location: /b\rc: d')],
    ['a colon without a name', head('302 Found', ': x', 'Location: /b')],
    ['a name with a byte above ASCII', head('302 Found', 'L\u00f6: x', 'Location: /b')],
    ['a name in brackets', head('302 Found', '(x): y', 'Location: /b')],
    ['a tab before the colon of Location', head('302 Found', 'Location\t: /b')],
    ['a first line that is folded', head('302 Found', ' X: y', 'Location: /b')],
    ['a Location that is folded twice', head('302 Found', 'Location:', ' /', '\tb')],
    [
      'a Location folded onto a line without colon',
      head('302 Found', 'nothing', ' Location: /c', 'Location: /b'),
    ],
    ['a Location folded into another field', head('302 Found', 'X: y', ' Location: /c', 'Location: /b')],
    ['Content-Length as a list of the same', bare('Location: /b', 'Content-Length: 0, 0')],
    ['Content-Length as a list that differs', bare('Location: /b', 'Content-Length: 0, 5')],
    ['an empty Content-Length', bare('Location: /b', 'Content-Length:')],
    ['a Content-Length with a plus', bare('Location: /b', 'Content-Length: +0')],
    ['a Content-Length below zero', bare('Location: /b', 'Content-Length: -1')],
    ['a Content-Length of twenty digits', bare('Location: /b', 'Content-Length: 99999999999999999999')],
    [
      'chunks, then two lengths that differ',
      bare('Location: /b', 'Transfer-Encoding: chunked', 'Content-Length: 1', 'Content-Length: 2'),
    ],
    ['HTTP without a version', head('302 Found', 'Location: /b').replace('/1.1', '')],
    ['HTTP/1', head('302 Found', 'Location: /b').replace('1.1', '1')],
    ['HTTP/2.0 in a status line', head('302 Found', 'Location: /b').replace('1.1', '2.0')],
    ['HTTP/0.9 in a status line', head('302 Found', 'Location: /b').replace('1.1', '0.9')],
    ['two spaces before the status', head(' 302 Found', 'Location: /b')],
    ['a tab before the status', head('302 Found', 'Location: /b').replace(' 302', '\t302')],
    ['no status', 'HTTP/1.1\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n'],
    ['a word for a status', head('Found', 'Location: /b')],
    ['a status of four digits', head('3020 Found', 'Location: /b')],
    ['a status of two digits', head('30 Found', 'Location: /b')],
    ['a status with a letter behind', head('302x Found', 'Location: /b')],
    ['a reason with a byte above ASCII', head('302 gefund\u00e9n', 'Location: /b')],
    ['a byte order mark before the answer', `\u00ef\u00bb\u00bf${head('302 Found', 'Location: /b')}`],
    ['four bytes before the answer', `xxxx${head('302 Found', 'Location: /b')}`],
    ['five bytes before the answer', `xxxxx${head('302 Found', 'Location: /b')}`],
    ['two empty lines before the answer', `\r\n\r\n${head('302 Found', 'Location: /b')}`],
    [
      '103 with a space before a colon, then 302',
      `HTTP/1.1 103 Early Hints\r\nLink : </x>\r\n\r\n${head('302 Found', 'Location: /b')}`,
    ],
    ['an answer that ends in its head', 'HTTP/1.1 302 Found\r\nX : y\r\nLocation: /b\r\n'],
    ['a word that is no HTTP', 'ICY 302 Found\r\nLocation: /b\r\n\r\n'],
    ['a page without a head', '<!doctype html><title>x</title><p>hello'],
    [
      'a space before the colon, and two Locations that differ',
      head('302 Found', 'X : y', 'Location: /b', 'Location: /c'),
    ],
    ['a space before the colon, and NUL', head('302 Found', 'X : y', 'Y: a\u0000b', 'Location: /b')],
  ] as const
).map(([what, text]) => {
  const meant = unread[what];
  return kind(what, raw(text), 'https:/', meant === undefined ? {} : { meant });
});

/** What one answer may say, and how. */
export const answerKinds: readonly Kind[] = [...statuses, ...spellings, ...broken, ...grammar, ...answers];
