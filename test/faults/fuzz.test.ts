import { afterAll, expect, test } from 'vitest';
import { startService } from '../kit/service-process.ts';
import { openLab } from '../lab/kit/lab.ts';
import { openDice, openMutatingDns, openMutatingProxy } from './mutating-proxy.ts';

// TLS, HTTP and DNS bytes that are early, late, split, doubled, changed and cut, over real sockets through the real service. No process
// ends by them. FUZZ_CONNECTIONS says how many connections; FUZZ_SEED repeats a run.

const wanted = Number(process.env['FUZZ_CONNECTIONS'] ?? 400);
const seed = Number(process.env['FUZZ_SEED'] ?? 1);
const hosts = Array.from({ length: 16 }, (_, at) => `f${at}.test`);
const dice = openDice(seed);

const lab = await openLab({
  sites: Object.fromEntries(
    hosts.flatMap((host) => [
      [
        `http://${host}`,
        (_request, response) => void response.writeHead(301, { location: `https://${host}/` }).end(),
      ],
      [
        `https://${host}`,
        (_request, response) =>
          void response
            .writeHead(200, { 'content-type': 'text/html', 'set-cookie': 'a=b; Secure' })
            .end(`<html>${'<script>location</script>'.repeat(200)}`),
      ],
    ]),
  ),
});
const [http, https, dns] = await Promise.all([
  openMutatingProxy(lab.web.httpPort, dice),
  openMutatingProxy(lab.web.httpsPort, dice),
  openMutatingDns(lab.dns.address, dice),
]);
const service = await startService({
  program: process.execPath,
  args: ['cli/diag.js', 'serve'],
  environment: lab.settings({
    LOG_LEVEL: 'info',
    RATE_LIMIT: 'off',
    FRESH_SECONDS: '0',
    DNS_SERVERS: dns.address,
    TARGET_PORT_MAP: `80=${http.port},443=${https.port}`,
  }),
});
afterAll(async () => {
  service.kill('SIGTERM');
  await service.closed;
  await Promise.all([http.close(), https.close(), dns.close(), lab.close()]);
});

const checks = [
  (host: string) => `ssl-check/${host}?wait=50`,
  (host: string) => `redirect-check?wait=50&url=${encodeURIComponent(`http://${host}/`)}`,
  (host: string) => `security-header-check?wait=50&url=${encodeURIComponent(`https://${host}/`)}`,
];

test(
  `${wanted} connections with changed bytes end no process`,
  { timeout: 60_000 + wanted * 400 },
  async () => {
    const connections = () => http.count() + https.count();
    const answers: Record<string, number> = {};
    await Promise.all(
      hosts.map(async (host, lane) => {
        for (let at = lane; connections() < wanted; at += 1) {
          const path = checks[at % checks.length]?.(host) ?? '';
          const response = await fetch(`${service.url}/api/tools/${path}`);
          const { state = '', code = '' } = (await response.json()) as { state?: string; code?: string };
          const told = `${response.status} ${state || code}`;
          answers[told] = (answers[told] ?? 0) + 1;
        }
      }),
    );
    const exits = service.lines.filter((line) => line.includes('runner process ended'));
    const told = { seed, connections: connections(), datagrams: dns.count(), answers, exits: exits.length };
    process.stdout.write(`${JSON.stringify(told)}\n`);
    for (const line of exits) process.stdout.write(`${line}\n`);
    expect(exits).toEqual([]);
    expect(service.child.exitCode).toBeNull();
    expect(Object.keys(answers).filter((answer) => !/^(?:200|202) /.test(answer))).toEqual([]);
  },
);
