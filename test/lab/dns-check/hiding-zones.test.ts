import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { codesBroken, codesOf } from '#shared/model/verdict';
import { checkDomain } from './check-domain.ts';
import { run, skipReason } from './debian-tools.ts';
import { hidingZones } from './hiding-zones.ts';
import { openSignedLab, type SignedLab } from './signed-lab.ts';

// Unbound answers from denials that it has seen (RFC 8198). nsd serves what is in the zone, whatever the chain says.
const reason = skipReason('zones whose denial hides what is there');
const block = 146;
const absence = [
  'mx-none-reachable',
  'dmarc-missing',
  'spf-missing',
  'mx-implicit',
  'dane-missing',
  'mta-sts-missing',
  'tls-rpt-missing',
];
const rows: readonly { zone: string; hides: boolean; missing?: readonly string[]; open?: string }[] = [
  { zone: 'sound.test', hides: false },
  { zone: 'sound3.test', hides: false },
  { zone: 'optout3.test', hides: false },
  { zone: 'wild.test', hides: false },
  { zone: 'wild3.test', hides: false },
  { zone: 'dname.test', hides: false, missing: ['mx-implicit'] },
  {
    zone: 'bare.test',
    hides: false,
    missing: ['spf-missing', 'dmarc-missing', 'mta-sts-missing', 'dane-missing', 'tls-rpt-missing'],
  },
  { zone: 'self.test', hides: true, open: 'mx-none-reachable' },
  { zone: 'dmarc.test', hides: true, open: 'dmarc-missing' },
  { zone: 'host.test', hides: true, open: 'mx-none-reachable' },
  { zone: 'type.test', hides: true, open: 'spf-missing' },
  { zone: 'mx.test', hides: true, open: 'mx-implicit' },
  { zone: 'sts.test', hides: true, open: 'mta-sts-missing' },
  { zone: 'tlsa.test', hides: true, open: 'dane-missing' },
  { zone: 'dmarc3.test', hides: true },
  { zone: 'host3.test', hides: true },
  { zone: 'type3.test', hides: true },
];

// What the resolver has found once it gives again: those whose denials it is to see first have names of their own.
const sets = ['at first', 'seen'] as const;
const zones = Object.fromEntries(
  Object.entries(hidingZones(block)).flatMap(([zone, lab]) => [
    [zone, lab],
    [`seen-${zone}`, lab],
  ]),
);

describe.skipIf(reason !== undefined)('a zone’s denial', () => {
  let lab: SignedLab;
  beforeAll(async () => {
    lab = await openSignedLab(block, zones);
    // Every zone is signed by Debian's tools, which a busy machine starts slowly.
  }, 90_000);
  afterAll(async () => lab?.close());

  // In a zone that nobody has asked yet it is a matter of moments what the resolver denies; the finding is there in any case.
  describe.for(sets)('%s', (when) => {
    test.for(rows)('of $zone', async ({ zone, hides, missing = [], open }) => {
      const name = when === 'seen' ? `seen-${zone}` : zone;
      if (when === 'seen') seeDenials(name, lab);
      const { verdicts } = await checkDomain(name, lab.settings);
      const broken = codesBroken(verdicts);
      expect(broken.includes('dnssec-denial-hides')).toBe(hides);
      expect(broken.filter((code) => absence.includes(code))).toEqual(missing);
      const unseen: readonly string[] = codesOf(verdicts).filter((code) =>
        JSON.stringify(verdicts[code]).includes('its servers have'),
      );
      expect(unseen).toEqual(expect.arrayContaining(open === undefined || when !== 'seen' ? [] : [open]));
    });
  });
});

function seeDenials(zone: string, { addresses, folder }: SignedLab): void {
  const names = [
    '_dmarc-a',
    '_mta-sts-a',
    '_tls-a',
    '_smtp-a._tls',
    'aaaa',
    'mail-a',
    '_25-a._tcp.mail',
    'zz',
  ];
  for (const [name, type] of [...names.map((label) => [`${label}.${zone}`, 'A']), [zone, 'SRV']])
    run('dig', [`@${addresses.resolver}`, '+dnssec', name ?? '', type ?? ''], folder);
}
