import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { skipReason } from '../dns-check/debian-tools.ts';
import { type Network, openNetwork } from './network.ts';
import { networks } from './networks.ts';
import { openService, runCheck } from './run-check.ts';
import { openWorld, type World } from './world.ts';

const reason = skipReason('networks', ['ip', 'nft', 'nginx', 'openssl', 'ethtool']);

describe.skipIf(reason !== undefined)('in a good network', () => {
  let world: World;
  let network: Network;
  beforeAll(async () => {
    world = await openWorld();
    network = await openNetwork(world, networks.good);
  });
  afterAll(async () => {
    await network?.close();
    await world?.close();
  });

  test.each([
    ['dns-check', 'healthy.com'],
    ['ssl-check', 'healthy.com'],
    ['security-header-check', 'https://healthy.com/'],
    ['redirect-check', 'http://healthy.com/'],
    ['domain-health', 'healthy.com'],
  ] as const)('%s finds nothing grave in a healthy domain', async (check, target) => {
    const { report } = await runCheck(network, check, target);
    const grave = report.findings.filter(({ severity }) => severity === 'high' || severity === 'critical');
    expect({ state: report.state, grave, grade: report.grade }).toMatchObject({
      state: expect.stringMatching(/complete|partial/),
      grave: [],
      grade: expect.stringMatching(/^A/),
    });
  });

  test('the service answers on loopback there', async () => {
    const service = await openService(network);
    try {
      const { status, body } = await service.ask('/api/tools/redirect-check?url=http%3A%2F%2Fone.org%2F');
      expect({ status, body }).toMatchObject({ status: 200, body: { state: 'complete', grade: 'A+' } });
    } finally {
      await service.close();
    }
  });
});
