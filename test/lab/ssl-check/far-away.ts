import { connect, type Socket } from 'node:net';
import { setTimeout as after } from 'node:timers/promises';
import type { Probes } from '../../../worker/probes/port.ts';
import { issueCertificate, makeKey } from '../../unit/ssl-check/issue-certificate.ts';
import { farServers } from './far-servers.ts';
import { openSslLab } from './lab.ts';
import { openTcpServer } from './servers.ts';

// Round trips of whole runs at servers that are 300 ms away: seconds ÷ 0.3, once without and once with the time that the same run takes at no distance.
// Usage: node test/lab/ssl-check/far-away.ts [name of a server | all] [trace]
const roundTripMs = 300;
const [wanted = 'all', trace] = process.argv.slice(2);

/** A line of its own to a server: a connection costs a round trip before its first bytes get on their way, and every piece half of one each way. */
async function openLine(port: number, delayMs: number) {
  const pipe = (from: Socket, to: Socket, earliest: number) => {
    let last: Promise<unknown> = Promise.resolve();
    const later = (act: () => void) => {
      const at = Math.max(earliest, performance.now()) + delayMs / 2;
      last = last.then(() => after(Math.max(0, at - performance.now()))).then(act);
    };
    from.on('data', (bytes) => later(() => void (to.destroyed || to.write(bytes))));
    from.on('end', () => later(() => void to.end()));
    from.on('close', () => later(() => void to.destroy()));
    from.on('error', () => undefined);
  };
  return openTcpServer((near) => {
    const far = connect(port, '127.0.0.1');
    far.on('error', () => near.destroy());
    near.setNoDelay(true);
    far.setNoDelay(true);
    pipe(near, far, performance.now() + delayMs);
    pipe(far, near, 0);
  });
}

type Row = { readonly what: string; readonly start: number; readonly end: number; readonly told: string };
const rows: Row[] = [];
/** When the first handshake was finished: certificate, trust and the newest protocol are known then. */
let metAt: number | undefined;
let isOpen = 0;
let mostOpen = 0;
const traced = async <T>(what: string, asking: Promise<T>, tell: (seen: T) => string): Promise<T> => {
  const start = performance.now();
  isOpen += 1;
  mostOpen = Math.max(mostOpen, isOpen);
  const seen = await asking;
  isOpen -= 1;
  rows.push({ what, start, end: performance.now(), told: tell(seen) });
  return seen;
};

/** Where in the sources a question was asked: the innermost of the askers. */
const whence = () =>
  [...(new Error().stack ?? '').matchAll(/at (?:async )?(\w+) \(.*?gather\/([\w-]+)\.ts/g)]
    .map(([, name]) => name)
    .filter(
      (name) =>
        !/^(exchange|work|run|runOrAlone|greet|askBy|ask|answerTo|plainly|runPlainly|traced)$/.test(
          name ?? '',
        ),
    )
    .slice(0, 4)
    .join('<');

const watch = (probes: Probes): Probes => ({
  ...probes,
  tls: {
    ...probes.tls,
    exchange: (request) =>
      traced(`hello ${request.send.length} ${whence()}`, probes.tls.exchange(request), (seen) =>
        seen.kind === 'received' ? `${seen.ended} ${seen.bytes.length}` : seen.code,
      ),
    handshake: (request) =>
      traced(
        `shake ${request.servername ?? 'no name'} ${request.maxVersion ?? ''} ${request.session ? 'session' : ''} ${request.renegotiateForMs ?? ''}`,
        probes.tls.handshake({
          ...request,
          onSecure: (met) => {
            metAt ??= performance.now();
            request.onSecure?.(met);
          },
        }),
        (seen) => (seen.kind === 'connected' ? seen.protocol : seen.code),
      ),
  },
  http: {
    ...probes.http,
    ask: (request) => traced(`http ${request.url}`, probes.http.ask(request), (seen) => seen.kind),
  },
});

function tellRows(first: number): void {
  const inTrips = (at: number) => ((at - first) / roundTripMs).toFixed(1).padStart(5);
  for (const { what, start, end, told } of rows.toSorted((one, other) => one.start - other.start))
    console.log(`${inTrips(start)} ${inTrips(end)} ${what} → ${told}`);
}

const lab = await openSslLab({ watch, limits: { leastLingerMs: 15 } });
const servers = await farServers(lab, issueCertificate, makeKey);
for (const [name, open] of servers) {
  if (wanted !== 'all' && wanted !== name) continue;
  const server = await open();
  await lab.check(server.port);
  const runs: number[] = [];
  for (const delayMs of [0, roundTripMs]) {
    const line = await openLine(server.port, delayMs);
    rows.length = 0;
    mostOpen = 0;
    metAt = undefined;
    const cpu = process.cpuUsage();
    const { tookMs, evidence, report } = await lab.check(line.port);
    const { user, system } = process.cpuUsage(cpu);
    await line.close();
    const first = Math.min(...rows.map(({ start }) => start));
    runs.push(tookMs);
    if (trace && delayMs > 0) tellRows(first);
    console.log(
      `${name} at ${delayMs} ms: ${(tookMs / 1000).toFixed(2)} s, ${(tookMs / roundTripMs).toFixed(1)} round trips (${((tookMs - (runs[0] ?? 0)) / roundTripMs).toFixed(1)} less local), first verdict after ${(((metAt ?? NaN) - first) / roundTripMs).toFixed(1)}, ${evidence.connections} connections, ${mostOpen} open, ${((user + system) / 1e6).toFixed(2)} CPU s, ${String(report['sslLabsEquivalent'])} complete ${String(report['suitesComplete'])}`,
    );
  }
  await server.close();
}
await lab.close();
process.exit(0);
