import { type DnsCheckCode, rules } from '../../../shared/catalogue/dns-check/rules.ts';
import type { Assessment } from '../../../shared/model/report.ts';
import { codesBroken, type Verdicts } from '../../../shared/model/verdict.ts';
import { dnsPart } from './dns/part.ts';
import type { DnsCheckEvidence } from './gather.ts';
import { mailUnknown } from './mail-unknown.ts';
import type { PartAssessment } from './parts.ts';

/** Judges both halves, and joins them: the score is the mean of theirs, of those that have one. */
export function assessDnsCheck(evidence: DnsCheckEvidence): Assessment<DnsCheckCode> {
  const dns = dnsPart.assess(evidence.dns);
  const isThere = dns.fields['exists'] !== false;
  const mail = mailUnknown;
  const verdicts: Verdicts<DnsCheckCode> = { ...dns.verdicts, ...mail.verdicts };
  return {
    state: stateOf(dns, mail),
    verdicts,
    fields: { ...dns.fields, ...(isThere ? mail.fields : notThere(mail.fields)) },
    ...joinScores(verdicts, [dns, mail]),
  };
}

function stateOf(dns: PartAssessment<string>, mail: PartAssessment<string>): Assessment['state'] {
  if (dns.score === null) return 'unreachable';
  return dns.isPartial || mail.isPartial ? 'partial' : 'complete';
}

// Each half is one share of the whole, and so is what a finding takes from it.
function joinScores(
  verdicts: Verdicts<DnsCheckCode>,
  parts: readonly PartAssessment<string>[],
): Pick<Assessment, 'score' | 'scoreEffects'> {
  const scores = parts.flatMap(({ score }) => (score === null ? [] : [score]));
  if (scores.length === 0) return { score: null };
  const effects = Object.fromEntries(
    codesBroken(verdicts).map((code) => {
      const own = parts.find(({ scoreEffects }) => scoreEffects && Object.hasOwn(scoreEffects, code));
      const points = own?.scoreEffects?.[code] ?? -rules[code].points;
      // Adding 0 turns -0 into 0, which JSON would keep apart.
      return [code, points / scores.length + 0];
    }),
  );
  const mean = scores.reduce((sum, one) => sum + one, 0) / scores.length;
  return { score: Math.round(mean), scoreEffects: effects };
}

function notThere(fields: PartAssessment<string>['fields']): PartAssessment<string>['fields'] {
  return Object.fromEntries(
    Object.entries(fields).map(([name, part]) => [
      name,
      typeof part === 'object' && part !== null ? { state: 'not-applicable' } : part,
    ]),
  );
}
