import { capScore, type Loss, shareOut } from './points.ts';
import { type DnsCode, dnsRules } from './rules.ts';

/** The score of the DNS half, and what each broken rule takes from 100. @param broken codes of this half */
export function scoreDnsHalf(broken: readonly DnsCode[]): ReturnType<typeof capScore> {
  const losses = lossesOf(broken);
  const lost = losses.reduce((sum, { points }) => sum + points, 0);
  const taken = Object.fromEntries(losses.map(({ code, points }) => [code, -points]));
  return capScore(Math.max(0, Math.round(100 - lost)), broken, taken);
}

// What makes a zone bogus and that it is bogus are one fault: it is counted once.
const causesOfBogus: readonly DnsCode[] = [
  'dnssec-ds-without-key',
  'dnssec-signature-invalid',
  'dnssec-denial-invalid',
];

function lossesOf(broken: readonly DnsCode[]): readonly Loss[] {
  const isBogus = broken.includes('dnssec-bogus');
  const losses = broken.map((code) => {
    const isCounted = !(isBogus && causesOfBogus.includes(code));
    return { code, points: isCounted ? dnsRules[code].points : 0 };
  });
  return shareOut(losses, 100);
}
