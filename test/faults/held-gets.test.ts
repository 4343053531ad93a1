import { readFileSync } from 'node:fs';
import { Agent, get as httpGet } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ServiceProcess, startService } from '../kit/service-process.ts';
import { type Lab, openLab } from '../lab/kit/lab.ts';

// Thousands of GETs that wait for checks that never end, from as many networks as it takes: everybody else is answered, memory stays within bounds,
// and what is too much is refused with a time to come back.

const held = 4000;
/** A caller has a hundred waiting at most, so that each of these is another /24. */
const ofCaller = 20;
const mbMost = 150;

let lab: Lab;
let service: ServiceProcess;
const agent = new Agent({ maxSockets: Infinity, keepAlive: true });
beforeAll(async () => {
  lab = await openLab({
    sites: {
      'http://held.test': () => undefined,
      'http://quick.test': (_request, response) => void response.writeHead(204).end(),
    },
    zone: { '*.held.test': { A: ['127.0.0.1'] } },
  });
  service = await startService({
    program: process.execPath,
    args: ['cli/diag.js', 'serve'],
    environment: lab.settings({
      LOG_LEVEL: 'info',
      TRUST_PROXY: '1',
      RATE_LIMIT: 'on',
      FRESH_SECONDS: '600',
    }),
  });
}, 60_000);
afterAll(async () => {
  agent.destroy();
  service?.kill('SIGKILL');
  await service?.closed;
  await lab?.close();
});

type Told = { readonly status: number; readonly retryAfter: string | undefined };

function ask(path: string, caller: string): { readonly answer: Promise<Told>; drop(): void } {
  const { promise, resolve } = Promise.withResolvers<Told>();
  const request = httpGet(
    `${service.url}/api/tools/${path}`,
    { agent, headers: { 'x-forwarded-for': caller } },
    (response) => {
      const { statusCode = 0, headers } = response.resume();
      resolve({ status: statusCode, retryAfter: headers['retry-after'] });
    },
  ).on('error', () => resolve({ status: 0, retryAfter: undefined }));
  return { answer: promise, drop: () => request.destroy() };
}
const redirectOf = (host: string, path: string, waitS: number) =>
  `redirect-check?url=${encodeURIComponent(`http://${host}/${path}`)}&wait=${waitS}`;
const residentMb = () =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${service.child.pid}/status`, 'utf8'))?.[1]) / 1024;

test(
  `beside ${held} GETs that are held, others are answered; what is refused says when to come back`,
  { timeout: 150_000 },
  async () => {
    expect((await ask(redirectOf('quick.test', 'first', 30), '192.0.2.1').answer).status).toBe(200);
    const before = residentMb();
    const gets = Array.from({ length: held }, (_, at) =>
      ask(
        redirectOf('held.test', String(at), 55),
        `20.${Math.floor(at / ofCaller / 250)}.${Math.floor(at / ofCaller) % 250}.7`,
      ),
    );
    const told: Told[] = [];
    for (const { answer } of gets) void answer.then((one) => told.push(one));
    // A cached report, and a check that has to be run.
    for (let round = 0; round < 5; round += 1) {
      expect((await ask(redirectOf('quick.test', 'first', 30), '192.0.2.1').answer).status).toBe(200);
      expect((await ask(redirectOf('quick.test', `new${round}`, 50), '192.0.2.1').answer).status).toBe(200);
    }
    const grownMb = residentMb() - before;
    console.info(
      `${held} held GETs: ${told.length} answered meanwhile (${[...new Set(told.map(({ status }) => status))].join(', ')}), memory grew by ${grownMb.toFixed(0)} MB`,
    );
    expect(grownMb).toBeLessThan(mbMost);
    // 408: on a machine that is busy with all of them a request may take too long to arrive.
    expect(told.filter(({ status }) => ![200, 202, 408, 429, 503].includes(status))).toEqual([]);
    expect(
      told.filter(({ status, retryAfter }) => [429, 503].includes(status) && !(Number(retryAfter) > 0)),
    ).toEqual([]);
    for (const get of gets) get.drop();
    // Nothing is left behind that would keep a new one from being answered.
    expect((await ask(redirectOf('quick.test', 'last', 50), '192.0.2.2').answer).status).toBe(200);
  },
);
