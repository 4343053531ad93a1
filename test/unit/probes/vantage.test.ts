import { describe, expect, test } from 'vitest';
import { unlessOurs } from '../../../worker/probes/vantage/early.ts';
import {
  askLimit,
  emptyMemory,
  noteAsked,
  type VantageMemory,
} from '../../../worker/probes/vantage/memory.ts';
import { ipv4Inside, readPrefixes, throughNat64 } from '../../../worker/probes/vantage/nat64.ts';
import { openVantage } from '../../../worker/probes/vantage/open.ts';
import type { ControlNotes, Outcome } from '../../../worker/probes/vantage/port.ts';
import type { Way } from '../../../worker/probes/vantage/ways.ts';

describe('NAT64', () => {
  // RFC 6052 §2.4, for 192.0.2.33.
  test.for([
    ['2001:db8::/32', '2001:db8:c000:221::'],
    ['2001:db8:100::/40', '2001:db8:1c0:2:21::'],
    ['2001:db8:122::/48', '2001:db8:122:c000:2:2100::'],
    ['2001:db8:122:300::/56', '2001:db8:122:3c0:0:221::'],
    ['2001:db8:122:344::/64', '2001:db8:122:344:c0:2:2100:0'],
    ['2001:db8:122:344::/96', '2001:db8:122:344::c000:221'],
    ['64:ff9b::/96', '64:ff9b::c000:221'],
  ] as const)('%s has 192.0.2.33 as %s', ([prefix, address]) => {
    expect(throughNat64('192.0.2.33', prefix)).toBe(address);
    expect(ipv4Inside(address, [prefix])).toBe('192.0.2.33');
    expect(readPrefixes([throughNat64('192.0.0.170', prefix)])).toEqual([prefix]);
  });

  test('an address of another network has none inside, and one that is not mapped names no prefix', () => {
    expect(ipv4Inside('2606:4700::1', ['64:ff9b::/96'])).toBeUndefined();
    expect(ipv4Inside('192.0.2.33', ['64:ff9b::/96'])).toBeUndefined();
    expect(readPrefixes(['2606:4700::1', '192.0.0.170', 'nonsense'])).toEqual([]);
  });
});

/** A network whose controls say this, with a clock that the test turns. */
function openNetwork(says: { readonly [W in Way]?: Outcome } = {}) {
  let now = 10_000_000;
  let asked = 0;
  let notes: ControlNotes | undefined;
  const memories: VantageMemory[] = [];
  const vantage = openVantage({
    ignoresProxy: false,
    now: () => now,
    tell: (memory) => void memories.push(memory),
    controls(given) {
      notes = given;
      return {
        async ask(way) {
          asked += 1;
          return says[way] ?? 'unsure';
        },
        hasStandIn: (way) => way === 'https/4',
        learnRewrites: async () => undefined,
        learnNat64: async () => undefined,
        surveyed: ['resolver', 'ipv6'],
      };
    },
  });
  return {
    vantage,
    memories,
    asked: () => asked,
    now: () => now,
    wait: (ms: number) => void (now += ms),
    mayAsk: () => notes?.mayAsk() ?? false,
    fail: (way: Way, host = 'a.example', address = '198.51.100.1') => {
      const run = vantage.openRun();
      return run.blame({ ways: [way], since: now, host, address }).then(({ ours }) => ours !== undefined);
    },
  };
}

