import { afterAll, beforeAll, expect, test } from 'vitest';
import { clientRules } from '#shared/catalogue/ssl-check/rules/client';
import { connectionRules } from '#shared/catalogue/ssl-check/rules/connection';
import { openSslLab, runLimitMs, type Seen } from './lab.ts';
import { type Misbehaving, misbehavingServers } from './misbehaving.ts';
import { openRecordFront } from './record-front.ts';
import { identity, type LabServer, openTcpServer, openTlsServer } from './servers.ts';

const lab = await openSslLab({ limits: { firstTimeoutMs: 2500 } });
const seen = new Map<string, Seen>();
afterAll(() => lab.close());

// Those that our deadline ends take longest and come first; as many at a time as a small machine can answer in time.
beforeAll(async () => {
  const left = [...misbehavingServers];
  const lookAtAll = async () => {
    for (let next = left.shift(); next; next = left.shift()) seen.set(next.name, await lookAt(next));
  };
  await Promise.all(Array.from({ length: 12 }, lookAtAll));
}, 120_000);

async function lookAt({ serves }: Misbehaving): Promise<Seen> {
  const servers: LabServer[] = [];
  if ('answers' in serves) servers.push(await openTcpServer(serves.answers));
  else {
    const { version, twist } = serves;
    const good = await openTlsServer({
      ...identity(lab.leaf, lab.intermediate),
      ...(version === 'TLSv1.2' ? { maxVersion: version } : {}),
      ...(version === 'TLSv1.3' ? { minVersion: version } : {}),
    });
    servers.push(await openRecordFront(good, twist), good);
  }
  const found = await lab.check(servers[0]?.port ?? 0);
  await Promise.all(servers.map((server) => server.close()));
  return found;
}

/** The rules that say whether and why clients cannot connect. */
const ofConnecting: readonly string[] = Object.keys({ ...connectionRules, ...clientRules });

test.for(misbehavingServers)('$name', ({ name, told }) => {
  const found = seen.get(name);
  const broken = found?.broken.filter((code) => ofConnecting.includes(code));
  expect(found?.tookMs).toBeLessThan(runLimitMs);
  expect(broken).toEqual(told.broken);
  const reasons = found?.report.notTested.map(({ reason }) => reason);
  expect(told.notTested === undefined || reasons?.includes(told.notTested)).toBe(true);
});

test('there are forty servers or more, each with a name of its own', () => {
  expect(new Set(misbehavingServers.map(({ name }) => name)).size).toBe(misbehavingServers.length);
  expect(misbehavingServers.length).toBeGreaterThanOrEqual(40);
});
