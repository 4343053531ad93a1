import { afterAll, expect, test } from 'vitest';
import { openLab } from '../kit/lab.ts';
import { openHostileDns } from './dns-servers.ts';
import { startWatchedService } from './watched-service.ts';
import { hostileZones } from './zones.ts';

const [dns, lab] = await Promise.all([openHostileDns(hostileZones), openLab({})]);
const { service, close } = await startWatchedService(
  lab.settings({ ...dns.settings, TARGET_ALLOW_CIDRS: '127.0.0.0/8' }),
);
afterAll(() => Promise.all([close(), dns.close(), lab.close()]));

/** What all name servers and the resolver have sent. */
const sentBytes = () => [...dns.sentBytes.values()].reduce((sum, bytes) => sum + bytes, 0);

const spent = { what: 'answer bytes', of: 'DNS', limit: 1_000_000 };

/** Zones whose servers answer with up to 64 kB each time; without a limit for the run they sent 1.7 to 8.1 MB. */
const zones = ['heavy.test', 'trap.test', 'circle.test', 'hashes.test', 'thousands.test', 'fill0.test'];

test.for(zones)(
  'of %s a run reads a megabyte of answers, and its report says so',
  { timeout: 60_000 },
  async (domain) => {
    const before = sentBytes();
    const answer = await fetch(`${service.url}/api/tools/dns-check/${domain}`);
    const report = (await answer.json()) as { readonly budgetSpent?: readonly unknown[] };
    console.info(`${domain}: ${sentBytes() - before} bytes of answers`);
    expect(answer.status).toBe(200);
    // What is under way when the budget runs out is read to its end: two answers of 64 kB at most, and dozens of short ones.
    // On a busy machine a few questions time out: their answers are sent, and are read by nobody.
    expect(sentBytes() - before).toBeLessThan(1_000_000 + 7 * 65_535 + 20_000);
    expect(report.budgetSpent).toContainEqual(spent);
  },
);
