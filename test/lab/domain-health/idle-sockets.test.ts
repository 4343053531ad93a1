import { expect, test } from 'vitest';
import { openLab } from '../kit/lab.ts';
import { prepareLabProbes } from '../kit/probes.ts';
import { goodPage, goodSite } from './sites.ts';

/** Asks for a page, then shakes hands with its server, with so many places at an address. */
async function pageThenHandshake(socketsPerAddress: number) {
  const lab = await openLab({ sites: goodSite('a.test', goodPage) });
  const config = lab.config();
  const factory = prepareLabProbes(config, { socketsPerAddress });
  const limit = AbortSignal.timeout(2000);
  const probes = factory.open(limit);
  try {
    await probes.http.ask({ url: 'https://a.test/', bodyLimitBytes: 0 });
    const shake = { host: 'a.test', port: 443, servername: 'a.test', lingerMs: 0 };
    return await probes.tls.handshake(shake).then(
      ({ kind }) => kind,
      () => 'no place within 2 s',
    );
  } finally {
    probes.close();
    factory.close();
    await lab.close();
  }
}

test('a handshake has a place beside an idle connection', async () => {
  expect(await pageThenHandshake(2)).toBe('connected');
});

// A visit keeps up to seven connections for the next hop, of eight places; its ssl-check would have the one that is left.
test('an idle connection gives its place to whoever waits for one', async () => {
  expect(await pageThenHandshake(1)).toBe('connected');
});
