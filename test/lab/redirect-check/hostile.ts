import type { Socket } from 'node:net';
import type { Transform } from 'node:stream';
import { createBrotliCompress, createGzip, createZstdCompress, gzipSync } from 'node:zlib';
import type { RedirectCode } from '#shared/catalogue/redirect-check/rules';
import { makeAuthority } from '../kit/certificates.ts';
import type { Servers } from './world.ts';

/** One server that means ill: what its sockets do, and how soon and how the report must come all the same. */
export type Hostile = {
  readonly name: string;
  /** Its host is the part before ".test"; ":raw" stands for its port. */
  readonly start: string;
  readonly connected?: (socket: Socket) => void;
  readonly certificate?: NonNullable<Servers['certificates']>[string];
  readonly broken: readonly RedirectCode[];
  readonly expected: object;
  /** The limit that bounds it: of the connection, TLS, the header section, the request, or the chain; ms, a tenth of production's. */
  readonly boundMs: number;
};

/** Production's limits, a tenth as long; what answers by itself must be quick. */
const bound = { own: 500, dns: 450, connect: 300, tls: 400, response: 800, request: 1500, chain: 1800 };

/** Answers each request by these bytes, once the first piece of it came. */
const answers = (text: string | Buffer, then: (socket: Socket) => void = (socket) => socket.end()) => {
  const reply = typeof text === 'string' ? Buffer.from(text, 'latin1') : text;
  return (socket: Socket) =>
    void socket.once('data', () => {
      socket.write(reply);
      then(socket);
    });
};

/** Writes as fast as the other end reads, until it goes. */
const forEver = (piece: string) => (socket: Socket) => {
  const block = Buffer.from(piece.repeat(Math.ceil(65_536 / piece.length)));
  const write = () => {
    while (!socket.destroyed && socket.write(block));
  };
  socket.on('drain', write);
  write();
};

/** Writes a piece every now and then, until the other end goes. */
const drip = (piece: string, everyMs: number) => (socket: Socket) => {
  const timer = setInterval(() => socket.write(piece), everyMs);
  socket.once('close', () => clearInterval(timer));
};

const html = 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n';
const reset = (socket: Socket) => void socket.resetAndDestroy();

async function bomb(coder: Transform): Promise<Buffer> {
  const pieces: Buffer[] = [];
  coder.on('data', (piece: Buffer) => pieces.push(piece));
  const zeros = Buffer.alloc(1_000_000);
  for (let mega = 0; mega < 200; mega += 1) {
    if (!coder.write(zeros)) await new Promise((resolve) => coder.once('drain', resolve));
  }
  await new Promise((resolve) => coder.end(() => resolve(undefined)).once('end', resolve));
  return Buffer.concat(pieces);
}

const coded = (coding: string, body: Buffer) =>
  Buffer.concat([
    Buffer.from(`${html}Content-Encoding: ${coding}\r\nContent-Length: ${body.length}\r\n\r\n`),
    body,
  ]);

const unreachable = (code: string) => ({
  state: 'unreachable',
  ended: 'unreachable',
  finalUrl: null,
  hops: [{ status: null, error: { code } }],
});
const mute = {
  ...unreachable('response-timeout'),
  hops: [{ status: null, error: { code: 'response-timeout' }, address: '127.0.0.1' }],
};
const dead = { broken: ['target-unreachable'] satisfies RedirectCode[] };
const inClearText = ['http-not-upgraded'] satisfies RedirectCode[];
const arrived = { state: 'complete', ended: 'ok', finalStatus: 200 };

