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

/** What Node's parser reads in no mode. */
const unreadable = new Set([
  'a space in a field name',
  'a space before the colon',
  'a space before the colon of Location',
  'a line without colon',
  'a CR inside of a value',
  'http/1.1 in small letters',
  'Content-Length twice, the same',
  'a Content-Length that is no number',
]);
const told = 'Chromium; Node reads it in no mode, so there is no score';

/** What one answer may say, and how. */
export const answerKinds: readonly Kind[] = [
  ...statuses,
  ...spellings,
  ...broken,
  ...grammar.map((one) => (unreadable.has(one.what) ? { ...one, meant: told } : one)),
];
