import { Resolver } from 'node:dns/promises';
import { get as getPlain } from 'node:http';
import { get as getSecure } from 'node:https';
import { inLanes } from './slow-host.ts';

/** What came to the targets. */
export type Exchanges = { readonly http: number; readonly https: number; readonly dns: number };
export type TargetPorts = { readonly httpPort: number; readonly httpsPort: number; readonly dnsPort: number };

const count = 200;
const lanes = 8;

/**
 * CPU of Node's own clients for one of each exchange, ms: a GET over a new connection, the same with TLS to a host of its own, and a DNS
 * question. The targets' CPU is not counted.
 */
export async function measureBare({ httpPort, httpsPort, dnsPort }: TargetPorts): Promise<Exchanges> {
  const resolver = new Resolver();
  resolver.setServers([`127.0.0.1:${dnsPort}`]);
  const host = (index: number) => `h${1_000_000 + index}.test`;
  return {
    http: await cpuOf((index) =>
      ask(getPlain, `http://127.0.0.1:${httpPort}/`, { headers: { host: host(index) } }),
    ),
    https: await cpuOf((index) =>
      ask(getSecure, `https://127.0.0.1:${httpsPort}/`, {
        servername: host(index),
        headers: { host: host(index) },
        rejectUnauthorized: false,
      }),
    ),
    dns: await cpuOf(async (index) => void (await resolver.resolve4(host(index)))),
  };
}

/** The CPU that these exchanges would take the bare clients, ms. */
export function bareMsOf(exchanges: Exchanges, bare: Exchanges): number {
  return exchanges.http * bare.http + exchanges.https * bare.https + exchanges.dns * bare.dns;
}

async function cpuOf(act: (index: number) => Promise<void>): Promise<number> {
  await inLanes(count, lanes, act);
  const before = process.cpuUsage();
  await inLanes(count, lanes, (index) => act(count + index));
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / count;
}

function ask(get: typeof getPlain, url: string, options: Parameters<typeof getSecure>[1]): Promise<void> {
  return new Promise((resolve, reject) => {
    get(url, { ...options, agent: false }, (answer) => answer.resume().once('end', resolve)).once(
      'error',
      reject,
    );
  });
}
