import { startMongo } from '../test/kit/mongo.ts';
import { startRedis } from '../test/kit/redis.ts';
import { type ServiceProcess, startService } from '../test/kit/service-process.ts';
import { openVictims } from '../test/lab/hostile/victims.ts';
import { openLab } from '../test/lab/kit/lab.ts';
import type { Section } from './section.ts';

const names = 60;
const watchMs = 31_000;

/** TLS connections that one address gets within 31 s when ssl-check is asked for 60 names that lead there; counted at the address. */
export async function bench(): Promise<Section> {
  const hosts = Array.from({ length: names }, (_, at) => `n${at}.test`);
  const address = { A: ['127.0.4.1'] };
  const lab = await openLab({ zone: Object.fromEntries(hosts.map((host) => [host, address])) });
  const ports = { http: lab.web.httpPort, https: lab.web.httpsPort };
  const victims = await openVictims(
    1,
    ports,
    await lab.authority.issue(hosts),
    (_request, response) => void response.end(),
  );
  const settings = lab.settings({ TARGET_ALLOW_CIDRS: '127.0.0.0/8', LOG_LEVEL: 'info' });
  const count = async (environment: Readonly<Record<string, string>>, roles: readonly string[]) => {
    victims.reset();
    const parts: ServiceProcess[] = [];
    for (const role of roles) parts.push(await start(role, { ...settings, ...environment }));
    await ask(parts[0]?.url ?? '', hosts);
    const { connections = 0 } = victims.burdens.get('127.0.4.1') ?? {};
    for (const part of parts) part.kill('SIGKILL');
    await Promise.all(parts.map(({ closed }) => closed));
    return connections;
  };
  const [redis, mongo] = await Promise.all([startRedis(), startMongo()]);
  try {
    const shared = { REDIS_URL: redis.url, MONGODB_URL: mongo.url };
    const free = await count({ RATE_LIMIT: 'off' }, ['serve']);
    const one = await count({}, ['serve']);
    const two = await count(shared, ['api', 'worker', 'worker']);
    const row = (what: string, connections: number) => [what, connections, (connections / free).toFixed(2)];
    return {
      title: 'Many names, one address',
      about: `TLS connections that one address gets in ${watchMs / 1000} s when ssl-check is asked for ${names} names that lead there, counted at the address.`,
      columns: ['service', 'connections', '÷ without pace'],
      rows: [
        row('one process, `RATE_LIMIT=off`: no pace', free),
        row('one process', one),
        row('an API and two workers', two),
      ],
      limits: 'the pace of an address, which all processes share.',
    };
  } finally {
    await Promise.all([redis.stop(), mongo.stop(), victims.close(), lab.close()]);
  }
}

function start(role: string, environment: Readonly<Record<string, string>>): Promise<ServiceProcess> {
  return startService({ program: process.execPath, args: ['cli/diag.js', role], environment });
}

/** Asks for all names at once, and waits until the time is over. */
async function ask(url: string, hosts: readonly string[]): Promise<void> {
  const over = AbortSignal.timeout(watchMs);
  const asked = hosts.map((host) =>
    fetch(`${url}/api/tools/ssl-check/${host}?wait=40`, { signal: over }).then((answer) => answer.text()),
  );
  await Promise.allSettled(asked);
  if (!over.aborted) await new Promise((resolve) => over.addEventListener('abort', resolve, { once: true }));
}
