import { setTimeout as wait } from 'node:timers/promises';
import { openLab } from '../kit/lab.ts';
import { goodZone, upperZones, webAddress } from './domains.ts';
import { openFarPort } from './far-ports.ts';
import { type HealthReport, healthPath } from './kit.ts';
import { dnsDelayMs, median, namesUpTo, pathOf, timed, webDelayMs } from './measure.ts';
import { openNameServers } from './name-servers.ts';
import { type OwnProcess, openOwnProcess } from './own-process.ts';
import { goodSite } from './sites.ts';

const crowd = 60;
const steadyEveryMs = 250;

/** (c) Another domain's dns-check beside 60 domain-healths: each site at an address of its own, then all at one, as behind a CDN. */
export async function compareNeighbours(): Promise<void> {
  const own = Array.from({ length: crowd }, (_, at) => `127.0.100.${at + 1}`);
  for (const addresses of [own, [webAddress]]) await compareBeside(addresses);
}

async function compareBeside(addresses: readonly string[]): Promise<void> {
  const domains = namesUpTo(crowd, 'c');
  const others = namesUpTo(900, 'other');
  const { service, close } = await openNeighbourhood(domains, others, addresses);
  const askOne = () => timed(() => service.get(pathOf('dns-check', others.pop() ?? '')));
  for (let warm = 0; warm < 5; warm += 1) await askOne();
  const alone: number[] = [];
  for (let count = 0; count < 30; count += 1) alone.push(await askOne());

  const answers: HealthReport[] = [];
  let isRunning = true;
  const wallMs = timed(() =>
    Promise.all(
      domains.map(async (domain) => answers.push(await service.get(healthPath(domain, '?wait=55')))),
    ),
  ).finally(() => {
    isRunning = false;
  });
  const [inTurn, steady]: [number[], Promise<number>[]] = [[], []];
  const askInTurn = async () => {
    while (isRunning) inTurn.push(await askOne());
  };
  const askSteadily = async () => {
    for (; isRunning; await wait(steadyEveryMs)) steady.push(askOne());
  };
  await Promise.all([askInTurn(), askSteadily()]);
  const base = median(alone);
  const row = (run: string, times: readonly number[]) => ({
    run,
    asked: times.length,
    p50: Math.round(median(times)),
    most: Math.round(Math.max(...times)),
    ratio: Number((median(times) / base).toFixed(2)),
  });
  console.log(
    `(c) 60 domain-healths of sites at ${addresses.length} address(es), in ${Math.round(await wallMs)} ms`,
  );
  console.table([
    row('alone', alone),
    row('beside, the next when one is answered', inTurn),
    row(`beside, one each ${steadyEveryMs} ms`, await Promise.all(steady)),
  ]);
  console.log(`503 overloaded, asked again when told: ${service.refusals()}`);
  tellUnseen(answers);
  await close();
}

async function openNeighbourhood(
  domains: readonly string[],
  others: readonly string[],
  addresses: readonly string[],
): Promise<{ service: OwnProcess; close(): Promise<void> }> {
  const lab = await openLab({ sites: Object.assign({}, ...domains.map((domain) => goodSite(domain))) });
  const zones = domains.map((domain, at) => goodZone(domain, { A: [addresses[at % addresses.length]] }));
  const names = await openNameServers(
    Object.assign({}, upperZones, ...zones, ...others.map((domain) => goodZone(domain))),
    dnsDelayMs,
  );
  const plain = await openFarPort(webDelayMs, addresses);
  const secure = await openFarPort(webDelayMs, addresses);
  plain.lead(lab.web.httpPort);
  secure.lead(lab.web.httpsPort);
  const settings = lab.settings({
    RATE_LIMIT: 'off',
    WORKER_QUEUES: 'network',
    TARGET_ALLOW_CIDRS: '127.0.0.0/8',
    TARGET_PORT_MAP: `80=${plain.port},443=${secure.port}`,
    ...names.settings,
  });
  const service = await openOwnProcess(settings, lab.authority.cert);
  return {
    service,
    async close() {
      await service.close();
      plain.close();
      secure.close();
      await Promise.all([names.close(), lab.close()]);
    },
  };
}

/** Why categories of the network have no whole score, the most frequent reasons first. */
function tellUnseen(answers: readonly HealthReport[]): void {
  const reasons = answers.flatMap(({ categories: { performance: _page, ...network } }) =>
    Object.values(network).flatMap(({ reason = '' }) =>
      reason === '' ? [] : [reason.replace(/c\d+\.test/g, '…')],
    ),
  );
  const counts = [...new Set(reasons)].map(
    (reason) => [reasons.filter((one) => one === reason).length, reason] as const,
  );
  console.log(`categories not seen whole: ${reasons.length} of ${answers.length * 4}`);
  for (const [count, reason] of counts.toSorted(([a], [b]) => b - a).slice(0, 4))
    console.log(`  ${count} × ${reason}`);
}
