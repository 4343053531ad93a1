import { startMongo } from '../../kit/mongo.ts';
import { type ServiceProcess, startService } from '../../kit/service-process.ts';
import { openLab } from '../kit/lab.ts';

/** An API and a worker over a guarded Redis. */
export type GuardedPair = {
  /** Asks for twelve checks that nobody has asked for, of as many hosts, all at once: true when all are answered 200. */
  answers(): Promise<boolean>;
  /** What /readyz says of the API, and of the worker. */
  statuses(): Promise<readonly string[]>;
  /** Lines in which Redis refused a command or a login. */
  complaints(): readonly string[];
  close(): Promise<void>;
};

const hosts = Array.from({ length: 12 }, (_, index) => `t${index}.test`);

/** Starts both processes with these settings, over a store and a lab of their own. */
export async function startGuardedPair(settings: Readonly<Record<string, string>>): Promise<GuardedPair> {
  const [mongo, lab] = await Promise.all([
    startMongo(),
    openLab({
      sites: Object.fromEntries(
        hosts.map((host) => [`http://${host}`, (_request, response) => void response.end('good')]),
      ),
    }),
  ]);
  const environment = lab.settings({
    MONGODB_URL: mongo.url,
    RATE_LIMIT: 'off',
    LOG_LEVEL: 'info',
    ...settings,
  });
  const start = (name: string) =>
    startService({ program: process.execPath, args: ['cli/diag.js', name], environment });
  const [api, worker] = await Promise.all([start('api'), start('worker')]);
  const statusOf = async ({ adminUrl }: ServiceProcess) =>
    ((await (await fetch(`${adminUrl}/readyz`)).json()) as { readonly status: string }).status;
  let asked = 0;
  const ask = async (host: string) => {
    const target = encodeURIComponent(`http://${host}/${asked++}`);
    return (await fetch(`${api.url}/api/tools/redirect-check?url=${target}`)).status;
  };
  return {
    answers: async () => (await Promise.all(hosts.map(ask))).every((status) => status === 200),
    statuses: () => Promise.all([api, worker].map(statusOf)),
    complaints: () =>
      [api, worker].flatMap(({ lines }) =>
        lines.filter((line) => /NOPERM|NOAUTH|WRONGPASS|CERT|self-signed/.test(line)),
      ),
    async close() {
      for (const { kill } of [api, worker]) kill('SIGKILL');
      await Promise.all([mongo.stop(), lab.close()]);
    },
  };
}
