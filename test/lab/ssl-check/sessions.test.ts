import { constants, randomBytes } from 'node:crypto';
import { createServer } from 'node:tls';
import { afterAll, expect, test } from 'vitest';
import { openSslLab } from './lab.ts';
import { openNginx } from './nginx.ts';
import { identity, listen, openTlsServer, soundCiphers, type TlsServerOptions } from './servers.ts';
import { hasTool } from './tools.ts';

// What becomes of a client that comes back, or that begins another handshake inside a connection.
const lab = await openSslLab();
afterAll(() => lab.close());

const good = identity(lab.leaf, lab.intermediate);
const node = (options: TlsServerOptions) => () => openTlsServer({ ...good, ...options });
const noTickets = constants.SSL_OP_NO_TICKET | constants.SSL_OP_NO_RENEGOTIATION;
const noRenegotiation = constants.SSL_OP_NO_RENEGOTIATION;
/** A farm whose machines do not share their keys: each connection meets another one. */
const farm = () => {
  const server = createServer({ ...good, ciphers: soundCiphers, secureOptions: noRenegotiation }, (socket) =>
    socket.on('error', () => undefined).once('data', () => socket.end()),
  ).on('tlsClientError', () => undefined);
  server.on('connection', () => server.setTicketKeys(randomBytes(48)));
  return listen(server, { address: '127.0.0.1', port: 0 });
};
const rows = [
  [
    'tickets in both versions',
    node({}),
    {
      sessions: { ids: false, tickets: true, tls13Tickets: true, resumed: true },
      renegotiationByClient: false,
    },
    [],
  ],
  [
    'TLS 1.2 with tickets',
    node({ maxVersion: 'TLSv1.2' }),
    { sessions: { ids: false, tickets: true, tls13Tickets: null, resumed: true } },
    [],
  ],
  [
    'TLS 1.2 with a session id that the server has forgotten',
    node({ maxVersion: 'TLSv1.2', secureOptions: noTickets }),
    { sessions: { ids: true, tickets: false, tls13Tickets: null, resumed: false } },
    ['session-not-resumed'],
  ],
  [
    'TLS 1.3 alone',
    node({ minVersion: 'TLSv1.3' }),
    {
      sessions: { ids: null, tickets: null, tls13Tickets: true, resumed: true },
      renegotiationByClient: null,
    },
    [],
  ],
  [
    'a farm that shares no keys',
    farm,
    { sessions: { tickets: true, tls13Tickets: true, resumed: false } },
    ['session-not-resumed'],
  ],
  [
    'Node’s default, which allows clients to renegotiate',
    node({ secureOptions: 0 }),
    { renegotiationByClient: true },
    ['renegotiation-by-client'],
  ],
] as const;

const told = ['session-not-resumed', 'renegotiation-by-client'];
test.for(rows)('%s', async ([, open, wanted, broken]) => {
  const server = await open();
  const seen = await lab.check(server.port);
  await server.close();
  expect(seen.report).toMatchObject(wanted);
  expect(seen.broken.filter((code) => told.includes(code))).toEqual(broken);
  expect(seen.evidence.connections).toBeLessThanOrEqual(45);
  // Nothing of the session itself is kept.
  expect(JSON.stringify(seen.evidence)).not.toMatch(/"session":/);
});

test.skipIf(!hasTool('nginx', '-v'))('nginx resumes sessions and refuses renegotiation', async () => {
  const server = await openNginx(
    [lab.leaf, lab.intermediate],
    ['ssl_protocols TLSv1.2 TLSv1.3;', 'ssl_session_cache shared:a:1m;', 'ssl_ciphers ECDHE+AESGCM;'],
  );
  const { report, broken } = await lab.check(server.port);
  await server.close();
  expect(report).toMatchObject({
    sessions: { tls13Tickets: true, resumed: true },
    renegotiationByClient: false,
  });
  expect(broken).not.toContain('session-not-resumed');
});
