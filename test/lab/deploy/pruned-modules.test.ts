import { execFileSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { catalogue } from '#shared/catalogue/registry';
import { type ServiceProcess, startService } from '../../kit/service-process.ts';

type Lock = {
  readonly packages: { readonly [path: string]: { readonly dev?: true; readonly optional?: true } };
};

/** What an image has: the packages that serving takes, pruned, beside the code. */
function makeImage(): string {
  const folder = mkdtempSync(join(tmpdir(), 'diag-image-'));
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as Lock;
  const isServed = (path: string) => {
    const known = packages[path];
    return known !== undefined && known.dev !== true && known.optional !== true;
  };
  // Those of the top; what they have below comes with them.
  const served = Object.keys(packages).filter(
    (path) => /^node_modules\/(?:@[^/]+\/)?[^/]+$/.test(path) && isServed(path),
  );
  const code = ['package.json', 'cli', 'shared', 'api', 'worker', 'client'];
  execFileSync('cp', ['-r', '--parents', ...served, ...code, folder]);
  execFileSync(process.execPath, ['deploy/image/prune-modules.ts', join(folder, 'node_modules')]);
  return folder;
}

const folder = makeImage();
let target: Server;
let service: ServiceProcess;
beforeAll(async () => {
  target = createServer((_request, response) => void response.end('good')).listen(0, '127.0.0.1');
  service = await startService({
    program: process.execPath,
    args: [join(folder, 'cli/diag.js'), 'serve'],
    environment: {
      DATA_DIR: ':memory:',
      PORT: '0',
      ADMIN_PORT: '0',
      WORKER_QUEUES: 'network',
      LOG_LEVEL: 'info',
      TARGET_ALLOW_CIDRS: '127.0.0.0/8',
      TARGET_PORTS: '1-65535',
    },
  });
});
afterAll(() => {
  service.kill('SIGKILL');
  target.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs a module within the image. @returns what it printed */
function runInImage(code: string): string {
  return execFileSync(process.execPath, ['--input-type=module', '-e', code], { cwd: folder }).toString();
}

test('nothing is left of types, maps and tests', () => {
  expect(globSync('node_modules/**/*.{map,ts,mts,cts}', { cwd: folder })).toEqual([]);
  expect(globSync('node_modules/{express,got,lighthouse}/LICENSE*', { cwd: folder }).length).toBeGreaterThan(
    1,
  );
});

test('the service answers, with its document and its pages', async () => {
  const { port } = target.address() as AddressInfo;
  const checked = `/api/tools/redirect-check?url=${encodeURIComponent(`http://127.0.0.1:${port}/`)}`;
  for (const path of [checked, '/openapi.json', '/docs', '/'])
    expect([path, (await fetch(`${service.url}${path}`)).status]).toEqual([path, 200]);
});

test('the code of every check loads, and what a scaled process and traces take', () => {
  const files = [
    'api/main',
    'worker/start/main',
    'shared/queue/open',
    'shared/stores/reports/mongo',
    'shared/telemetry/tracing/open',
  ];
  const printed = runInImage(`
    for (const name of ${JSON.stringify(files)}) await import('${folder}/' + name + '.ts');
    const { findCheck } = await import('${folder}/worker/checks/registry.ts');
    const names = ${JSON.stringify(catalogue.map(({ name }) => name))};
    console.log((await Promise.all(names.map((name) => findCheck(name)))).filter(Boolean).length);`);
  expect(printed.trim()).toBe(String(catalogue.length));
});

test('mail is written and sent', async () => {
  const printed = runInImage(`
    const { openMailer } = await import('${folder}/worker/watches/mail/mailer.ts');
    const server = { host: '127.0.0.1', port: 1, isSecure: false, login: undefined };
    const message = { from: 'a@b.test', to: 'c@d.test', subject: 'e', text: 'f', messageId: 'g@b.test', headers: {} };
    const send = openMailer({ server, wholeMs: 30_000 });
    console.log((await send(message, new AbortController().signal)).failure);`);
  expect(printed.trim()).toBe('the mail server could not be reached');
});

test('Lighthouse loads and has its texts in English', () => {
  const printed = runInImage(`
    await Promise.all([import('lighthouse'), import('puppeteer-core'), import('@sparticuz/chromium')]);
    const { getRendererFormattedStrings } = await import('lighthouse/shared/localization/format.js');
    console.log(getRendererFormattedStrings('en-US').passedAuditsGroupTitle);`);
  expect(printed.trim()).toBe('Passed audits');
});
