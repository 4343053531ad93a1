import { execFile } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import {
  type AddressInfo,
  connect,
  createServer as createTcpServer,
  type Server as TcpServer,
} from 'node:net';
import { promisify } from 'node:util';
import { readConfig } from '#shared/settings/config';
import { makeAuthority } from '../test/lab/kit/certificates.ts';
import { prepareProbesOf } from '../worker/start/probe-settings.ts';
import type { Section } from './section.ts';
import { median } from './statistics.ts';

const rounds = 40;
const phases = ['tcp', 'tls', 'ttfb', 'download', 'total'] as const;
type Phases = Record<(typeof phases)[number], number>;

/** Each phase of a hop against `curl -w` on one server with injected delays (TLS 25 ms, header 40 ms, body 30 ms), by turns. */
export async function bench(): Promise<Section> {
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
  const rows: string[][] = [];
  for (const url of [`http://127.0.0.1:${plain}/`, `https://127.0.0.1:${front.port}/`]) {
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
      rows.push([`${new URL(url).protocol} ${phase}`, a.toFixed(1), b.toFixed(1), (a - b).toFixed(1)]);
    }
  }
  probes.close();
  for (const server of servers) server.close().closeAllConnections();
  front.server.close();
  return {
    title: 'How exact the times in a report are',
    about: `What a report says of each phase of a request, beside \`curl -w\`: medians of ${rounds} requests by turns. The server waits 25 ms in the TLS handshake, 40 ms before the header and 30 ms before the end of the body.`,
    columns: ['phase', 'ours, ms', 'curl, ms', 'difference, ms'],
    rows,
    limits: 'the resolution of timers. The process that measures also does the work of the server.',
  };
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

function listen(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}

// Holds back the first bytes of the server: a TLS handshake that takes a while.
function openDelayingFront(
  inner: number,
  ms: number,
): Promise<{ readonly port: number; readonly server: TcpServer }> {
  const server = createTcpServer((outside) => {
    const inside = connect(inner, '127.0.0.1');
    for (const socket of [outside, inside]) socket.setNoDelay(true);
    outside.pipe(inside);
    inside.once('readable', () => setTimeout(() => inside.pipe(outside), ms));
    for (const socket of [outside, inside]) socket.on('error', () => socket.destroy());
  });
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve({ port: (server.address() as AddressInfo).port, server }));
  });
}
