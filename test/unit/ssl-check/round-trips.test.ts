import { expect, test } from 'vitest';
import { runOnPaper } from './run-on-paper.ts';

const curves = [0x11ec, 0x001d, 0x0017, 0x0018, 0x0019];
test.for([
  [
    'a careful server',
    { tls12: [0xc02b, 0xc02c, 0xcca9], tls13: [0x1302, 0x1303, 0x1301], groups: curves },
    5,
  ],
  ['TLS 1.3 alone', { tls12: [], tls13: [0x1302, 0x1303, 0x1301], groups: curves }, 5],
  [
    'a server with the suites of OpenSSL’s defaults',
    {
      tls12: [
        0xc030, 0xcca8, 0xc02f, 0xc028, 0xc027, 0xc014, 0xc013, 0x009d, 0x009c, 0x003d, 0x003c, 0x0035,
        0x002f,
      ],
      tls13: [0x1302, 0x1303, 0x1301],
      groups: curves,
    },
    5,
  ],
] as const)('%s', async ([, server, most]) => {
  const seen = await runOnPaper({
    tls12: [...server.tls12],
    tls13: [...server.tls13],
    groups: [...server.groups],
  });
  expect(seen.roundTrips).toBeLessThanOrEqual(most);
  // What today's clients are shown is known beside the first answer.
  expect(seen.metAfter).toBe(1);
  expect(seen.evidence.connections).toBeLessThanOrEqual(45);
});
