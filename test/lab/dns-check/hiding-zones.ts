import type { LabZone } from './zones.ts';

const p256 = { algorithm: 'ECDSAP256SHA256' } as const;
const nsec3 = { ...p256, nsec3Iterations: 0 } as const;

/** Zones whose denial says other things than their servers have, and sound ones of which the same could be thought. */
export function hidingZones(block: number): { readonly [name: string]: LabZone } {
  const head = `$TTL 3600\n@ SOA ns1 hostmaster 1 14400 3600 1209600 3600\n@ NS ns1\n@ NS ns2\nns1 A 127.${block}.1.1\nns2 A 127.${block}.2.1\n`;
  const text = '@ TXT "v=spf1 mx -all"\n';
  const mx = '@ MX 10 mail\n';
  const host = 'mail A 192.0.2.25\n';
  const web = '@ A 192.0.2.80\nwww A 192.0.2.80\n';
  const dmarc = '_dmarc TXT "v=DMARC1; p=reject; rua=mailto:reports@good.test"\n';
  const tlsa = `_25._tcp.mail TLSA 3 1 1 ${'ab'.repeat(32)}\n`;
  const sts = '_mta-sts TXT "v=STSv1; id=1"\n';
  const tls = '_smtp._tls TXT "v=TLSRPTv1; rua=mailto:reports@good.test"\n';
  const all = `${head}${web}${mx}${host}${text}${dmarc}${tlsa}${sts}${tls}`;
  const without = (...parts: readonly string[]) => parts.reduce((left, part) => left.replace(part, ''), all);
  const hides = (chain: string, signing: LabZone['signing'] = p256): LabZone => ({
    text: all,
    chain,
    signing,
  });
  return {
    'sound.test': { text: all, signing: p256 },
    'sound3.test': { text: all, signing: nsec3 },
    'optout3.test': { text: all, signing: { ...nsec3, optOut: true } },
    'bare.test': { text: `${head}${web}${mx}${host}`, signing: p256 },
    'wild.test': {
      text: `${without(dmarc)}* TXT "v=DMARC1; p=reject; rua=mailto:reports@good.test"\n`,
      signing: p256,
    },
    'wild3.test': {
      text: `${without(dmarc)}* TXT "v=DMARC1; p=reject; rua=mailto:reports@good.test"\n`,
      signing: nsec3,
    },
    // Below a DNAME there is nothing of the zone's own.
    'dname.test': {
      text: `$TTL 3600\n@ SOA ns1.sound.test. hostmaster.sound.test. 1 14400 3600 1209600 3600\n@ NS ns1.sound.test.\n@ NS ns2.sound.test.\n@ A 192.0.2.80\n@ TXT "v=spf1 -all"\n@ DNAME sound.test.\n`,
      signing: p256,
      delegation: '$ NS ns1.sound.test.\n$ NS ns2.sound.test.\n',
    },
    'self.test': hides(
      '$TTL 3600\n@ SOA ns1 hostmaster 1 14400 3600 1209600 3600\n@ NS ns1\n@ NS ns2\n@ A 192.0.2.80\n@ MX 10 mail\n@ TXT "v=spf1 mx -all"\n',
    ),
    'dmarc.test': hides(without(dmarc)),
    'host.test': hides(without(host, tlsa)),
    'type.test': hides(without(text)),
    'mx.test': hides(without(mx)),
    'sts.test': hides(without(sts, tls)),
    'tlsa.test': hides(without(tlsa)),
    'dmarc3.test': hides(without(dmarc), nsec3),
    'host3.test': hides(without(host, tlsa), nsec3),
    'type3.test': hides(without(text), nsec3),
  };
}
