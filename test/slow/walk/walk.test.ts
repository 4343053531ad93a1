import { readFileSync } from 'node:fs';
import { Agent, request as httpRequest } from 'node:http';
import { setTimeout as after } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { routeTable } from '../../../api/listener/route-table.ts';
import { referenceMs } from '../../growth/measure.ts';
import type { LoopSamples } from '../../kit/loop-watch.ts';
import { addressOf, type Input, largeBodies, largeFields } from './inputs.ts';
import { modes, type Opened, openFull } from './open.ts';
import type { Seeded } from './seed.ts';

/** A turn may take so much of a thread's CPU, and as much more as this machine is slower than a core of 2024. */
const turnMs = 100;

type Sent = { readonly status: number; readonly text: string };

/** Sends a request whole, and reads its answer to the end or for two seconds. */
function send(
  { service, seeded }: Opened,
  { method, path, headers = {}, body }: Input,
  agent: Agent,
): Promise<Sent> {
  const { port } = new URL(service.url);
  const own = headers['authorization'] === undefined ? { authorization: `Bearer ${seeded.token}` } : {};
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      {
        host: '127.0.0.1',
        port,
        method,
        path,
        agent,
        headers: {
          ...own,
          ...headers,
          // Node sends one with DELETE without its length.
          ...(body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
        },
      },
      (response) => {
        let text = '';
        const end = () => {
          clearTimeout(late);
          resolve({ status: response.statusCode ?? 0, text: text.slice(0, 300) });
        };
        // A stream of reports is longer than a turn needs.
        const late = setTimeout(() => response.destroy(), 2000);
        response.on('data', (piece: Buffer) => (text += text.length < 300 ? piece.toString() : ''));
        response.once('end', end).once('close', end);
      },
    );
    request.on('error', reject);
    request.end(body);
  });
}

/** Routes whose POST is read as the same form, or starts the same check. */
const inputsOf = (seeded: Seeded): readonly (Input & { readonly route: string })[] =>
  routeTable.flatMap((rule) => {
    const path = addressOf(rule, seeded);
    const inputs = rule.method === 'GET' ? largeFields(path) : largeBodies(rule, path, seeded);
    return inputs.map((input) => ({ ...input, route: `${rule.method} ${rule.pattern}` }));
  });

/** Routes that list much, in the forms in which they are longest. */
const longReadings = (seeded: Seeded): readonly (Input & { readonly route: string })[] =>
  [
    `/api/batches/${seeded.batchId}/results?format=csv`,
    `/api/batches/${seeded.batchId}/results?format=ndjson`,
    '/api/reports?format=csv',
    '/api/reports?format=ndjson',
    `/api/reports/${seeded.reportId}/export?format=csv`,
    `/api/reports/${seeded.reportId}/export?format=md`,
    '/api/history/a.test?limit=100',
    `/d/a.test`,
  ].map((path) => ({
    name: 'read whole',
    method: 'GET',
    path,
    route: `GET ${path.replace(/[0-9a-f]{32}/, ':id')}`,
  }));

test.for(modes.filter(({ isHere }) => isHere))(
  'no request holds the loop of $name, whatever stands in its address, its fields and its body, and none is a defect',
  { timeout: 600_000 },
  async (mode) => {
    const opened = await openFull(mode);
    onTestFinished(() => opened.close());
    const { service, seeded, file } = opened;
    const reference = (await after(0), referenceMs());
    const limitMs = Math.max(turnMs, (turnMs * reference) / 100);
    const agent = new Agent({ keepAlive: false });
    const last = (input: { readonly route: string }) => input.route.startsWith('DELETE');
    const all = [...inputsOf(seeded), ...longReadings(seeded)];
    const inputs = [...all.filter((one) => !last(one)), ...all.filter(last)];
    const outcomes: string[] = [];
    // Code is loaded and compiled before the first part that counts.
    for (const input of inputs.filter(({ name }) => name === 'as it is')) await send(opened, input, agent);
    for (const input of inputs) {
      service.kill('SIGUSR2');
      const { status, text } = await send(opened, input, agent).catch((error: unknown) => ({
        status: 0,
        text: String(error),
      }));
      outcomes.push(status >= 500 && status !== 503 && status !== 504 ? `${status} ${text}` : String(status));
      await after(10);
    }
    service.kill('SIGUSR2');
    service.kill('SIGTERM');
    await service.closed;
    const parts = JSON.parse(readFileSync(file, 'utf8')) as readonly LoopSamples[];
    const held = inputs.map((_, at) => Math.max(0, ...(parts[at + 1]?.heldMs ?? [])));
    const rows = inputs
      .map(({ route, name }, at) => ({ said: `${route}, ${name}: ${outcomes[at]}`, ms: held[at] ?? 0 }))
      .toSorted((a, b) => b.ms - a.ms);
    console.log(
      `${mode.name}: ${inputs.length} requests; idle reference ${reference.toFixed(0)} ms; the longest turns:\n${rows
        .slice(0, Number(process.env['WALK_ROWS'] ?? 12))
        .map(({ said, ms }) => `${ms.toFixed(0)} ms ${said}`)
        .join('\n')}`,
    );
    expect(
      outcomes
        .map((outcome, at) => `${inputs[at]?.route} ${inputs[at]?.name}: ${outcome}`)
        .filter((said) => /: (?:500|0) /.test(said)),
    ).toEqual([]);
    expect(
      rows.filter(({ ms }) => ms > limitMs).map(({ said, ms }) => `${ms.toFixed(0)} ms ${said}`),
    ).toEqual([]);
  },
);
