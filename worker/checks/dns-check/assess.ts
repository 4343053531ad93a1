import type { DnsBudget, dnsReportShape } from '#shared/catalogue/dns-check/report';
import type { DnsCheckCode } from '#shared/catalogue/dns-check/rules';
import type { FieldsOf } from '#shared/catalogue/spec';
import type { Assessment } from '#shared/model/report';
import { codesBroken, type Verdicts } from '#shared/model/verdict';
import { assessDns } from './dns/assess.ts';
import { aliasesIn, withoutRecordsBesideAliases } from './fix-beside-alias.ts';
import type { DnsCheckEvidence } from './gather.ts';
import type { HalfAssessment } from './halves.ts';
import { assessMail } from './mail/assess.ts';

/** So many limits are shown; a hostile domain reaches one of each of its name servers. */
const shownLimits = 20;

/** Judges both halves, and joins them: the score is the mean of theirs, of those that have one. */
export function assessDnsCheck(
  evidence: DnsCheckEvidence,
): Assessment<DnsCheckCode, FieldsOf<typeof dnsReportShape>> {
  const dns = assessDns(evidence.dns);
  const mail = assessMail(evidence.mail);
  const aliases = aliasesIn(evidence);
  const verdicts = withoutRecordsBesideAliases({ ...dns.verdicts, ...mail.verdicts }, aliases);
  return {
    state: stateOf(dns, mail),
    verdicts,
    fields: { ...dns.fields, ...mail.fields, budget: reportBudget(evidence) },
    ...joinScores(verdicts, [dns, mail]),
  };
}

/** The field `budget`: what was held back so that nobody is asked too much, and no name looked up that is not public. */
function reportBudget({ heldBack }: DnsCheckEvidence): DnsBudget {
  return {
    exhausted: heldBack !== undefined && heldBack.spent.length > 0,
    limits: [...(heldBack?.spent ?? [])].slice(0, shownLimits),
    namesNotAsked: [...(heldBack?.refused ?? [])],
  };
}

type Assessed = HalfAssessment<string>;

function stateOf(dns: Assessed, mail: Assessed): Assessment['state'] {
  if (dns.score === null) return 'unreachable';
  return dns.isPartial || mail.isPartial ? 'partial' : 'complete';
}

// Each half is one share of the whole, and so is what a finding takes from it.
function joinScores(
  verdicts: Verdicts<DnsCheckCode>,
  parts: readonly Assessed[],
): Pick<Assessment, 'score' | 'scoreEffects'> {
  const scored = parts.flatMap((part) => (part.score === null ? [] : [{ ...part, score: part.score }]));
  if (scored.length === 0) return { score: null };
  const effects = codesBroken(verdicts).map((code) => {
    const part = parts.find((one) => Object.hasOwn(one.verdicts, code));
    const isCounted = part !== undefined && part.score !== null;
    return [code, isCounted ? tenth((part.scoreEffects[code] ?? 0) / scored.length) : 0] as const;
  });
  const mean = scored.reduce((sum, { score }) => sum + score, 0) / scored.length;
  return { score: Math.round(mean), scoreEffects: Object.fromEntries(effects) };
}

// Adding 0 turns -0 into 0, which JSON would print alike and equality would not.
function tenth(points: number): number {
  return Math.round(points * 10) / 10 + 0;
}
