import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import puppeteer, { type Browser, type Page } from 'puppeteer-core';
import { redirectCheck } from '#shared/catalogue/redirect-check/spec';
import { gradeOf, score as addUp } from '#shared/model/score';
import { codesBroken, type Verdicts } from '#shared/model/verdict';
import { assessRedirects } from '../../../../worker/checks/redirect-check/assess.ts';
import { gatherRedirects, walkLimits } from '../../../../worker/checks/redirect-check/gather.ts';
import { findBrowser } from '../../../../worker/probes/browser/find-browser.ts';
import { prepareProbesOf } from '../../../../worker/start/probe-settings.ts';
import { type Lab, openLab } from '../../kit/lab.ts';
import type { Kind } from './kind.ts';

/** Where a walker ended: at an address with a status, or why at none. */
export type End = { readonly at: string | null; readonly why: string };

export type Ends = {
  readonly kind: Kind;
  readonly chromium: End;
  readonly curl: End;
  readonly ours: End & { readonly grade: string | null; readonly broken: readonly string[] };
};

const ports = { http: [80, 8080], https: [443, 8443] } as const;

/** Walks every kind by all three, one after the other. @param each told after each kind */
export async function walkKinds(kinds: readonly Kind[], each: (ends: Ends) => void): Promise<void> {
  const sites = Object.assign({}, ...kinds.map((kind) => kind.sites)) as Kind['sites'];
  const lab = await openLab({ sites });
  const folder = mkdtempSync(join(tmpdir(), 'diag-ends-'));
  const authority = join(folder, 'authority.pem');
  writeFileSync(authority, lab.authority.cert);
  const browser = await openBrowser(lab, join(folder, 'profile'));
  const walker = openWalker(lab);
  try {
    for (const kind of kinds)
      each({
        kind,
        chromium: await endOfChromium(browser, kind),
        curl: await endOfCurl(kind, lab, authority),
        ours: await walker.walk(kind),
      });
  } finally {
    walker.close();
    await browser.close();
    await lab.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The bundled Chromium, which finds every host at the lab, and believes the key of its certificate. */
async function openBrowser({ web }: Lab, profile: string): Promise<Browser> {
  const found = await findBrowser({ path: process.env['BROWSER_PATH'], folder: 'data' });
  if (!('executable' in found)) throw new Error(`${found.reason}. ${found.fix}`);
  const rules = [
    ...ports.http.map((port) => `MAP *:${port} 127.0.0.1:${web.httpPort}`),
    ...ports.https.map((port) => `MAP *:${port} 127.0.0.1:${web.httpsPort}`),
    'MAP nobody.test ~NOTFOUND',
  ];
  return puppeteer.launch({
    executablePath: found.executable,
    userDataDir: profile,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-dev-shm-usage',
      '--no-zygote',
      '--disable-features=HttpsUpgrades',
      '--disable-background-networking',
      `--host-resolver-rules=${rules.toReversed().join(', ')}`,
      `--ignore-certificate-errors-spki-list=${await readKey(web.httpsPort)}`,
    ],
  });
}

/** SHA-256 of the lab's public key, as Chromium takes it. */
function readKey(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', servername: 'lab.test' }, () => {
      const key = socket.getPeerX509Certificate()?.publicKey.export({ type: 'spki', format: 'der' });
      socket.destroy();
      resolve(
        createHash('sha256')
          .update(key ?? '')
          .digest('base64'),
      );
    });
    socket.once('error', reject);
  });
}

const usualWatchMs = 400;

async function endOfChromium(browser: Browser, { start, watchMs = usualWatchMs }: Kind): Promise<End> {
  // Each with an empty store of cookies; HSTS is kept by host, and no two kinds share one.
  const context = await browser.createBrowserContext();
  try {
    const page = await context.newPage();
    let status = 0;
    page.on('response', (response) => {
      if (response.request().isNavigationRequest() && response.frame() === page.mainFrame())
        status = response.status();
    });
    const failure = await open(page, start);
    await new Promise((resolve) => setTimeout(resolve, watchMs));
    const at = page.url();
    const isShown = /^https?:/.test(at);
    return isShown && failure === undefined ? { at, why: `${status}` } : { at: null, why: failure ?? at };
  } finally {
    await context.close();
  }
}

/** Chromium's own code where it shows no page. */
async function open(page: Page, start: string): Promise<string | undefined> {
  try {
    await page.goto(start, { waitUntil: 'load', timeout: 10_000 });
    return undefined;
  } catch (error) {
    return /net::(\w+)/.exec(String(error))?.[1] ?? String(error).split('\n')[0] ?? '';
  }
}

function endOfCurl({ start }: Kind, { web }: Lab, authority: string): Promise<End> {
  const places = [
    ...ports.http.map((port) => `:${port}:127.0.0.1:${web.httpPort}`),
    ...ports.https.map((port) => `:${port}:127.0.0.1:${web.httpsPort}`),
  ];
  const told = '%{url_effective} %{http_code} %{errormsg}';
  const flags = ['-sL', '-o', '/dev/null', '--max-time', '5', '--cacert', authority, '-w', told];
  return new Promise((resolve) => {
    execFile(
      'curl',
      [...flags, ...places.flatMap((place) => ['--connect-to', place]), start],
      (error, stdout) => {
        const [url = '', status = '', ...why] = stdout.split(' ');
        resolve(error ? { at: null, why: why.join(' ') } : { at: url, why: status });
      },
    );
  });
}

function openWalker(lab: Lab) {
  const { httpPort, httpsPort } = lab.web;
  const map = [
    ...ports.http.map((port) => `${port}=${httpPort}`),
    ...ports.https.map((port) => `${port}=${httpsPort}`),
  ];
  const probes = prepareProbesOf(lab.config({ TARGET_PORT_MAP: map.join(',') }));
  return {
    async walk({ start }: Kind): Promise<Ends['ours']> {
      const opened = probes.open(AbortSignal.timeout(redirectCheck.runLimitMs()));
      try {
        const context = {
          target: new URL(start).href,
          options: {},
          probes: opened,
          progress: () => undefined,
        };
        const evidence = await gatherRedirects(context, walkLimits);
        const { state, verdicts, score, fields } = assessRedirects(evidence);
        const points =
          score === undefined && state !== 'unreachable' ? addUp(redirectCheck.rules, verdicts) : score;
        const { finalUrl, finalStatus, ended } = fields;
        const last = evidence.hops.at(-1)?.seen;
        const why = last?.kind === 'failure' ? last.code : ended;
        return {
          at: finalUrl,
          why: finalUrl === null ? why : `${finalStatus}`,
          grade: gradeOf(points ?? null, true),
          broken: codesBroken(verdicts as Verdicts),
        };
      } finally {
        opened.close();
      }
    },
    close: () => probes.close(),
  };
}