const silences: readonly Hostile[] = [
  {
    name: 'accepts and never answers',
    start: 'http://mute.test:raw/',
    connected: () => undefined,
    ...dead,
    expected: mute,
    boundMs: bound.response,
  },
  {
    name: 'reads the request and never answers',
    start: 'http://deaf.test:raw/',
    connected: (socket) => void socket.resume(),
    ...dead,
    expected: mute,
    boundMs: bound.response,
  },
  {
    name: 'drips its header section',
    start: 'http://slowloris.test:raw/',
    connected: answers('HTTP/1.1 200 OK\r\n', drip('x: y\r\n', 50)),
    ...dead,
    expected: unreachable('response-timeout'),
    boundMs: bound.response,
  },
  {
    name: 'sends 102 without end',
    start: 'http://early.test:raw/',
    connected: answers('', drip('HTTP/1.1 102 Processing\r\n\r\n', 1)),
    ...dead,
    expected: unreachable('malformed-response'),
    boundMs: bound.response,
  },
  {
    name: 'floods with 103',
    start: 'http://hints.test:raw/',
    // Not as fast as it can: both ends share one loop here, and a full one makes every timer late.
    connected: answers('', drip('HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n'.repeat(50), 2)),
    ...dead,
    expected: unreachable('malformed-response'),
    boundMs: bound.response,
  },
  {
    name: 'drips its body',
    start: 'http://drip.test:raw/',
    connected: answers(`${html}\r\n`, drip('x', 20)),
    broken: [...inClearText, 'target-body-broken'],
    expected: arrived,
    boundMs: bound.request,
  },
  {
    name: 'stops in the middle of its body',
    start: 'http://stop.test:raw/',
    connected: answers(`${html}Content-Length: 1000\r\n\r\nhello`, () => undefined),
    broken: [...inClearText, 'target-body-broken'],
    expected: arrived,
    boundMs: bound.request,
  },
  {
    name: 'keeps a visitor busy with redirects that are almost too slow',
    start: 'http://slow.test:raw/',
    connected: (socket) =>
      void socket.on('data', (request) => {
        const next = Number(/^GET \/(\d*)/.exec(request.toString('latin1'))?.[1] ?? 0) + 1;
        setTimeout(
          () => socket.write(`HTTP/1.1 302 Found\r\nLocation: /${next}\r\nContent-Length: 0\r\n\r\n`),
          500,
        );
      }),
    broken: ['redirect-chain-slow', 'redirect-chain-long'],
    expected: { state: 'partial', ended: 'unreachable', redirects: 3, finalUrl: null },
    boundMs: bound.chain,
  },
  {
    name: 'never begins its handshake',
    start: 'https://tls-mute.test:raw/',
    connected: () => undefined,
    ...dead,
    expected: unreachable('tls-timeout'),
    boundMs: bound.tls,
  },
  {
    name: 'stops in the middle of its handshake',
    start: 'https://tls-stall.test:raw/',
    connected: answers(Buffer.from('160303007a020000760303', 'hex'), () => undefined),
    ...dead,
    expected: unreachable('tls-timeout'),
    boundMs: bound.tls,
  },
  {
    name: 'secures the connection and never answers',
    start: 'https://tls-silent.test:raw/',
    certificate: (lab) => lab.authority.issue(['tls-silent.test']),
    connected: () => undefined,
    ...dead,
    expected: mute,
    boundMs: bound.response,
  },
];

