import { execFile } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net';
import { promisify } from 'node:util';
import { readConfig } from '#shared/config';
import { makeAuthority } from '../test/lab/kit/certificates.ts';
import { prepareProbesOf } from '../worker/start/probe-settings.ts';

const rounds = 40;
const phases = ['tcp', 'tls', 'ttfb', 'download', 'total'] as const;
type Phases = Record<(typeof phases)[number], number>;

/** Each phase of a hop against `curl -w` on one server with injected delays (TLS 25 ms, header 40 ms, body 30 ms), interleaved. */
export async function bench(): Promise<void> {
  const authority = await makeAuthority();
  const pair = await authority.issue(['127.0.0.1']);
  const delayed: Parameters<typeof createServer>[1] = (_request, response) => {
    setTimeout(() => {
      response.writeHead(200, { 'content-type': 'text/plain' });
      response.write('a');
      setTimeout(() => response.end('b'), 30);
    }, 40);
  };
  const servers = [createServer(delayed), createTlsServer(pair, delayed)];
  const [plain = 0, inner = 0] = await Promise.all(servers.map(listen));
  const front = await openDelayingFront(inner, 25);
  const config = readConfig({ TARGET_ALLOW_CIDRS: '127.0.0.1', TARGET_PORTS: '1-65535' });
  const probes = prepareProbesOf(config);
  for (const url of [`http://127.0.0.1:${plain}/`, `https://127.0.0.1:${front}/`]) {
    const ours: Phases[] = [];
    const curls: Phases[] = [];
    for (let round = 0; round < rounds; round += 1) {
      curls.push(await curl(url));
      const opened = probes.open(new AbortController().signal);
      const answer = await opened.http.ask({ url, bodyLimitBytes: 1000 });
      opened.close();
      if (answer.kind === 'failure') throw new Error(answer.reason);
      ours.push(answer.timings);
    }
    for (const phase of phases) {
      const [a, b] = [median(ours.map((hop) => hop[phase])), median(curls.map((hop) => hop[phase]))];
      console.log(
        `${new URL(url).protocol} ${phase}: ours ${a.toFixed(1)} ms, curl ${b.toFixed(1)} ms, difference ${(a - b).toFixed(1)} ms (within 3)`,
      );
    }
  }
}

async function curl(url: string): Promise<Phases> {
  const format = '%{time_namelookup} %{time_connect} %{time_appconnect} %{time_starttransfer} %{time_total}';
  const { stdout } = await promisify(execFile)('curl', ['-sk', '-o', '/dev/null', '-w', format, url]);
  const [dns = 0, connected = 0, secured = 0, first = 0, total = 0] = stdout
    .split(' ')
    .map((seconds) => Number(seconds) * 1000);
  const ready = secured > 0 ? secured : connected;
  return {
    tcp: connected - dns,
    tls: ready - connected,
    ttfb: first - ready,
    download: total - first,
    total,
  };
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}

// Holds back the first bytes of the server: a TLS handshake that takes a while.
function openDelayingFront(inner: number, ms: number): Promise<number> {
  const front = createTcpServer((outside) => {
    const inside = connect(inner, '127.0.0.1');
    for (const socket of [outside, inside]) socket.setNoDelay(true);
    outside.pipe(inside);
    inside.once('readable', () => setTimeout(() => inside.pipe(outside), ms));
    for (const socket of [outside, inside]) socket.on('error', () => socket.destroy());
  });
  return new Promise((resolve) => {
    front.listen(0, '127.0.0.1', () => resolve((front.address() as AddressInfo).port));
  });
}
