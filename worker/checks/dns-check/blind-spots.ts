import { type DnsCheckCode, rules } from '#shared/catalogue/dns-check/rules';
import { type BlindSpot, isBroken, type Verdicts } from '#shared/model/verdict';
import type { DnsAnswer } from '../../probes/dns/port.ts';
import type { DnsCheckEvidence } from './gather.ts';

/** What each server is asked by itself: one that is silent may have what another has not. */
const ofEachServer: readonly DnsCheckCode[] = [
  'ns-lame',
  'ns-upward-referral',
  'ns-type-failed',
  'ns-tcp-missing',
  'ns-edns-broken',
  'ns-edns-option-broken',
  'ns-edns-version-broken',
  'ns-letter-case-broken',
  'ns-open-recursion',
  'ns-inconsistent',
  'mx-inconsistent-servers',
  'spf-inconsistent-servers',
  'soa-serial-mismatch',
  'soa-fields-mismatch',
  'dnssec-keys-inconsistent',
  'dnssec-cds-inconsistent',
  'dnssec-server-signature-invalid',
  'dnssec-server-denial-invalid',
  'ns-address-not-public',
];
const ofApex: readonly DnsCheckCode[] = [
  'ttl-low',
  'ttl-high',
  'spf-inconsistent-servers',
  'dnssec-cds-inconsistent',
  'ns-address-not-public',
];
const ofServerAddresses: readonly DnsCheckCode[] = [
  'ns-address-not-public',
  'ns-same-address',
  'ns-same-prefix',
  'ns-same-as',
  'ns-glue-incomplete',
  'ns-glue-mismatch',
  'spf-inconsistent-servers',
];

/** Rules about what stands at such names, by what the name or its type is. */
type Names = {
  readonly isMeant: (name: string, type: string) => boolean;
  readonly codes: readonly DnsCheckCode[];
};

/** What of a domain could not be looked at, and the rules that would speak of it. */
export function blindSpotsOf(
  { dns, mail }: DnsCheckEvidence,
  verdicts: Verdicts<DnsCheckCode>,
): readonly BlindSpot<DnsCheckCode>[] {
  const unknown = mail.sights.filter(({ outcome }) => outcome === 'unknown');
  const ofMail = names(mail.domain).map(({ isMeant, codes }) => ({
    why: unknown.find(({ name, type }) => isMeant(name, type))?.why,
    codes,
  }));
  const apex = Object.values(dns.apex).find(isLost);
  const hosts = dns.hosts.flatMap(({ A, AAAA }) => [A, AAAA]).find(isLost);
  // Servers that the parent alone names are not known then.
  const isUnasked = dns.referrals.length > 0 && dns.referrals.every(isLost);
  const isSilent = isBroken(verdicts['ns-silent']);
  return [
    ...ofMail,
    { why: isSilent ? 'a name server gave no answer' : undefined, codes: ofEachServer },
    { why: whyOf(hosts), codes: ofServerAddresses },
    {
      why: whyOf(apex),
      codes: ofApex,
    },
    { why: isUnasked ? whyOf(dns.referrals[0]) : undefined, codes: ['ns-single'] },
  ];
}

function isLost(answer: DnsAnswer): boolean {
  return answer.kind === 'failure' && answer.code === 'timeout';
}

function whyOf(answer: DnsAnswer | undefined): string | undefined {
  return answer?.kind === 'failure' ? answer.reason : undefined;
}

const codesOf = (all: readonly DnsCheckCode[], ...starts: readonly string[]) =>
  all.filter((code) => starts.some((start) => code.startsWith(start)));

function names(domain: string): readonly Names[] {
  const all = Object.keys(rules) as DnsCheckCode[];
  const isAddress = (type: string) => type === 'A' || type === 'AAAA';
  return [
    { isMeant: (name) => name.includes('._domainkey.'), codes: codesOf(all, 'dkim-') },
    { isMeant: (name) => name.startsWith('_mta-sts.'), codes: codesOf(all, 'mta-sts-') },
    {
      isMeant: (name, type) => isAddress(type) || name.startsWith('_25._tcp.'),
      codes: ['ptr-missing', 'ptr-not-confirmed', 'dane-without-dnssec', 'spf-name-missing'],
    },
    // Whether a domain takes mail decides what it is measured by.
    {
      isMeant: (name, type) => (name === domain && type === 'MX') || name.startsWith('_dmarc.'),
      codes: ['spf-missing', 'spf-missing-parked', 'spf-not-closed', 'dmarc-parked-not-reject'],
    },
    { isMeant: (name) => name === domain, codes: ['spf-inconsistent-servers'] },
    {
      isMeant: (name) => name === domain || name.endsWith(`.${domain}`),
      codes: ['dnssec-denial-hides'],
    },
  ];
}
