import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { rules } from '#shared/catalogue/security-header-check/rules';
import { listVerdicts, type Finding } from '#shared/model/finding';
import type { Verdicts } from '#shared/model/verdict';
import { readConfig } from '#shared/settings/config';
import { assessHeaders } from '../../../worker/checks/security-header-check/assess.ts';
import { gatherHeaders } from '../../../worker/checks/security-header-check/gather.ts';
import { freePort } from '../../kit/programs.ts';
import { makeAuthority } from '../kit/certificates.ts';
import { openDnsServer } from '../kit/dns-server.ts';
import { prepareLabProbes } from '../kit/probes.ts';
import { startServer } from '../ssl-check/tools.ts';
import { optionsOf, serve } from './application.ts';
import { allAtOnce, headerCases, type HeaderCase, phpSession } from './cases.ts';
import {
  applicationsOf,
  bodyOf,
  linesOfSite,
  type SetUpName,
  setUps,
  type Site,
  type World,
} from './set-ups.ts';

/** What a check said of a site: its score and findings. */
type Said = { readonly score: number | null; readonly findings: readonly Finding[] };

/** One site, before and after lines of its report were pasted. */
export type Trial = {
  readonly name: string;
  readonly site: Site;
  readonly before: Said;
  /** undefined where the report has no lines for this server. */
  readonly after: Said | undefined;
  readonly lines: readonly string[];
};

/** Findings whose header one line of the server's own may send. */
const ownLines: ReadonlySet<string> = new Set(
  'hsts-off hsts-invalid hsts-short hsts-no-subdomains xcto-invalid referrer-policy-unsafe referrer-policy-invalid'.split(
    ' ',
  ),
);

const hasOwnLines: ReadonlySet<SetUpName> = new Set<SetUpName>(['nginx', 'apache', 'caddy', 'haproxy']);
const isAsScript = (setUp: SetUpName) => setUp === 'nginx-fastcgi' || setUp === 'apache-cgi';

/** The sites of a set-up: each finding once from the application, once from the server's own configuration, and all at once. */
export function sitesOf(setUp: SetUpName): readonly Site[] {
  if (setUp === 'php')
    return [
      makeSite(phpSession, setUp, allName),
      ...headerCases
        .filter(({ sends }) => 'Set-Cookie' in sends)
        .map((one) => makeSite(one, setUp, one.code)),
    ];
  const cases = headerCases.filter(
    ({ notAsScript, only, sends }) =>
      (only ?? [setUp]).includes(setUp) &&
      !(notAsScript && isAsScript(setUp)) &&
      // No directive of nginx edits the cookies of FastCGI; PHP's own settings are tried elsewhere.
      !('Set-Cookie' in sends && setUp === 'nginx-fastcgi'),
  );
  const own = hasOwnLines.has(setUp) ? cases.filter(({ code }) => ownLines.has(code)) : [];
  return [
    ...cases.map((one) => makeSite(one, setUp, one.name ?? one.code)),
    ...own.map((one) => ({ ...makeSite(one, setUp, `${one.code}-own`), own: ownOf(one) })),
    makeSite(setUp === 'nginx-fastcgi' ? withoutCookies : allAtOnce, setUp, allName),
  ];
}

const allName = 'all-at-once';
const withoutCookies: HeaderCase = { ...allAtOnce, sends: { ...allAtOnce.sends, 'Set-Cookie': null } };

/** Whether a site has many faults, whose lines are pasted together. */
export function isAllAtOnce({ host }: Pick<Site, 'host'>): boolean {
  return host.startsWith(allName);
}

function makeSite(one: HeaderCase, setUp: SetUpName, name: string): Site {
  const host = one.isRegistrable ? `${name}-${setUp}.test` : `${name}-${setUp}.lab.test`;
  return { host, one, own: undefined, pasted: [] };
}

function ownOf({ sends }: HeaderCase): Site['own'] {
  const [header = '', value] = Object.entries(sends)[0] ?? [];
  return typeof value === 'string' ? [header, value] : undefined;
}

/** Checks sites behind a server, pastes the lines of their reports, and checks them again. */
export async function tryLines(setUp: SetUpName, sites: readonly Site[]): Promise<readonly Trial[]> {
  const { server } = setUps[setUp];
  const lab = await openWorld(setUp, sites);
  try {
    const before = await lab.check(sites);
    const pasted = sites.map((site, at) => ({ ...site, pasted: linesFor(site, server, before[at]) }));
    const after = await lab.check(pasted);
    return sites.map((site, at) => {
      const lines = pasted[at]?.pasted ?? [];
      return {
        name: site.host.split('.')[0] ?? '',
        site,
        lines,
        before: before[at] ?? nothing,
        after: lines.length > 0 ? after[at] : undefined,
      };
    });
  } finally {
    await lab.close();
  }
}

const nothing: Said = { score: null, findings: [] };

/** The lines of the finding that a site is about; of one with many, those of all cards, each once. */
function linesFor(site: Site, server: string, said: Said = nothing): readonly string[] {
  const cards = said.findings.filter(({ code }) => isAllAtOnce(site) || code === site.one.code);
  const units = new Set(cards.flatMap(({ fix }) => unitsOf(fix.snippets?.[server] ?? '')));
  const isLine = (unit: string) => unit !== '' && !/^(?:#|\/\/)/.test(unit);
  return [...units].some(isLine) ? [...units] : [];
}

// Blocks stay whole.
function unitsOf(snippet: string): string[] {
  return snippet.split(/\n(?!\t|\}|<\/)/);
}

