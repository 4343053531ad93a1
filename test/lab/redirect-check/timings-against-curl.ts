// Compares the phases of a hop with those of curl, both against the same server, in turns; prints medians in ms.
// The server runs in a process of its own and waits: 25 ms before the handshake, 40 ms before the header section,
// 30 ms in the middle of the body. The look-up is left out, since curl asks another resolver.
//   node test/lab/redirect-check/timings-against-curl.ts [runs]
import { execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { promisify } from 'node:util';
import { readConfig } from '#shared/settings/config';
import type { ProbeFactory } from '../../../worker/probes/open.ts';
import { prepareProbesOf } from '../../../worker/start/probe-settings.ts';
import { makeAuthority } from '../kit/certificates.ts';
import { openDnsServer } from '../kit/dns-server.ts';

const waitMs = { handshake: 25, header: 40, body: 30 };
const phases = ['tcp', 'tls', 'ttfb', 'download', 'total'] as const;
type Phases = Record<(typeof phases)[number], number>;
type Ports = { readonly http: number; readonly https: number };

const host = 'timings.test';

await (process.send ? serve((ports) => process.send?.(ports)) : compare(Number(process.argv[2] ?? 60)));

async function serve(tell: (ports: Ports) => void): Promise<void> {
  const answer: RequestListener = (_request, response) => {
    setTimeout(() => {
      response.writeHead(200, { 'content-type': 'text/plain', connection: 'close' });
      response.write('first');
      setTimeout(() => response.end('last'), waitMs.body);
    }, waitMs.header);
  };
  const own = await (await makeAuthority()).issue([host]);
  const https = createHttpsServer(own, answer);
  // Accepted at once, secured later: the wait falls into the handshake alone.
  const front = createServer((socket) =>
    setTimeout(() => https.emit('connection', socket), waitMs.handshake),
  );
  tell({ http: await listen(createHttpServer(answer)), https: await listen(front) });
}

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

async function compare(runs: number): Promise<void> {
  const server = fork(import.meta.filename);
  const [ports] = (await once(server, 'message')) as [Ports];
  const dns = await openDnsServer({ [host]: { A: ['127.0.0.1'] } });
  const probes = prepareProbesOf(
    readConfig({
      DNS_SERVERS: dns.address,
      TARGET_ALLOW_CIDRS: '127.0.0.1/32',
      TARGET_ALLOW_SUFFIXES: 'test',
      TARGET_PORTS: '1024-65535',
    }),
  );
  try {
    for (const scheme of ['http', 'https'] as const) {
      const url = `${scheme}://${host}:${ports[scheme]}/`;
      await Promise.all([askProbe(probes, url), askCurl(url)]); // whatever is loaded or compiled only once
      const seen: { ours: Phases; curls: Phases }[] = [];
      for (let run = 0; run < runs; run += 1)
        seen.push({ curls: await askCurl(url), ours: await askProbe(probes, url) });
      print(scheme, seen);
    }
  } finally {
    probes.close();
    await dns.close();
    server.kill();
  }
}

async function askProbe(probes: ProbeFactory, url: string): Promise<Phases> {
  const opened = probes.open(AbortSignal.timeout(20_000));
  const answer = await opened.http.ask({ url, bodyLimitBytes: 1000 });
  opened.close();
  if (answer.kind === 'failure') throw new Error(answer.reason);
  const { wait, dns, tcp, tls, ttfb, download, total } = answer.timings;
  return { tcp, tls, ttfb, download, total: total - wait - dns };
}

async function askCurl(url: string): Promise<Phases> {
  const { port, protocol } = new URL(url);
  const marks = ['namelookup', 'connect', 'appconnect', 'starttransfer', 'total'];
  const write = marks.map((mark) => `%{time_${mark}}`).join(' ');
  const resolve = `${host}:${port}:127.0.0.1`;
  const { stdout } = await promisify(execFile)(
    'curl',
    `--silent --insecure --http1.1 --output /dev/null --resolve ${resolve} ${url} --write-out`
      .split(' ')
      .concat(write),
  );
  const [lookedUp = 0, connected = 0, secured = 0, first = 0, last = 0] = stdout
    .split(' ')
    .map((seconds) => Number(seconds) * 1000);
  const ready = protocol === 'https:' ? secured : connected;
  return {
    tcp: connected - lookedUp,
    tls: ready - connected,
    ttfb: first - ready,
    download: last - first,
    total: last - lookedUp,
  };
}

function print(scheme: string, seen: readonly { ours: Phases; curls: Phases }[]): void {
  console.info(`${scheme}, ${seen.length} runs each`);
  for (const phase of phases) {
    const ours = median(seen.map((run) => run.ours[phase]));
    const curls = median(seen.map((run) => run.curls[phase]));
    const within = Math.abs(ours - curls) <= 3 ? 'within 3 ms' : 'BEYOND 3 ms';
    const figures = [ours, curls, ours - curls].map((ms) => ms.toFixed(1).padStart(8)).join('');
    console.info(`  ${phase.padEnd(9)} ours, curl, difference ${figures}  ${within}`);
  }
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