const floods: readonly Hostile[] = [
  {
    name: 'sends a body without end',
    start: 'http://endless.test:raw/',
    connected: answers(`${html}\r\n`, forEver('<p>x')),
    broken: inClearText,
    expected: arrived,
    boundMs: bound.own,
  },
  {
    name: 'sends a body without end in chunks of one byte',
    start: 'http://crumbs.test:raw/',
    connected: answers(`${html}Transfer-Encoding: chunked\r\n\r\n`, forEver('1\r\nx\r\n')),
    broken: inClearText,
    expected: arrived,
    boundMs: bound.own,
  },
  {
    name: 'sends a body without end in chunks of eight bytes',
    start: 'http://bites.test:raw/',
    connected: answers(`${html}Transfer-Encoding: chunked\r\n\r\n`, forEver('8\r\nabcdefgh\r\n')),
    broken: inClearText,
    expected: arrived,
    boundMs: bound.own,
  },
  {
    name: 'sends its page a word at a time, and is read to its end',
    start: 'http://words.test:raw/',
    connected: answers(
      `${html}Transfer-Encoding: chunked\r\n\r\n${'9\r\n<p>word.\n\r\n'.repeat(3000)}` +
        '1e\r\n<script>location="/b"</script>\r\n0\r\n\r\n',
    ),
    broken: [...inClearText, 'redirect-javascript-suspected'],
    expected: arrived,
    boundMs: bound.own,
  },
  {
    name: 'sends bytes without end instead of an answer',
    start: 'http://noise.test:raw/',
    connected: answers('', forEver('x')),
    ...dead,
    expected: unreachable('not-http'),
    boundMs: bound.own,
  },
  {
    name: 'sends a redirect whose body has no end',
    start: 'http://tail.test:raw/',
    connected: (socket) => {
      socket.once('data', (request) => {
        if (!request.toString('latin1').startsWith('GET / '))
          return socket.end(`${html}Content-Length: 2\r\n\r\nok`);
        socket.write('HTTP/1.1 302 Found\r\nLocation: /b\r\n\r\n');
        return forEver('x')(socket);
      });
    },
    broken: inClearText,
    expected: { ...arrived, redirects: 1 },
    boundMs: bound.own,
  },
  {
    name: 'sends header fields without end',
    start: 'http://fields.test:raw/',
    connected: answers('HTTP/1.1 200 OK\r\n', forEver(`x: ${'y'.repeat(1000)}\r\n`)),
    ...dead,
    expected: unreachable('headers-too-large'),
    boundMs: bound.own,
  },
  {
    name: 'sends one field of 70 kB',
    start: 'http://field.test:raw/',
    connected: answers(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(70_000)}\r\n\r\n`),
    ...dead,
    expected: unreachable('headers-too-large'),
    boundMs: bound.own,
  },
  {
    name: 'sends a line without end',
    start: 'http://line.test:raw/',
    connected: answers('HTTP/1.1 200 ', forEver('x')),
    ...dead,
    expected: unreachable('headers-too-large'),
    boundMs: bound.own,
  },
  ...(
    [
      ['gzip', await bomb(createGzip())],
      ['br', await bomb(createBrotliCompress())],
      ['zstd', await bomb(createZstdCompress())],
    ] as const
  ).map(([coding, body]) => ({
    name: `sends ${coding} that unfolds to 200 MB`,
    start: `http://bomb-${coding}.test:raw/`,
    connected: answers(coded(coding, body)),
    broken: inClearText,
    expected: arrived,
    boundMs: bound.own,
  })),
  {
    name: 'sends what is gzip three times over',
    start: 'http://gzip3.test:raw/',
    connected: answers(coded('gzip, gzip, gzip', gzipSync(gzipSync(gzipSync('<p>hello'))))),
    broken: inClearText,
    expected: arrived,
    boundMs: bound.own,
  },
  {
    name: 'sends what is no gzip',
    start: 'http://nogzip.test:raw/',
    connected: answers(coded('gzip', Buffer.from('<p>hello'))),
    broken: [...inClearText, 'target-body-broken'],
    expected: arrived,
    boundMs: bound.own,
  },
  {
    name: 'breaks its gzip off',
    start: 'http://halfgzip.test:raw/',
    connected: answers(coded('gzip', gzipSync('x'.repeat(100_000)).subarray(0, 60))),
    broken: [...inClearText, 'target-body-broken'],
    expected: arrived,
    boundMs: bound.own,
  },
  {
    name: 'sends a coding that nobody knows',
    start: 'http://coding.test:raw/',
    connected: answers(coded('__proto__', Buffer.from('<p>hello'))),
    broken: [...inClearText, 'target-body-broken'],
    expected: arrived,
    boundMs: bound.own,
  },
  {
    name: 'sends half a megabyte of misnested tags',
    start: 'http://tags.test:raw/',
    connected: answers(`${html}\r\n${'<font><p>'.repeat(58_000)}`),
    broken: inClearText,
    expected: arrived,
    boundMs: bound.own,
  },
  {
    name: 'sends 60 kB of link brackets',
    start: 'http://brackets.test:raw/',
    connected: answers(`${html}Link: ${'<'.repeat(60_000)}\r\nContent-Length: 0\r\n\r\n`),
    broken: inClearText,
    expected: arrived,
    boundMs: bound.own,
  },
  {
    name: 'sets 4,000 cookies, twenty times',
    start: 'http://cookies.test:raw/',
    connected: (socket) =>
      void socket.on('data', (request) => {
        const [, hop] = /^GET \/(\d+) /.exec(request.toString('latin1')) ?? [];
        if (hop === undefined && !request.toString('latin1').startsWith('GET / ')) return;
        const next = Number(hop ?? 0) + 1;
        const set = Array.from({ length: 4000 }, (_, index) => `Set-Cookie:${index.toString(36)}=\r\n`).join(
          '',
        );
        socket.write(`HTTP/1.1 302 Found\r\nLocation: /${next}\r\n${set}Content-Length: 0\r\n\r\n`);
      }),
    broken: ['redirect-too-many'],
    expected: { ended: 'too-many' },
    boundMs: bound.chain,
  },
];

