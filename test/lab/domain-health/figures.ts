// node test/lab/domain-health/figures.ts [a b c d]: what a domain-health costs beside its parts. Targets take 300 ms for each piece of an answer, name servers 50 ms.
import { visitQuestions } from '#shared/catalogue/domain-health/sources';
import type { Sites } from '../kit/web-servers.ts';
import { goodZone, webAddress } from './domains.ts';
import { openFarPort } from './far-ports.ts';
import { type HealthLab, healthPath, openHealthLab } from './kit.ts';
import { dnsDelayMs, median, namesUpTo, pathOf, timed, webDelayMs } from './measure.ts';
import { compareNeighbours } from './neighbours.ts';
import { goodSite } from './sites.ts';

type Counts = { readonly http: number; readonly tls: number; readonly dns: number };
type FarLab = HealthLab & { counts(): Counts };

async function openFarLab(domains: readonly string[], isFar = true): Promise<FarLab> {
  const open = () => openFarPort(isFar ? webDelayMs : 0, [webAddress]);
  const [plain, secure] = [await open(), await open()];
  let requests = 0;
  const counted = (sites: Sites): Sites =>
    Object.fromEntries(
      Object.entries(sites).map(([origin, answer]) => [
        origin,
        (request, response) => {
          requests += 1;
          answer(request, response);
        },
      ]),
    );
  const lab = await openHealthLab({
    sites: counted(Object.assign({}, ...domains.map((domain) => goodSite(domain)))),
    zones: Object.assign({}, ...domains.map((domain) => goodZone(domain))),
    delayMs: isFar ? dnsDelayMs : 0,
    settings: { TARGET_PORT_MAP: `80=${plain.port},443=${secure.port}` },
  });
  plain.lead(lab.lab.web.httpPort);
  secure.lead(lab.lab.web.httpsPort);
  return {
    ...lab,
    counts: () => ({ http: requests, tls: secure.connections(), dns: lab.names.questions.length }),
    async close() {
      await lab.close();
      plain.close();
      secure.close();
    },
  };
}

const sum = ({ http, tls, dns }: Counts) => http + tls + dns;
/** (a) Wall time ÷ the slowest part of the same run. */
async function compareWallTimes(): Promise<void> {
  const domains = namesUpTo(10, 'a');
  const lab = await openFarLab(domains);
  const rows: { domain: string; wallMs: number; part: string; partMs: number; ratio: number }[] = [];
  for (const domain of domains) {
    const from = lab.log.length;
    const wallMs = await timed(() => lab.health(domain, '?wait=55'));
    const parts = lab.log
      .slice(from)
      .filter(({ message }) => message === 'check of a visit done')
      .map(({ fields }) => fields as { check: string; tookMs: number });
    const slowest = parts.reduce((one, other) => (other.tookMs > one.tookMs ? other : one));
    rows.push({
      domain,
      wallMs: Math.round(wallMs),
      part: slowest.check,
      partMs: slowest.tookMs,
      ratio: Number((wallMs / slowest.tookMs).toFixed(3)),
    });
  }
  console.table(rows);
  console.log(
    `(a) domain-health ÷ its slowest part: median ${median(rows.map(({ ratio }) => ratio))} (at most 1.1)`,
  );
  await lab.close();
}

/** (b) What reaches the servers, ÷ what the checks ask when run apart, each in a fresh service. */
async function compareQuestions(): Promise<void> {
  const domain = 'b.test';
  const rows: ({ run: string; ms: number } & Counts & { all: number })[] = [];
  const run = async (name: string, path: string) => {
    const lab = await openFarLab([domain]);
    const ms = Math.round(await timed(() => lab.get(`${path}${path.includes('?') ? '&' : '?'}wait=55`)));
    const counts = lab.counts();
    rows.push({ run: name, ms, ...counts, all: sum(counts) });
    await lab.close();
  };
  for (const { spec, target } of visitQuestions(domain, domain))
    await run(`${spec.name} ${target}`, pathOf(spec.name, target));
  const total = (key: 'http' | 'tls' | 'dns' | 'all') => rows.reduce((all, row) => all + row[key], 0);
  const apart = { http: total('http'), tls: total('tls'), dns: total('dns'), all: total('all') };
  const slowestMs = Math.max(...rows.map(({ ms }) => ms));
  await run('domain-health', healthPath(domain));
  const health = rows.at(-1);
  console.table([...rows, { run: 'sum of the checks apart', ms: slowestMs, ...apart }]);
  const share = (key: 'http' | 'tls' | 'dns' | 'all') => ((health?.[key] ?? 0) / apart[key]).toFixed(2);
  console.log(
    `(b) asked by domain-health ÷ asked apart: ${share('all')} (below 0.7); http ${share('http')}, tls ${share('tls')}, dns ${share('dns')}. Its time ÷ the slowest check alone: ${((health?.ms ?? 0) / slowestMs).toFixed(2)}`,
  );
}

/** (d) A second GET, from memory. */
async function timeRepeats(): Promise<void> {
  const lab = await openFarLab(['d.test'], false);
  await lab.health('d.test');
  const times: number[] = [];
  for (let count = 0; count < 50; count += 1) times.push(await timed(() => lab.health('d.test')));
  console.log(
    `(d) second GET: first of all ${times[0]?.toFixed(1)} ms, median of 50 ${median(times).toFixed(1)} ms, with a new connection each, and validated by the test`,
  );
  await lab.close();
}

const figures = { a: compareWallTimes, b: compareQuestions, c: compareNeighbours, d: timeRepeats };
const wanted = process.argv.slice(2);
for (const [name, figure] of Object.entries(figures))
  if (wanted.length === 0 || wanted.includes(name)) await figure();
process.exit(0);
