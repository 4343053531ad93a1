import { readFileSync } from 'node:fs';
import { setTimeout as after } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { routeTable } from '../../../api/listener/route-table.ts';
import { referenceMs } from '../../growth/measure.ts';
import type { LoopSamples } from '../../kit/loop-watch.ts';
import { headOf, oneByteChunks, sendPieces } from '../../kit/pieces.ts';
import { addressOf } from './inputs.ts';
import { modes, type Opened, openFull } from './open.ts';
import type { Seeded } from './seed.ts';

/** What a turn may take of a thread's CPU, and another's answer, on a core of 2024. */
const [turnMs, otherMs, pairMs] = [100, 500, 2000];
const here = modes.filter(({ isHere }) => isHere);

/** How long a request takes until all of its answer is there, ms. */
async function ask(
  { service }: Opened,
  { method = 'GET', path, body, token }: Reading,
  signal?: AbortSignal,
): Promise<number> {
  const start = performance.now();
  const response = await fetch(new URL(path, service.url), {
    method,
    headers: {
      connection: 'close',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body }),
    ...(signal ? { signal } : {}),
  });
  await response.arrayBuffer();
  // Who reads too much at once is refused, which takes no time; defects are not.
  expect([200, 201, 429, 503]).toContain(response.status);
  return performance.now() - start;
}

type Reading = {
  readonly method?: string;
  readonly path: string;
  readonly body?: string;
  readonly token?: string;
};

type Way = {
  readonly count: number;
  readonly body: Buffer;
  readonly chunked?: boolean;
  readonly write?: { readonly bytes: number; readonly waitMs: number };
};

