// The lab's zones as this check sees them, beside delv and Zonemaster where they are installed: node test/lab/dns-check/compare.ts
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readConfig } from '../../../shared/config.ts';
import { codesBroken } from '../../../shared/model/verdict.ts';
import { dnsCheck } from '../../../worker/checks/dns-check/index.ts';
import { prepareProbesOf } from '../../../worker/open.ts';
import { findTool, run } from './debian-tools.ts';
import { openSignedLab, type SignedLab } from './signed-lab.ts';
import { addresses, labZones } from './zones.ts';

const lab = await openSignedLab();
try {
  const usual = new Set(askZonemaster('secure.test', lab.folder));
  for (const zone of Object.keys(labZones)) await compare(lab, zone, usual);
} finally {
  await lab.close();
}

// What Zonemaster says of the sound zone too is said of the lab, and left out.
async function compare({ settings, folder }: SignedLab, zone: string, usual: Set<string>): Promise<void> {
  const start = performance.now();
  const { verdicts, fields } = await check(zone, settings);
  const ownMs = performance.now() - start;
  const { status } = fields['dnssec'] as { status: string };
  const zonemasterStart = performance.now();
  const tags = askZonemaster(zone, folder);
  const zonemasterMs = performance.now() - zonemasterStart;
  console.log(`\n${zone}  ours ${ownMs.toFixed(0)} ms, zonemaster ${zonemasterMs.toFixed(0)} ms`);
  console.log(`  ours       ${status}: ${codesBroken(verdicts).join(' ')}`);
  console.log(`  delv       ${askDelv(zone, folder)}`);
  console.log(`  zonemaster ${tags.filter((tag) => !usual.has(tag)).join(' ')}`);
}

async function check(domain: string, settings: Record<string, string>) {
  const probes = prepareProbesOf(readConfig(settings));
  const opened = probes.open(new AbortController().signal);
  const evidence = await dnsCheck.gather({
    target: domain,
    options: {},
    probes: opened,
    progress: () => undefined,
  });
  opened.close();
  probes.close();
  return dnsCheck.assess(evidence);
}

function askDelv(zone: string, folder: string): string {
  if (findTool('delv') === undefined) return 'not installed';
  const [, keyTag, algorithm, digestType, digest] =
    /DS\s+(\d+)\s+(\d+)\s+(\d+)\s+(\S+)/.exec(readFileSync(join(folder, 'anchor'), 'utf8')) ?? [];
  const anchor = join(folder, 'delv.anchor');
  writeFileSync(anchor, `trust-anchors { . static-ds ${keyTag} ${algorithm} ${digestType} "${digest}"; };\n`);
  // +cd: delv is to find the fault itself, not to hear of it from the resolver.
  const command = `delv @${addresses.resolver} +cd -a ${anchor} +root=. ${zone} SOA 2>&1 || true`;
  return run('sh', ['-c', command], folder)
    .split('\n')
    .filter((line) => line.startsWith(';'))
    .join(' | ');
}

function askZonemaster(zone: string, folder: string): string[] {
  if (findTool('zonemaster-cli') === undefined) return ['not installed'];
  const hints = join(folder, 'hints');
  const options = ['--no-ipv6', '--level', 'NOTICE', '--raw', '--no-time', '--hints', hints, zone];
  const found = run('zonemaster-cli', options, folder)
    .split('\n')
    .flatMap((line) => {
      const [, level, tag] = /(NOTICE|WARNING|ERROR|CRITICAL)\s+([A-Z0-9_]+)/.exec(line) ?? [];
      return level === undefined ? [] : [`${level}:${tag}`];
    });
  return [...new Set(found)];
}
