import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openBackend } from '#shared/lifecycle/backend';
import { readConfig } from '#shared/settings/config';
import { makeToken } from '#shared/stores/tokens/make-token';
import { openLogger } from '#shared/telemetry/logger';
import { startService } from '../test/kit/service-process.ts';
import { openLab } from '../test/lab/kit/lab.ts';
import type { Section } from './section.ts';

const count = Number(process.env['BENCH_TARGETS'] ?? 1800);
/** LIMIT_TOKEN_SCANS where nobody has set it: so many new runs a minute. */
const scansPerMinute = 600;
const sampleMs = 1000;

/** A batch of `diag` against one service with its default limits for tokens, killed after a third and resumed; visits are counted at the targets. */
export async function bench(): Promise<Section> {
  const visits = new Map<string, number>();
  const hosts = Array.from({ length: count }, (_, at) => `t${at}.test`);
  const site = (host: string) => (_request: unknown, response: { end(text: string): void }) => {
    visits.set(host, (visits.get(host) ?? 0) + 1);
    response.end('page');
  };
  const lab = await openLab({
    sites: Object.fromEntries(hosts.map((host) => [`http://${host}`, site(host)])),
  });
  const folder = mkdtempSync(join(tmpdir(), 'diag-bench-batch-'));
  const settings = lab.settings({ DATA_DIR: join(folder, 'data'), LOG_LEVEL: 'info' });
  const token = await makeTokenIn(settings);
  const service = await startService({
    program: process.execPath,
    args: ['cli/diag.js', 'serve'],
    environment: settings,
  });
  const list = join(folder, 'targets.txt');
  writeFileSync(list, hosts.map((host) => `http://${host}/`).join('\n'));
  const state = join(folder, 'state.ndjson');
  const run = () =>
    spawn(
      process.execPath,
      ['cli/diag.js', 'redirect-check', '-f', list, '-o', 'ndjson', '--resume', state],
      {
        env: { PATH: process.env['PATH'] ?? '', DIAG_SERVER: service.url ?? '', DIAG_TOKEN: token },
        stdio: ['ignore', 'ignore', 'ignore'],
      },
    );
  try {
    const start = performance.now();
    const first = await watch(run(), () => visits.size >= count / 3);
    const second = await watch(run(), () => false);
    const seconds = (performance.now() - start) / 1000;
    const least = Math.floor((count - 1) / scansPerMinute) * 60;
    const refused = service.lines.filter((line) => line.includes('"status":429')).length;
    const requests = service.lines.filter((line) => line.includes('"msg":"request"')).length;
    const twice = [...visits.values()].filter((times) => times > 1).length;
    return {
      title: 'A batch',
      about: `\`diag\` with ${count} targets (\`BENCH_TARGETS\`) against one service with its default limits for tokens; killed with SIGKILL after a third, and resumed. The targets count their visits, the service its requests.`,
      columns: ['', ''],
      rows: [
        ['duration, s', seconds.toFixed(1)],
        [
          `÷ the least that ${scansPerMinute} scans a minute allow, ${least} s`,
          least === 0 ? '' : (seconds / least).toFixed(3),
        ],
        ['requests for each target', (requests / count).toFixed(3)],
        ['answers with 429', refused],
        ['targets visited twice', twice],
        ['targets never visited', count - visits.size],
        ['memory of `diag`, at most, MB', Math.max(first, second)],
      ],
      limits: 'the limit of the token.',
    };
  } finally {
    service.kill('SIGKILL');
    await service.closed;
    await lab.close();
    rmSync(folder, { recursive: true });
  }
}

/** Waits until the command ends, or kills it when told. @returns the most RSS it had, MB */
async function watch(child: ChildProcess, isToBeKilled: () => boolean): Promise<number> {
  let most = 0;
  const timer = setInterval(() => {
    const kB = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1] ?? 0);
    most = Math.max(most, Math.round(kB / 1024));
    if (isToBeKilled()) child.kill('SIGKILL');
  }, sampleMs);
  await new Promise((resolve) => child.once('exit', resolve));
  clearInterval(timer);
  return most;
}

async function makeTokenIn(settings: Readonly<Record<string, string>>): Promise<string> {
  const backend = await openBackend(readConfig(settings), openLogger('silent'));
  try {
    const wish = { name: 'bench', scopes: ['tools' as const], limits: {}, expiresAt: null };
    const { text, token } = makeToken(wish, Date.now());
    await backend.tokenStore.insert(token);
    return text;
  } finally {
    await backend.close(0);
  }
}
