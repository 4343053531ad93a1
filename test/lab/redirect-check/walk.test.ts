import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { walkChain } from '../../../worker/checks/security-header-check/gather/walk-chain.ts';
import { wayOfHeaders, wayOfRedirects } from '../../kit/both-walks.ts';
import { hostile } from './hostile.ts';
import { scenarios } from './scenarios.ts';
import { openWorld } from './world.ts';

const hostOf = (start: string) => new URL(start.replace(':raw', '')).hostname;
const byHost = <Part>(part: (scenario: (typeof hostile)[number]) => Part | undefined) =>
  Object.fromEntries(
    hostile.flatMap((scenario) => {
      const found = part(scenario);
      return found === undefined ? [] : [[hostOf(scenario.start), found] as const];
    }),
  );

const world = await openWorld({
  sites: Object.assign({}, ...scenarios.map(({ sites }) => sites)),
  sockets: byHost(({ connected }) => connected),
  certificates: byHost(({ certificate }) => certificate),
  names: {
    'nxdomain.test': { rcode: 3 },
    'nodata.test': { turns: [] },
    'servfail.test': { rcode: 2 },
    'refused.test': { rcode: 5 },
    'silent.test': 'silent',
    'garbage.test': 'garbage',
    'private.test': { turns: [['10.0.0.1']] },
    'mixed.test': { turns: [['127.0.0.1', '10.0.0.1']] },
    'rebind.test': { turns: [['127.0.0.1'], ['10.0.0.1']] },
  },
});
afterAll(() => world.close());

const nothingStaysOpen = async (timeout = 1000) => {
  await expect.poll(() => world.openSockets(), { timeout, interval: 5 }).toBe(0);
};

const walked = async (start: string) => {
  const { report, evidence, tookMs } = await world.walk(start);
  await nothingStaysOpen();
  expect(JSON.stringify({ report, evidence }), 'credentials are shown').not.toMatch(/secret@/);
  return { report, tookMs };
};

describe('a walk', () => {
  test.for(scenarios)('$name', async ({ start, broken, expected }) => {
    const { report } = await walked(start);
    expect(report).toMatchObject({ ...expected, broken: [...broken].sort() });
  });

  test.for(scenarios)('security-header-check walks it too: $name', async ({ start }) => {
    const target = world.place(start);
    const { evidence } = await world.walk(start);
    const probes = world.probes.open(AbortSignal.timeout(5000));
    const chain = await walkChain(target, probes);
    probes.close();
    await nothingStaysOpen();
    expect(wayOfHeaders(chain)).toEqual(wayOfRedirects(evidence));
    expect(JSON.stringify(chain), 'credentials are shown').not.toMatch(/secret@/);
  });

  test('no two scenarios share a site', () => {
    const origins = scenarios.flatMap(({ sites = {} }) => Object.keys(sites));
    expect(new Set(origins).size).toBe(origins.length);
  });
});

describe('a walk to a server that', () => {
  let slowest = { name: '', afterMs: Number.NEGATIVE_INFINITY };
  let bytesBefore = 0;
  beforeAll(() => {
    bytesBefore = residentBytes();
  });

  for (const { name, start, broken, expected, boundMs } of hostile) {
    test(`${name}, within ${boundMs} ms`, async () => {
      const { report, tookMs } = await walked(start);
      expect(report).toMatchObject({ ...expected, broken: [...broken].sort() });
      // 5 s for a machine that does something else beside; without its limit a walk lasts as long as its run.
      expect(tookMs).toBeLessThan(boundMs + 5000);
      const afterMs = Math.round(tookMs - boundMs);
      if (afterMs > slowest.afterMs) slowest = { name, afterMs };
    });
  }

  test('all of them together leave the process as large as it was', () => {
    const grownBytes = residentBytes() - bytesBefore;
    const mebibytes = (grownBytes / 2 ** 20).toFixed(1);
    console.info(
      `${scenarios.length} scenarios, ${hostile.length} hostile servers; RSS grew by ${mebibytes} MiB; ` +
        `latest answer: ${slowest.afterMs} ms after its limit (${slowest.name})`,
    );
    expect(grownBytes).toBeLessThan(64 * 2 ** 20);
  });
});

describe('a run that is aborted', () => {
  const places = [
    ['while it waits for an answer', 'http://mute.test:raw/'],
    ['in a handshake', 'https://tls-mute.test:raw/'],
    ['while it reads a page', 'http://drip.test:raw/'],
  ] as const;

  test.for(places)('rejects at once and leaves nothing open: %s', async ([, start]) => {
    await expect(world.walk(start, AbortSignal.timeout(100))).rejects.toThrow(/timeout/);
    await nothingStaysOpen(100);
  });
});

// Awaits the probes: closing them does not yet reach a socket that is still being opened or secured.
test('a run that is closed in a handshake leaves nothing open', async () => {
  const opened = world.probes.open(AbortSignal.timeout(1000));
  const asked = opened.http.ask({ url: world.place('https://tls-mute.test:raw/'), bodyLimitBytes: 0 });
  await expect.poll(() => world.openSockets()).toBe(1);
  opened.close();
  await nothingStaysOpen(100);
  expect(await asked).toMatchObject({ kind: 'failure' });
});

function residentBytes(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage.rss();
}