/** Another client's GET beside requests that arrive in these ways. */
async function beside(opened: Opened, line: string, ways: readonly Way[]) {
  const port = Number(new URL(opened.service.url).port);
  const sending = ways.flatMap(({ count, body, write, chunked }) => {
    const length = chunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${body.length}`;
    const fields = ['Content-Type: application/json', `Authorization: Bearer ${opened.seeded.token}`, length];
    const sent = { port, head: headOf(line, fields), body, ms: 1000, ...(write ? { write } : {}) };
    return Array.from({ length: count }, () => sendPieces(sent));
  });
  await after(20);
  const otherMs = await ask(opened, { path: '/problems/not_found' });
  return { otherMs, statuses: await Promise.all(sending) };
}

test.for(here)(
  'no route of $name is held by pieces, whatever connection brings them',
  { timeout: 1_200_000 },
  async (mode) => {
    const opened = await openFull(mode);
    onTestFinished(() => opened.close());
    const { service, seeded, file } = opened;
    const port = Number(new URL(service.url).port);
    const slower = Math.max(1, (await after(0), referenceMs()) / 100);
    const chunks = oneByteChunks(40_000);
    // Chunks of one byte, segments of one byte, and dripping.
    const ways = [
      { count: 30, body: chunks, chunked: true },
      {
        count: 4,
        body: Buffer.alloc(8192, 'a'),
        write: { bytes: 1, waitMs: 0 },
      },
      { count: 10, body: chunks, chunked: true, write: { bytes: 7, waitMs: 50 } },
    ];
    // Code is loaded, and what is made once is made, before anything counts.
    for (const rule of routeTable)
      if (rule.method === 'GET')
        await sendPieces({
          port,
          head: headOf(`GET ${addressOf(rule, seeded)}`, [
            `Authorization: Bearer ${seeded.token}`,
            'Connection: close',
          ]),
          body: Buffer.alloc(0),
          ms: 3000,
        });
    const rows: string[] = [];
    const late: string[] = [];
    for (const rule of routeTable) {
      const line = `${rule.method} ${addressOf(rule, seeded)}`;
      // What is deleted is gone for the other rows.
      if (rule.method === 'DELETE') continue;
      service.kill('SIGUSR2');
      const sent = await beside(opened, line, ways);
      expect(sent.statuses.filter((status) => status === '500')).toEqual([]);
      // A late answer counts where it comes again, and not beside as many ordinary requests.
      let isHeld = sent.otherMs > slower * otherMs;
      if (isHeld) {
        const ordinary = await beside(opened, line, [{ count: 44, body: Buffer.alloc(0) }]);
        const again = await beside(opened, line, ways);
        isHeld = again.otherMs > Math.max(slower * otherMs, 3 * ordinary.otherMs);
      }
      rows.push(`${line}: ${[...new Set(sent.statuses)].join(' ')}`);
      if (isHeld) late.push(`${sent.otherMs.toFixed(0)} ms beside ${line}`);
    }
    service.kill('SIGUSR2');
    service.kill('SIGTERM');
    await service.closed;
    const parts = JSON.parse(readFileSync(file, 'utf8')) as readonly LoopSamples[];
    const held = rows.map((said, at) => ({ said, ms: Math.max(0, ...(parts[at + 1]?.heldMs ?? [])) }));
    const sorted = held.toSorted((a, b) => b.ms - a.ms).map(({ said, ms }) => `${ms.toFixed(0)} ms ${said}`);
    console.log(`${mode.name}: ${rows.length} rows; the longest turns:\n${sorted.slice(0, 8).join('\n')}`);
    expect(held.filter(({ ms }) => ms > slower * turnMs)).toEqual([]);
    expect(late).toEqual([]);
  },
);

/** What loops over an account's rows. */
const loopsOf = ({ token, feedKey, watchId, batchId }: Seeded): readonly Reading[] => [
  { path: `/api/watches/expiries.ics?key=${feedKey}` },
  { path: `/api/watches/feed.atom?key=${feedKey}` },
  { path: '/api/watches?limit=100', token },
  { path: `/api/watches/${watchId}/targets?limit=100`, token },
  { path: `/api/batches/${batchId}/results?format=ndjson&limit=300`, token },
  { path: '/api/reports?format=ndjson&check=dns-check', token },
  { path: '/api/history/a.test?limit=100', token },
  {
    method: 'PATCH',
    path: `/api/watches/${watchId}`,
    token,
    body: JSON.stringify({ everySeconds: 2_000_000 }),
  },
];

test.for(here)(
  'one account that reads much of $name keeps no other waiting, in every pair of routes',
  { timeout: 1_200_000 },
  async (mode) => {
    const opened = await openFull({ ...mode, counts: { ...mode.counts, targets: 2000 } });
    onTestFinished(() => opened.close());
    const slower = Math.max(1, (await after(0), referenceMs()) / 100);
    const [busy, quiet] = [loopsOf(opened.seeded), loopsOf(opened.other)];
    const seen: { readonly said: string; readonly ms: number }[] = [];
    for (const one of quiet) await ask(opened, one);
    for (const one of busy) {
      const ended = new AbortController();
      const keep = async () => {
        while (!ended.signal.aborted) {
          await ask(opened, one, ended.signal).catch(() => undefined);
          // One that is refused at once is no loop.
          await after(50);
        }
      };
      const readers = Array.from({ length: 60 }, keep);
      await after(200);
      for (const other of quiet) {
        const took = [await ask(opened, other), await ask(opened, other)];
        const said = `${other.path.split('?')[0]} beside 60 × ${one.path.split('?')[0]}`;
        seen.push({ said, ms: Math.max(...took) });
      }
      ended.abort();
      await Promise.all(readers);
    }
    const sorted = seen.toSorted((a, b) => b.ms - a.ms).map(({ said, ms }) => `${ms.toFixed(0)} ms ${said}`);
    console.log(`${mode.name}: ${seen.length} pairs; the longest answers:\n${sorted.slice(0, 8).join('\n')}`);
    expect(seen.filter(({ ms }) => ms > slower * pairMs)).toEqual([]);
  },
);
