import { monitorEventLoopDelay } from 'node:perf_hooks';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { anonymousShare } from '#shared/ports/pace';
import { paceRates } from '../../worker/probes/pace-turns.ts';
import { hasMongo } from '../kit/mongo.ts';
import { hasRedis } from '../kit/redis.ts';
import { type Fleet, openFleet, type Tally } from './fleet.ts';

const workers = 3;
const hosts = 60;
/** Requests of one check: so many redirects of its host, and the page. */
const hops = 7;
const rounds = 2;
const slack = 1.1;
const wide = '1000000/60';

describe.skipIf(!hasRedis || !hasMongo)('three workers and one address behind many names', () => {
  let fleet: Fleet;
  /** When each request came, ms. */
  const arrivals: number[] = [];
  beforeAll(async () => {
    fleet = await openFleet({
      hosts,
      settings: {
        RATE_LIMIT: 'on',
        LIMIT_ANON_REQUESTS: wide,
        LIMIT_ANON_SCANS: wide,
        QUEUE_SECONDS: '120',
      },
      answer: (request, response) => {
        arrivals.push(performance.now());
        const left = Number(/\d+$/.exec(request.url ?? '')?.[0] ?? 0);
        if (left === 0) return void response.end('page');
        response.writeHead(302, { location: String(request.url).replace(/\d+$/, String(left - 1)) }).end();
      },
    });
  }, 60_000);
  afterAll(() => fleet?.close());

  test('ask it no faster, in any time, than its burst and rate allow', async () => {
    // A machine that is busy reads late what came in time: it seems to have come at once.
    const lateness = monitorEventLoopDelay({ resolution: 10 });
    lateness.enable();
    const api = await fleet.startApi();
    await Promise.all(Array.from({ length: workers }, () => fleet.startWorker()));
    const tally: Tally = {};
    for (let round = 0; round < rounds; round += 1)
      await Promise.all(
        fleet.hosts.map((host) => fleet.ask(() => api, `http://${host}/${round}/${hops}`, tally)),
      );
    const { perSecond, burst } = paceRates.requests ?? { perSecond: 0, burst: 0 };
    const most = mostOverBurst(arrivals, perSecond * anonymousShare);
    lateness.disable();
    const readLate = (lateness.max / 1e9) * perSecond * anonymousShare;
    console.log(
      `${arrivals.length} requests in ${Math.round((arrivals.at(-1) ?? 0) - (arrivals[0] ?? 0))} ms; at most ${most.toFixed(0)} above the rate, of ${burst * anonymousShare}; ${readLate.toFixed(0)} may have been read late`,
    );
    expect(arrivals.length).toBeGreaterThan(burst * anonymousShare * slack);
    expect(most).toBeLessThanOrEqual(burst * anonymousShare * slack + readLate);
  }, 240_000);
});

/** The most requests that came within any time, less what the rate allows in it. */
function mostOverBurst(times: readonly number[], perSecond: number): number {
  let most = 0;
  /** The least of what the windows that end here begin with. */
  let least = Infinity;
  for (const [index, time] of times.entries()) {
    const allowed = (time * perSecond) / 1000;
    least = Math.min(least, index - allowed);
    most = Math.max(most, index + 1 - allowed - least);
  }
  return most;
}
