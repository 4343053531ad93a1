import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { openMailWorld } from './world.ts';

const folder = mkdtempSync(join(tmpdir(), 'mail-denied-'));
const list = join(folder, 'deny.txt');
writeFileSync(list, 'mx.denied.test\n');
const mx = (exchange: string) => ({ MX: [{ preference: 10, exchange }] });
const world = await openMailWorld(
  {
    'denied.test': mx('mx.denied.test'),
    'mx.denied.test': { A: ['127.0.0.48'] },
    'alias.test': mx('mx.alias.test'),
    'mx.alias.test': { CNAME: ['mx.denied.test'] },
    'inside.test': mx('mx.inside.test'),
    'mx.inside.test': { A: ['10.0.0.1'] },
    'mixed.test': mx('mx.mixed.test'),
    'mx.mixed.test': { A: ['127.0.0.48', '10.0.0.1'] },
    'literal.test': mx('127.0.0.48'),
    'own.test': mx('localhost'),
  },
  { settings: { TARGET_DENY_NAMES_FILE: list } },
);
const server = await world.serve(48, {});
afterAll(async () => {
  await world.close();
  rmSync(folder, { recursive: true });
});

const notPublic = ['target-address-not-allowed'];
test.for([
  ['denied.test', []],
  ['alias.test', []],
  ['inside.test', notPublic],
  ['mixed.test', notPublic],
  ['literal.test', []],
  ['own.test', []],
] as const)('%s: no connection is made to such a host, and %j is told', async ([domain, told]) => {
  const { evidence, broken, notTested, report } = await world.checkAnew(domain);
  expect(broken).toEqual(told);
  expect(notTested.has('starttls-missing')).toBe(true);
  expect(evidence.connections).toBe(0);
  expect(report).toMatchObject({ state: 'unreachable', score: null });
  expect(server.connections()).toBe(0);
  // No address that is not public is reported.
  expect(JSON.stringify(report)).not.toContain('10.0.0.1');
});
