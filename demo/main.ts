// npm run demo: the service beside a small internet of its own on loopback, so that every tool can be tried offline.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openTokenStore } from '#shared/lifecycle/backend';
import { readConfig } from '#shared/settings/config';
import { makeToken } from '#shared/stores/tokens/make-token';
import { openLogger } from '#shared/telemetry/logger';
import { findBrowser } from '../worker/probes/browser/find-browser.ts';
import { tryBrowser } from '../worker/probes/browser/try-browser.ts';
import { browserSettingsOf } from '../worker/start/browser-settings.ts';
import { browserTries } from '../worker/start/watch-browser.ts';
import { openInternet } from './internet.ts';

/** What is printed to try, and what comes of it. */
const tries: readonly (readonly [path: string, words: string])[] = [
  ['domain-health/good.test', 'everything in one grade'],
  ['dns-check/good.test', 'lacks only what loopback cannot have: a public address, IPv6, DNSSEC'],
  ['dns-check/spoofed.test', 'SPF +all: anyone may send'],
  ['ssl-check/expired.test', 'an expired certificate'],
  ['ssl-check/plain.test', 'no HTTPS at all'],
  ['security-header-check?url=https://good.test/', 'an A+'],
  ['pagespeed-check?url=https://good.test/', 'in a real browser'],
  ['smtp-check/sealed.test', 'a mail host that encrypts'],
  ['smtp-check/postcard.test', 'one that does not'],
  ['redirect-check?url=http://good.test/', 'http to https, no findings'],
  ['redirect-check?url=https://downgrade.test/', 'leaves HTTPS'],
  ['redirect-check?url=http://loop.test/', 'a redirect loop'],
  ['redirect-check?url=http://long.test/', 'unnecessary hops'],
  ['redirect-check?url=http://inside.test/', 'leads to a private address; no connection is made'],
  ['redirect-check?url=http://bomb.test/', '50 MB from a few kB; stopped'],
  ['redirect-check?url=http://slow.test/', 'never answers: 8 s'],
];

// For figures: how far away the demo's servers are.
const internet = await openInternet(Number(process.env['DEMO_DELAY_MS'] ?? 0));
const folder = mkdtempSync(join(tmpdir(), 'diag-demo-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
// The demo's own authority, for the browser; Node was told of it by the lab.
const authority = join(folder, 'authority.pem');
writeFileSync(authority, internet.authority);

const { PORT, ADMIN_PORT, LOG_LEVEL, BROWSER_PATH } = process.env;
Object.assign(process.env, internet.settings, {
  WORKER_QUEUES: 'network,browser',
  NODE_EXTRA_CA_CERTS: authority,
  RATE_LIMIT: 'off',
  PORT: PORT ?? '3000',
  ADMIN_PORT: ADMIN_PORT ?? '',
  LOG_LEVEL: LOG_LEVEL ?? 'warn',
  // Where a browser would be unpacked for good; reports and tokens go with the demo.
  DATA_DIR: ':memory:',
});
const browser = await findForDemo();
process.env['DATA_DIR'] = folder;
const token = await drawToken();

const { serve } = await import('../cli/serve.ts');
await serve();
const base = `http://127.0.0.1:${process.env['PORT']}`;
const tools = `${base}/api/tools`;
console.log(`The demo is ready. ${browser}${internet.isSmall ? ' This machine answers at 127.0.0.1 alone: dns-check sees no name servers, and plain.test has https.' : ''}
Pages: ${base}/ (try good.test, expired.test and spoofed.test)
Try:
${tries.map(([path, words]) => `  ${`curl '${tools}/${path}'`.padEnd(88)}# ${words}`).join('\n')}
All names are in demo/sites.ts and demo/zones.ts. A token, as long as the demo runs, and what it was given:
  curl -H 'Authorization: Bearer ${token}' '${tools}/redirect-check?url=http://good.test/'
  curl -H 'Authorization: Bearer ${token}' '${base}/api/reports?limit=5'
More tokens: DATA_DIR=${folder} npx --no -- diag token create --name mine`);

/** Finds a browser and starts it once, so that nobody waits for pages that never come; gives what to say of it. */
async function findForDemo(): Promise<string> {
  const { browser: settings, noSandbox } = browserSettingsOf(readConfig());
  const found = await findBrowser(settings);
  if (BROWSER_PATH === undefined && 'executable' in found) process.env['BROWSER_PATH'] = found.executable;
  const { startMs } = browserTries;
  const fault = await tryBrowser(settings, { noSandbox, startMs, signal: new AbortController().signal });
  return fault
    ? `It has no browser, so pagespeed-check is off: ${fault.reason}. ${fault.fix}`
    : 'It has a browser: pagespeed-check works.';
}

async function drawToken(): Promise<string> {
  const store = await openTokenStore(readConfig(), openLogger('silent'));
  const { text, token: drawn } = makeToken(
    { name: 'demo', scopes: ['tools', 'reports:read'], limits: {}, expiresAt: null },
    Date.now(),
  );
  await store.insert(drawn);
  await store.close();
  return text;
}
