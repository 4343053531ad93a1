import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { freePort } from '../../kit/programs.ts';
import { untilListening } from '../../kit/redis.ts';
import type { HealthReport } from './kit.ts';

/** `diag serve` in a process of its own, so that what is measured shares no core's turn with the servers it asks. */
export type OwnProcess = {
  /** GETs, and asks again after a 503 when it was told to; anything else but 200 is an error. */
  get(path: string): Promise<HealthReport>;
  /** How often it said 503. */
  refusals(): number;
  close(): Promise<void>;
};

const main = new URL('../../../cli/diag.js', import.meta.url).pathname;

/** Starts it. @param authority a certificate to trust beside the usual, PEM */
export async function openOwnProcess(
  settings: Readonly<Record<string, string>>,
  authority: string,
): Promise<OwnProcess> {
  const folder = mkdtempSync(join(tmpdir(), 'diag-figures-'));
  const trusted = join(folder, 'authority.pem');
  writeFileSync(trusted, authority);
  const [port, adminPort] = [await freePort(), await freePort()];
  const child = spawn(process.execPath, [main, 'serve'], {
    stdio: 'ignore',
    env: {
      ...settings,
      PATH: process.env['PATH'] ?? '',
      PORT: String(port),
      ADMIN_PORT: String(adminPort),
      NODE_EXTRA_CA_CERTS: trusted,
    },
  });
  await untilListening(port);
  let refusals = 0;
  const get = async (path: string): Promise<HealthReport> => {
    const { status, retryAfterS, text } = await exchange(port, path);
    if (status === 200) return JSON.parse(text) as HealthReport;
    if (status !== 503) throw new Error(`${path}: ${status} ${text.slice(0, 300)}`);
    refusals += 1;
    await wait(retryAfterS * 1000);
    return get(path);
  };
  return {
    get,
    refusals: () => refusals,
    async close() {
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null)
        await new Promise((resolve) => child.once('exit', resolve));
      rmSync(folder, { recursive: true });
    },
  };
}

type Exchanged = { readonly status: number; readonly retryAfterS: number; readonly text: string };

function exchange(port: number, path: string): Promise<Exchanged> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, agent: false }, (response) => {
      const pieces: Buffer[] = [];
      response.on('data', (piece: Buffer) => pieces.push(piece));
      response.on('error', reject);
      response.on('end', () => {
        const { statusCode: status = 0, headers } = response;
        const text = Buffer.concat(pieces).toString();
        resolve({ status, retryAfterS: Number(headers['retry-after'] ?? 1), text });
      });
    });
    sent.on('error', reject);
    sent.end();
  });
}