const lies: readonly Hostile[] = [
  {
    name: 'greets like a mail server',
    start: 'http://smtp.test:raw/',
    connected: (socket) => void socket.write('220 mail.test ESMTP\r\n'),
    ...dead,
    expected: unreachable('not-http'),
    boundMs: bound.own,
  },
  {
    name: 'speaks HTTP/0.9',
    start: 'http://zero9.test:raw/',
    connected: answers('<html><p>hello'),
    ...dead,
    expected: unreachable('not-http'),
    boundMs: bound.own,
  },
  {
    name: 'promises more than it sends',
    start: 'http://short.test:raw/',
    connected: answers(`${html}Content-Length: 1000\r\n\r\nhello`),
    broken: [...inClearText, 'target-body-broken'],
    expected: arrived,
    boundMs: bound.own,
  },
  {
    name: 'sends more than it promises',
    start: 'http://more.test:raw/',
    connected: answers(`${html}Content-Length: 2\r\n\r\nhello`),
    broken: [...inClearText, 'target-body-broken'],
    expected: arrived,
    boundMs: bound.own,
  },
  ...[
    ['two lengths', 'Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello'],
    ['two lengths behind a space before a colon', 'A : b\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n'],
  ].map(([what, text], index) => ({
    name: `sends ${what}`,
    start: `http://lie${index}.test:raw/`,
    connected: answers(`HTTP/1.1 200 OK\r\n${text}`),
    ...dead,
    expected: unreachable('malformed-response'),
    boundMs: bound.own,
  })),
  ...(
    [
      ['ends its lines with LF alone', 'lf', 'Content-Length: 0\n\n'],
      ['folds a line', 'fold', 'X: 1\r\n 2\r\nContent-Length: 0\r\n\r\n'],
      ['sends a length that is no number', 'five', 'Content-Length: five\r\n\r\n<p>hi'],
      ['sends a field name with a space', 'blank', 'bad name: x\r\n\r\n'],
      ['sends a field without a colon', 'nothing', 'nothing\r\n\r\n'],
      [
        'sends a length and chunks',
        'both',
        'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n<p>hi\r\n0\r\n\r\n',
      ],
    ] as const
  ).map(([name, host, text]) => ({
    name: `${name}, which browsers read`,
    start: `http://${host}.test:raw/`,
    connected: answers(`HTTP/1.1 200 OK\r\n${text}`),
    broken: [...inClearText, 'answer-malformed'] satisfies RedirectCode[],
    expected: arrived,
    boundMs: bound.own,
  })),
  {
    name: 'sends NUL in a field, which they refuse',
    start: 'http://nul.test:raw/',
    connected: answers('HTTP/1.1 200 OK\r\nX: \0\r\nContent-Length: 0\r\n\r\n'),
    ...dead,
    expected: unreachable('malformed-response'),
    boundMs: bound.own,
  },
  {
    name: 'sends a chunk of a size that is none',
    start: 'http://chunk.test:raw/',
    connected: answers(`${html}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nxyz\r\n`),
    broken: [...inClearText, 'target-body-broken'],
    expected: arrived,
    boundMs: bound.own,
  },
  {
    name: 'resets at once',
    start: 'http://rst.test:raw/',
    connected: reset,
    ...dead,
    expected: { ...unreachable('connection-reset') },
    boundMs: bound.own,
  },
  {
    name: 'resets after the request',
    start: 'http://rst-request.test:raw/',
    connected: (socket) => void socket.once('data', () => reset(socket)),
    ...dead,
    expected: unreachable('connection-reset'),
    boundMs: bound.own,
  },
  {
    name: 'resets in the middle of its body',
    start: 'http://rst-body.test:raw/',
    connected: answers(`${html}Content-Length: 1000\r\n\r\nhello`, (socket) =>
      setTimeout(() => reset(socket), 50),
    ),
    broken: [...inClearText, 'target-body-broken'],
    expected: arrived,
    boundMs: bound.own,
  },
  {
    name: 'closes without a word',
    start: 'http://shut.test:raw/',
    connected: (socket) => void socket.end(),
    ...dead,
    expected: unreachable('connection-closed'),
    boundMs: bound.own,
  },
  {
    name: 'resets during the handshake',
    start: 'https://tls-rst.test:raw/',
    connected: (socket) => void socket.once('data', () => reset(socket)),
    ...dead,
    expected: unreachable('connection-reset'),
    boundMs: bound.own,
  },
  {
    name: 'speaks HTTP where TLS is due',
    start: 'https://plain.test:raw/',
    connected: answers('HTTP/1.1 400 Bad Request\r\n\r\n'),
    ...dead,
    expected: unreachable('not-tls'),
    boundMs: bound.own,
  },
  {
    name: 'speaks TLS where HTTP is due',
    start: 'http://secure.test:raw/',
    certificate: (lab) => lab.authority.issue(['secure.test']),
    connected: () => undefined,
    ...dead,
    expected: { state: 'unreachable' },
    boundMs: bound.own,
  },
];