async function openWorld(setUp: SetUpName, sites: readonly Site[]) {
  const authority = await makeAuthority();
  setDefaultCACertificates([...getCACertificates('bundled'), authority.cert]);
  const hosts = sites.map(({ host }) => host);
  const { address, start } = setUps[setUp];
  const dns = await openDnsServer(Object.fromEntries(hosts.map((host) => [host, { A: [address] }])));
  const folder = mkdtempSync(join(tmpdir(), 'fixes-'));
  const world: World = {
    identity: await authority.issue(['*.lab.test', ...hosts.filter((host) => !host.endsWith('.lab.test'))]),
    httpPort: await freePort(),
    httpsPort: await freePort(),
    applicationPort: await freePort(),
    fastcgiPort: await freePort(),
    phpScript: join(folder, 'answer.php'),
  };
  const probes = prepareLabProbes(
    readConfig({
      DATA_DIR: ':memory:',
      LOG_LEVEL: 'silent',
      WORKER_QUEUES: 'network',
      DNS_SERVERS: dns.address,
      TARGET_ALLOW_CIDRS: '127.0.0.0/24',
      TARGET_ALLOW_SUFFIXES: 'test',
      TARGET_PORT_MAP: `80=${world.httpPort},443=${world.httpsPort}`,
    }),
  );
  return {
    async check(now: readonly Site[]): Promise<readonly Said[]> {
      const behind = await openBehind(setUp, now, world);
      const running = await start(now, world);
      try {
        return await inTurns(hosts, (host) => look(host, probes));
      } finally {
        await Promise.all([running.close(), behind.close()]);
      }
    },
    async close() {
      probes.close();
      await dns.close();
      rmSync(dirname(world.phpScript), { recursive: true, force: true });
    },
  };
}

/** What the server passes requests on to: the application as it was, or PHP with what a report says of its settings. */
async function openBehind(setUp: SetUpName, sites: readonly Site[], world: World) {
  const unchanged = sites.map((site) => ({ ...site, pasted: [] }));
  if (setUp !== 'nginx-fastcgi' && setUp !== 'php')
    return serve(applicationsOf(unchanged), '127.0.0.1', [world.applicationPort]);
  const isCall = (line: string) => line.startsWith('setcookie(');
  const answers = sites.map((site) => {
    const calls = site.pasted.filter(isCall);
    const lines = linesOfSite(site).filter((line) => calls.length === 0 || !line.startsWith('Set-Cookie:'));
    const startsSession = site.one.startsSession === true;
    return [site.host, { lines, calls, options: optionsOf(site.one), body: bodyOf(site), startsSession }];
  });
  const folder = dirname(world.phpScript);
  writeFileSync(join(folder, 'answers.json'), JSON.stringify(Object.fromEntries(answers)));
  writeFileSync(world.phpScript, phpProgram);
  const settings = [
    'expose_php = 0',
    'default_mimetype =',
    'session.cache_limiter =',
    `session.save_path = ${folder}`,
  ];
  const lines = setUp === 'php' ? sites.flatMap(({ pasted }) => pasted.filter((line) => !isCall(line))) : [];
  writeFileSync(join(folder, 'php.ini'), [...settings, ...lines].join('\n'));
  const limits = ['PHP_FCGI_MAX_REQUESTS=0', 'PHP_FCGI_CHILDREN=3'];
  return startServer(
    ['env', ...limits, 'php-cgi', '-c', join(folder, 'php.ini'), '-b', `127.0.0.1:${world.fastcgiPort}`],
    world.fastcgiPort,
    mkdtempSync(join(tmpdir(), 'fixes-')),
  );
}

const phpProgram = `<?php
$answer = json_decode(file_get_contents(__DIR__ . '/answers.json'), true)[$_SERVER['HTTP_HOST']];
if ($answer['startsSession']) session_start();
foreach ($answer['lines'] as $line) header($line, false);
$value = '1';
$options = ['path' => '/'] + $answer['options'];
foreach ($answer['calls'] as $call) eval($call);
echo $answer['body'];
`;

async function look(host: string, probes: ReturnType<typeof prepareLabProbes>): Promise<Said> {
  const opened = probes.open(AbortSignal.timeout(30_000));
  try {
    const evidence = await gatherHeaders({
      target: `https://${host}/`,
      options: {},
      probes: opened,
      progress: () => undefined,
    });
    const { verdicts, score } = assessHeaders(evidence);
    return {
      score: score ?? null,
      findings: listVerdicts(rules, verdicts as Verdicts<keyof typeof rules>).findings,
    };
  } finally {
    opened.close();
  }
}

/** Some at a time: servers of a test have few processes. */
async function inTurns<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<readonly R[]> {
  const results: R[] = [];
  const next = items.entries();
  const run = async () => {
    for (const [at, item] of next) results[at] = await work(item);
  };
  await Promise.all(Array.from({ length: 6 }, run));
  return results;
}
