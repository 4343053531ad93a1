// npm run demo: the service beside a small internet of its own on loopback, so that every tool can be tried offline.
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLab } from '../test/lab/kit/lab.ts';
import { certificates, sites, zone } from './sites.ts';

const lab = await openLab({ sites, zone, certificates });
// The demo's own authority, for the browser; Node was told of it by the lab.
const authority = join(mkdtempSync(join(tmpdir(), 'diag-demo-')), 'authority.pem');
writeFileSync(authority, lab.authority.cert);
const [, dnsPort = ''] = lab.dns.address.split(':');
const { PORT, ADMIN_PORT, LOG_LEVEL, DATA_DIR } = process.env;
Object.assign(
  process.env,
  lab.settings({
    NAMESERVER_PORT: dnsPort,
    WORKER_QUEUES: 'network,browser',
    NODE_EXTRA_CA_CERTS: authority,
    RATE_LIMIT: 'off',
    PORT: PORT ?? '3000',
    ADMIN_PORT: ADMIN_PORT ?? '',
    LOG_LEVEL: LOG_LEVEL ?? 'warn',
    DATA_DIR: DATA_DIR ?? ':memory:',
  }),
);

const { serve } = await import('../cli/serve.ts');
await serve();
const base = `http://127.0.0.1:${process.env['PORT']}/api/tools`;
console.log(`The demo is ready. Try:
  curl '${base}/redirect-check?url=http://good.test/'
  curl '${base}/security-header-check?url=https://good.test/'
  curl '${base}/ssl-check/expired.test'
  curl '${base}/dns-check/spoofed.test'
  curl '${base}/domain-health/good.test'
The names are in demo/sites.ts: ${[...new Set([...Object.keys(sites).map((origin) => new URL(origin).hostname), ...Object.keys(zone)])].join(', ')}.`);