const certificates: readonly Hostile[] = (
  [
    [
      'of an authority that nobody knows',
      'unknown',
      async () => (await makeAuthority('Other')).issue(['unknown.test']),
    ],
    [
      'that expired yesterday',
      'expired',
      (lab) => lab.authority.issue(['expired.test'], { notAfter: new Date(Date.now() - 86_400_000) }),
    ],
    [
      'that begins tomorrow',
      'early-cert',
      (lab) => lab.authority.issue(['early-cert.test'], { notBefore: new Date(Date.now() + 86_400_000) }),
    ],
    ['for another name', 'wrong-name', (lab) => lab.authority.issue(['other.test'])],
  ] satisfies readonly (readonly [string, string, NonNullable<Hostile['certificate']>])[]
).map(([what, host, certificate]) => ({
  name: `shows a certificate ${what}`,
  start: `https://${host}.test:raw/`,
  certificate,
  connected: answers(`${html}Content-Length: 2\r\n\r\nok`),
  broken: ['certificate-not-trusted'],
  expected: { ...arrived, hops: [{ tls: { trusted: false } }] },
  boundMs: bound.own,
}));

const names: readonly Hostile[] = [
  {
    name: 'has no listener',
    start: 'http://closed.test:1026/',
    ...dead,
    expected: unreachable('connection-refused'),
    boundMs: bound.own,
  },
  {
    name: 'does not exist',
    start: 'http://nxdomain.test/',
    ...dead,
    expected: unreachable('name-not-found'),
    boundMs: bound.own,
  },
  {
    name: 'has no address',
    start: 'http://nodata.test/',
    ...dead,
    expected: unreachable('name-not-found'),
    boundMs: bound.own,
  },
  {
    name: 'has a resolver that fails',
    start: 'http://servfail.test/',
    ...dead,
    expected: unreachable('name-unresolved'),
    boundMs: bound.own,
  },
  {
    name: 'has a resolver that refuses',
    start: 'http://refused.test/',
    ...dead,
    expected: unreachable('name-unresolved'),
    boundMs: bound.own,
  },
  {
    name: 'has a resolver that is silent',
    start: 'http://silent.test/',
    ...dead,
    expected: unreachable('name-unresolved'),
    boundMs: bound.dns,
  },
  {
    name: 'has a resolver that answers garbage',
    start: 'http://garbage.test/',
    ...dead,
    expected: unreachable('name-unresolved'),
    boundMs: bound.dns,
  },
  {
    name: 'has a private address',
    start: 'http://private.test/',
    broken: ['target-address-not-allowed'],
    expected: { state: 'unreachable', ended: 'refused', hops: [{ address: null }] },
    boundMs: bound.own,
  },
  {
    name: 'has a public address and a private one',
    start: 'http://mixed.test/',
    broken: ['target-address-not-allowed'],
    expected: { state: 'unreachable', ended: 'refused', hops: [{ address: null }] },
    boundMs: bound.own,
  },
  {
    name: 'changes to a private address between two hops',
    start: 'http://rebind.test:raw/',
    connected: answers('HTTP/1.1 302 Found\r\nLocation: /b\r\nConnection: close\r\n\r\n'),
    broken: ['redirect-loop'],
    expected: { ended: 'loop', hops: [{ address: '127.0.0.1' }, { address: '127.0.0.1' }] },
    boundMs: bound.own,
  },
];

/** Servers that mean ill, and names that lead nowhere. */
export const hostile: readonly Hostile[] = [...silences, ...floods, ...lies, ...certificates, ...names];
