import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { codesBroken } from '#shared/model/verdict';
import { checkDomain } from './check-domain.ts';
import { findTool, run, skipReason } from './debian-tools.ts';
import { openSignedLab, type SignedLab } from './signed-lab.ts';
import { zoneNames } from './zones.ts';

const reason = skipReason('the peers of dns-check', ['delv', 'zonemaster-cli']);

// What delv ends with, told to find the fault itself and not to hear of it from the resolver.
const delvEnds: { readonly [status: string]: string } = {
  secure: '; fully validated',
  insecure: '; unsigned answer',
  bogus: ';; resolution failed: broken trust chain',
};

// The fault that each zone was made with, as Zonemaster calls it and as we do. Left out: "silent" and "glue", for which it takes
// ten seconds each, and "nsec3" and "ending", of which it says nothing.
const faults: readonly { zone: string; theirs: string; ours: string }[] = [
  { zone: 'short.test', theirs: 'DNSKEY_SMALLER_THAN_REC', ours: 'dnssec-key-short' },
  { zone: 'sha1.test', theirs: 'ALGORITHM_NOT_RECOMMENDED', ours: 'dnssec-algorithm-weak' },
  { zone: 'noproof.test', theirs: 'DS10_MISSING_NSEC_NSEC3', ours: 'dnssec-denial-invalid' },
  { zone: 'unsignedproof.test', theirs: 'DS10_NSEC_MISSING_SIGNATURE', ours: 'dnssec-denial-invalid' },
  { zone: 'noproof3.test', theirs: 'DS10_MISSING_NSEC_NSEC3', ours: 'dnssec-denial-invalid' },
  { zone: 'oneproof.test', theirs: 'DS10_MISSING_NSEC_NSEC3', ours: 'dnssec-server-denial-invalid' },
  { zone: 'plain.test', theirs: 'NOT_SIGNED', ours: 'dnssec-unsigned' },
  { zone: 'island.test', theirs: 'DNSKEY_BUT_NOT_DS', ours: 'dnssec-ds-missing' },
  { zone: 'wrongds.test', theirs: 'DS02_NO_VALID_DNSKEY_FOR_ANY_DS', ours: 'dnssec-ds-without-key' },
  { zone: 'expired.test', theirs: 'RRSIG_EXPIRED', ours: 'dnssec-signature-invalid' },
  { zone: 'lame.test', theirs: 'NS_FAILED', ours: 'ns-lame' },
  { zone: 'serial.test', theirs: 'MULTIPLE_SOA_SERIALS', ours: 'soa-serial-mismatch' },
  { zone: 'differs.test', theirs: 'EXTRA_NAME_CHILD', ours: 'ns-parent-child-mismatch' },
  { zone: 'single.test', theirs: 'NOT_ENOUGH_NS_DEL', ours: 'ns-single' },
  { zone: 'unheard.test', theirs: 'RNAME_MAIL_DOMAIN_INVALID', ours: 'soa-rname-no-mail' },
];

// delv looks at the SOA, which is there and signed; what these zones cannot prove is what they do not have.
const unproven = ['noproof.test', 'noproof3.test', 'unsignedproof.test'];

describe.skipIf(reason !== undefined)('the lab as its peers see it', () => {
  let lab: SignedLab;
  beforeAll(async () => {
    lab = await openSignedLab(54);
    // Every zone is signed by Debian's tools, which a busy machine starts slowly.
  }, 90_000);
  afterAll(async () => lab?.close());

  test.for(zoneNames.filter((zone) => !unproven.includes(zone)))('delv and we agree on %s', async (zone) => {
    const { fields } = await checkDomain(zone, lab.settings);
    const { status } = fields['dnssec'] as { status: string };
    expect(askDelv(zone, lab)).toBe(delvEnds[status]);
  });

  test.for(faults)('$zone: $theirs is $ours', async ({ zone, theirs, ours }) => {
    const start = performance.now();
    const { verdicts } = await checkDomain(zone, lab.settings);
    const ownMs = performance.now() - start;
    const tags = askZonemaster(zone, lab.folder);
    const zonemasterMs = performance.now() - start - ownMs;
    console.log(
      `${zone}: ${ownMs.toFixed(0)} ms, Zonemaster ${zonemasterMs.toFixed(0)} ms: ${tags.join(' ')}`,
    );
    expect(tags).toContain(theirs);
    expect(codesBroken(verdicts)).toContain(ours);
  });
});

function askDelv(zone: string, { folder, addresses }: SignedLab): string {
  const [, keyTag, algorithm, digestType, digest] =
    /DS\s+(\d+)\s+(\d+)\s+(\d+)\s+(\S+)/.exec(readFileSync(join(folder, 'anchor'), 'utf8')) ?? [];
  const anchor = join(folder, 'delv.anchor');
  writeFileSync(anchor, `trust-anchors { . static-ds ${keyTag} ${algorithm} ${digestType} "${digest}"; };\n`);
  const command = `${findTool('delv')} @${addresses.resolver} +cd -a ${anchor} +root=. ${zone} SOA 2>&1 || true`;
  const lines = run('sh', ['-c', command], folder).split('\n');
  return lines.findLast((line) => line.startsWith(';')) ?? '';
}

function askZonemaster(zone: string, folder: string): string[] {
  const hints = join(folder, 'hints');
  const options = ['--no-ipv6', '--level', 'NOTICE', '--raw', '--no-time', '--hints', hints, zone];
  const lines = run('zonemaster-cli', options, folder).split('\n');
  const tags = lines.flatMap(
    (line) => /(?:NOTICE|WARNING|ERROR|CRITICAL)\s+([A-Z0-9_]+)/.exec(line)?.[1] ?? [],
  );
  return [...new Set(tags)];
}
