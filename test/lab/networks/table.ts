// Prints what the checks say of a healthy domain in each network:
// node test/lab/networks/table.ts [-t domain] [-e SETTING=value] [part of a network's name …]
// Needs root. Nothing of it is judged here: it is for people who compare two versions.
import { openNetwork } from './network.ts';
import { type NetworkName, networks } from './networks.ts';
import { type LabCheck, type Ran, runCheck } from './run-check.ts';
import { openWorld, type World } from './world.ts';

const given = process.argv.slice(2);
/** A page in a browser takes longer than all else together. */
const withoutPage = ['--parts', 'dns,ssl,headers,mail'];
const target = given[0] === '-t' ? (given.splice(0, 2)[1] ?? 'healthy.com') : 'healthy.com';
const [setting = '', value = ''] = given[0] === '-e' ? (given.splice(0, 2)[1] ?? '').split('=') : [];
const env = setting === '' ? {} : { [setting]: value };
const chosen = (Object.keys(networks) as NetworkName[]).filter(
  (name) => given.length === 0 || given.some((part) => name.includes(part)),
);
const checks = [
  ['dns-check', target],
  ['ssl-check', target],
  ['security-header-check', `https://${target}/`],
  ['redirect-check', `http://${target}/`],
  ['domain-health', [target, ...withoutPage]],
] as const satisfies readonly (readonly [LabCheck, string | readonly string[]])[];

// With an end of its own the process takes its namespaces along.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
const world = await openWorld();
try {
  console.log(
    'network | check | state | score | grade | seconds | high or critical | vantage.missing | not tested',
  );
  for (const name of chosen) await printNetwork(world, name);
} finally {
  await world.close();
}

async function printNetwork(world: World, name: NetworkName): Promise<void> {
  const network = await openNetwork(world, networks[name]);
  const left = [...checks];
  const rows = new Map<LabCheck, string>();
  // Two at once: most of their time is waiting, and more would wait for the processor.
  const goThrough = async (): Promise<void> => {
    for (let next = left.shift(); next; next = left.shift()) {
      const [check, what] = next;
      const cells = await runCheck(network, check, what, env).then(cellsOf, (error: Error) => [
        `NO REPORT: ${error.message.trim().replaceAll('\n', ' ').slice(0, 200)}`,
      ]);
      rows.set(check, [name, check, ...cells].join(' | '));
    }
  };
  try {
    await Promise.all([goThrough(), goThrough()]);
    console.log(checks.map(([check]) => rows.get(check)).join('\n'));
  } finally {
    await network.close();
  }
}

function cellsOf({ report, seconds }: Ran): readonly string[] {
  const grave = report.findings
    .filter(({ severity }) => severity === 'high' || severity === 'critical')
    .map(({ code, severity }) => (severity === 'critical' ? `${code} (critical)` : code));
  const { missing } = (report as { vantage?: { missing?: unknown } }).vantage ?? {};
  return [
    report.state,
    String(report.score),
    String(report.grade),
    seconds.toFixed(1),
    grave.join(', ') || '–',
    missing === undefined ? '–' : JSON.stringify(missing),
    String(report.notTested.length),
  ];
}
