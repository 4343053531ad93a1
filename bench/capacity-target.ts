// The targets of the capacity bench, in a process of their own: any host h<number>.test has a site, a certificate and a zone.
import { createSocket } from 'node:dgram';
import { writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer as createNetServer, type Server } from 'node:net';
import { createSecureContext, type SecureContext } from 'node:tls';
import { type Answer, decode, encode } from 'dns-packet';
import { makeAuthority } from '../test/lab/kit/certificates.ts';

const [rootFile = ''] = process.argv.slice(2);
const address = '127.0.0.1';
/** Each host has an address of its own, as hosts on the internet mostly have. */
const addressOf = (host: string) => {
  const number = Number(host.slice(1, -'.test'.length));
  return `127.1.${(number >> 8) & 255}.${number & 255}`;
};
let delayMs = 0;
const counts: TargetCounts = { http: 0, https: 0, handshakes: 0, resumed: 0, requests: 0, questions: 0 };
// A number is how late to answer from now on; all else asks for the counts.
process.on('message', (asked: unknown) => {
  if (typeof asked === 'number') delayMs = asked;
  else process.send?.(counts);
});

/** What came in so far: TCP connections to each port, whole TLS handshakes and those of them that took up a session, HTTP requests, and questions of the DNS. */
export type TargetCounts = {
  http: number;
  https: number;
  handshakes: number;
  resumed: number;
  requests: number;
  questions: number;
};

const page = `<!doctype html><html lang="en"><head><title>A shop</title><link rel="stylesheet" href="/style.css"><script src="/app.js"></script></head><body>${'<p>Some words that a page may have, <a href="/more">and a link</a>.</p>'.repeat(250)}</body></html>`;
const fields = {
  'content-type': 'text/html; charset=utf-8',
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
  'content-security-policy':
    "default-src 'self'; script-src 'self' https://cdn.example.com; object-src 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'strict-origin-when-cross-origin',
  'set-cookie': 'sid=0123456789abcdef; Path=/; Secure; HttpOnly; SameSite=Lax',
};

const late =
  (answer: RequestListener): RequestListener =>
  (request, response) => {
    counts.requests += 1;
    void (delayMs === 0 ? answer(request, response) : setTimeout(answer, delayMs, request, response));
  };

const http = createServer(
  late((request, response) => {
    const host = (request.headers.host ?? '').replace(/:\d+$/, '');
    response.writeHead(301, { location: `https://${host}${request.url}` }).end();
  }),
);
const authority = await makeAuthority();
writeFileSync(rootFile, authority.cert);
const contexts = new Map<string, Promise<SecureContext>>();
const contextOf = (name: string) => {
  const host = name.split('.').slice(-2).join('.');
  const known = contexts.get(host);
  if (known) return known;
  const made = authority.issue([host, `www.${host}`]).then((pair) => createSecureContext(pair));
  contexts.set(host, made);
  return made;
};
const https = createHttpsServer(
  {
    ...(await authority.issue(['h.test'])),
    SNICallback: (name, give) =>
      void contextOf(name).then(
        (context) => give(null, context),
        (error: unknown) => give(error as Error),
      ),
  },
  late((request, response) => {
    // As servers of files do.
    if (request.method === 'OPTIONS') return response.writeHead(405).end();
    if (request.url === '/' || request.url === '/more') return response.writeHead(200, fields).end(page);
    return response.writeHead(404).end();
  }),
);
for (const [name, server] of [
  ['http', http],
  ['https', https],
] as const)
  server.on('connection', (socket) => {
    counts[name] += 1;
    socket.on('error', () => undefined);
  });
https.on('secureConnection', (socket) => {
  counts.handshakes += 1;
  if (socket.isSessionReused()) counts.resumed += 1;
});

const dns = createSocket('udp4');
dns.on('message', (bytes, from) => {
  counts.questions += 1;
  const query = decode(bytes);
  const [question] = query.questions ?? [];
  const answers = question ? answersTo(question.name.toLowerCase(), question.type) : [];
  // Authoritative, and recursion is available: it stands in for resolvers and name servers.
  const reply = encode({
    type: 'response',
    id: query.id ?? 0,
    flags: 0x0580,
    questions: query.questions ?? [],
    answers,
  });
  dns.send(reply, from.port, from.address);
});

function answersTo(name: string, type: string): Answer[] {
  const [, below = '', host = ''] = /^(?:(.+)\.)?(h\d+\.test)$/.exec(name) ?? [];
  const zone: Readonly<Record<string, unknown>> = {
    ' A': [addressOf(host)],
    'www A': [addressOf(host)],
    'mx A': [address],
    'ns1 A': [address],
    'ns2 A': [address],
    ' MX': [{ preference: 10, exchange: `mx.${host}` }],
    ' NS': [`ns1.${host}`, `ns2.${host}`],
    ' TXT': ['v=spf1 mx include:spf.h0.test -all', 'site-verification=0123456789'],
    'spf TXT': ['v=spf1 ip4:192.0.2.0/24 -all'],
    '_dmarc TXT': [`v=DMARC1; p=reject; rua=mailto:reports@${host}`],
    ' CAA': [{ flags: 0, tag: 'issue', value: 'ca.example' }],
    ' SOA': [
      {
        mname: `ns1.${host}`,
        rname: `root.${host}`,
        serial: 1,
        refresh: 7200,
        retry: 900,
        expire: 1209600,
        minimum: 300,
      },
    ],
  };
  const values = host === '' ? [] : ((zone[`${below} ${type}`] ?? []) as unknown[]);
  return values.map((data) => ({ name, type, ttl: 300, data }) as unknown as Answer);
}

/** How late a TLS server begins: what a connection takes on its way. */
const setupMs = Number(process.env['BENCH_SETUP_MS'] ?? 0);
const front = createNetServer({ pauseOnConnect: true, noDelay: true }, (socket) => {
  const begin = () => https.emit('connection', socket);
  if (setupMs === 0) begin();
  else setTimeout(begin, setupMs);
});

const listen = (server: Server) =>
  new Promise<number>((resolve) => {
    server.listen(0, () => resolve((server.address() as AddressInfo).port));
  });
const [httpPort, httpsPort] = [await listen(http), await listen(front)];
await new Promise<void>((resolve) => dns.bind(0, address, resolve));
process.send?.({ httpPort, httpsPort, dnsPort: dns.address().port });
process.once('disconnect', () => process.exit());
