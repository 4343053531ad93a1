import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Report } from '#shared/model/report';
import { startService } from '../../kit/service-process.ts';
import type { Network } from './network.ts';

export type LabCheck =
  | 'dns-check'
  | 'ssl-check'
  | 'security-header-check'
  | 'redirect-check'
  | 'domain-health';
export type Environment = Readonly<Record<string, string>>;
export type Ran = { readonly report: Report; readonly seconds: number };

const diag = fileURLToPath(new URL('../../../cli/diag.js', import.meta.url));
let runs = 0;

/** Runs a check by the command line, inside a network, as somebody there would: with the system's resolvers. Options may follow the target. */
export async function runCheck(
  network: Network,
  check: LabCheck,
  target: string | readonly string[],
  env: Environment = {},
): Promise<Ran> {
  const start = performance.now();
  const args = [check, ...[target].flat(), '--local', '-q', '-o', 'ndjson'];
  const { output, errors, code } = await runIn(network, args, env);
  const seconds = (performance.now() - start) / 1000;
  try {
    return { report: JSON.parse(output) as Report, seconds };
  } catch (error) {
    throw new Error(`${args.join(' ')} ended with ${code}, without a report: ${errors}`, { cause: error });
  }
}

/** What is not named in it, the service has by default: no DNS_SERVERS among others. */
function environmentOf({ world: { folder }, env }: Network, more: Environment): Environment {
  const trusted = join(folder, `trusted-${process.pid}-${++runs}.pem`);
  const given = { ...env, ...more };
  const authorities = [join(folder, 'ca.pem'), given['NODE_EXTRA_CA_CERTS']].filter(
    (one) => one !== undefined,
  );
  writeFileSync(trusted, authorities.map((one) => readFileSync(one, 'utf8')).join(''));
  return {
    PATH: process.env['PATH'] ?? '',
    DATA_DIR: ':memory:',
    ADMIN_PORT: '0',
    PORT: '0',
    // The lab has no registries.
    PROBE_RDAP: 'off',
    ...given,
    NODE_EXTRA_CA_CERTS: trusted,
  };
}

function runIn(
  network: Network,
  args: readonly string[],
  env: Environment,
): Promise<{ output: string; errors: string; code: number | null }> {
  return new Promise((resolve, reject) => {
    const child = spawn('ip', ['netns', 'exec', network.client, process.execPath, diag, ...args], {
      env: environmentOf(network, env),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [output, errors] = ['', ''];
    child.stdout.on('data', (text: Buffer) => (output += text.toString()));
    child.stderr.on('data', (text: Buffer) => (errors += text.toString()));
    const timer = setTimeout(() => child.kill('SIGKILL'), 140_000);
    child.once('error', reject);
    child.once('close', (code) => {
      clearTimeout(timer);
      resolve({ output, errors, code });
    });
  });
}

export type LabService = {
  /** The lines of its log so far. */
  readonly lines: readonly string[];
  /** Gets JSON from a path such as /api/tools/dns-check/healthy.com. */
  ask(path: string): Promise<{ readonly status: number; readonly body: unknown }>;
  close(): Promise<void>;
};

/** Starts the service as `npm start` does, on loopback inside the network. */
export async function openService(network: Network, env: Environment = {}): Promise<LabService> {
  const command = [process.execPath, '--max-semi-space-size=8', diag, 'serve'];
  const service = await startService({
    program: 'ip',
    args: ['netns', 'exec', network.client, ...command],
    environment: environmentOf(network, { LOG_LEVEL: 'info', ...env }),
  });
  return {
    lines: service.lines,
    ask: (path) => get(network, `${service.url}${path}`),
    async close() {
      service.kill('SIGTERM');
      const timer = setTimeout(() => service.kill('SIGKILL'), 15_000);
      await service.closed;
      clearTimeout(timer);
    },
  };
}

/** Only a program inside of the network reaches its loopback. */
function get({ client }: Network, url: string): Promise<{ status: number; body: unknown }> {
  return new Promise((resolve, reject) => {
    const curl = ['curl', '-sS', '--noproxy', '*', '--max-time', '90', '-w', '\n%{http_code}', url];
    const child = spawn('ip', ['netns', 'exec', client, ...curl], { stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    child.stdout.on('data', (text: Buffer) => (output += text.toString()));
    child.once('error', reject);
    child.once('close', () => {
      const end = output.lastIndexOf('\n');
      try {
        resolve({ status: Number(output.slice(end + 1)), body: JSON.parse(output.slice(0, end)) });
      } catch (error) {
        reject(new Error(`${url} gave no JSON: ${output.slice(0, 200)}`, { cause: error }));
      }
    });
  });
}