describe('whose failure it is', () => {
  test('ours where a control fails, the target’s where it works, and it is asked once a minute', async () => {
    const { fail, wait, asked } = openNetwork({ ipv6: 'fails', 'https/4': 'works' });
    expect([await fail('ipv6'), await fail('https/4'), await fail('https/4')]).toEqual([true, false, false]);
    expect(asked()).toBe(2);
    wait(61_000);
    expect([await fail('ipv6'), await fail('https/4'), asked()]).toEqual([true, false, 4]);
  });

  test('the target’s where the same worked since it began, whoever showed it', async () => {
    const { vantage, fail, asked, now } = openNetwork({ ipv6: 'fails' });
    const run = vantage.openRun();
    const since = now();
    run.worked('ipv6');
    expect(await run.blame({ ways: ['ipv6'], since, host: 'a.example' })).toEqual({
      ours: undefined,
      untried: false,
    });
    expect([asked(), await fail('dns-tcp/4')]).toEqual([0, false]);
  });

  test('a run tells what it met, and no other', async () => {
    const { vantage, fail } = openNetwork({ ipv6: 'fails' });
    await fail('ipv6');
    const run = vantage.openRun();
    expect([vantage.missing(), run.missing()]).toEqual([['ipv6'], []]);
    expect(await run.lacks(['dns-tcp/4', 'ipv6'])).toMatch(/IPv6/);
    expect(run.missing()).toEqual(['ipv6']);
    run.worked('ipv6');
    expect(vantage.missing()).toEqual([]);
  });

  test('without a control three domains on three networks stand in, while none worked', async () => {
    const { vantage, fail, wait } = openNetwork();
    expect(await fail('https/4', 'a.example', '198.51.100.1')).toBe(false);
    expect(await fail('https/4', 'www.a.example', '198.51.100.7')).toBe(false);
    expect(await fail('https/4', 'b.example', '203.0.113.2')).toBe(false);
    expect(await fail('https/4', 'c.example', '192.0.2.1')).toBe(true);
    // No other target goes untried for it.
    expect([vantage.missing(), await vantage.openRun().lacks(['https/4'])]).toEqual([[], undefined]);
    vantage.openRun().worked('https/4');
    wait(1000);
    expect(await fail('https/4', 'd.example', '192.0.2.2')).toBe(false);
  });

  test('what nobody can say any more is tried again', async () => {
    const says: { ipv6?: 'fails' | 'unsure' } = { ipv6: 'fails' };
    const { vantage, fail, wait } = openNetwork(says);
    await fail('ipv6');
    expect(await vantage.openRun().lacks(['ipv6'])).toMatch(/IPv6/);
    says.ipv6 = 'unsure';
    wait(301_000);
    expect(await vantage.openRun().lacks(['ipv6'])).toBeUndefined();
  });

  test('10,000 hostile targets change nothing in the report of another', async () => {
    const { vantage, fail, memories } = openNetwork({ 'https/4': 'works', ipv6: 'works', resolver: 'works' });
    for (let at = 0; at < 10_000; at += 1) {
      const address = `${1 + (at % 200)}.${at % 250}.1.1`;
      await fail(at % 2 === 0 ? 'https/4' : 'ipv6', `h${at}.example`, address);
    }
    expect(vantage.missing()).toEqual([]);
    expect(await fail('https/4', 'victim.example', '203.0.113.9')).toBe(false);
    expect(JSON.stringify(memories.at(-1)).length).toBeLessThan(50_000);
  });

  test('30 questions an hour for failures, over the ends of a process', () => {
    const { vantage, mayAsk, memories, wait } = openNetwork();
    const given = Array.from({ length: 70 }, () => mayAsk()).filter(Boolean).length;
    const other = openNetwork();
    other.vantage.load(memories.at(-1) ?? emptyMemory);
    expect([given, other.mayAsk()]).toEqual([askLimit, false]);
    wait(3_600_001);
    vantage.load(memories.at(-1) ?? emptyMemory);
    expect([mayAsk(), noteAsked(emptyMemory, 'failures', 0)?.asked.failures]).toEqual([true, [0]]);
  });
});

test('silence is explained after a second, and what comes late is not waited for', async () => {
  const silent = new Promise<string>(() => undefined);
  expect(await unlessOurs(silent, async () => 'this network cannot')).toEqual({
    ours: 'this network cannot',
  });
  expect(await unlessOurs(Promise.resolve('here'), async () => 'no')).toEqual({ value: 'here' });
  const late = new Promise<string>((resolve) => setTimeout(resolve, 1300, 'late'));
  expect(await unlessOurs(late, async () => undefined)).toEqual({ value: 'late' });
});
