import { mailRules } from '#shared/catalogue/dns-check/mail/rules';
import { capScore } from '#shared/catalogue/dns-check/points';
import type { DnsBudget, dnsReportShape } from '#shared/catalogue/dns-check/report';
import { bogusCodes, type DnsCheckCode, rules } from '#shared/catalogue/dns-check/rules';
import type { FieldsOf } from '#shared/catalogue/spec';
import type { Assessment } from '#shared/model/report';
import { allOf, codesBroken, notTested, type Verdicts, withBlindSpots } from '#shared/model/verdict';
import { blindSpotsOf } from './blind-spots.ts';
import { assessDns, type DnsAssessment } from './dns/assess.ts';
import { findHidden } from './dns/dnssec/find-hidden.ts';
import { aliasesIn, withoutRecordsBesideAliases } from './fix-beside-alias.ts';
import { explainFromHere } from './from-here.ts';
import type { DnsCheckEvidence } from './gather.ts';
import type { HalfAssessment } from './halves.ts';
import { assessMail, type MailAssessment } from './mail/assess.ts';
import { withZone } from './with-zone.ts';
import { withoutDenied } from './without-denied.ts';

/** So many limits are shown; a hostile domain reaches one of each of its name servers. */
const shownLimits = 20;

/** Judges both halves, and joins them: the score is the mean of theirs. Without the zone nothing has a score; a dead one has that of the DNS half. */
export function assessDnsCheck(
  gathered: DnsCheckEvidence,
): Assessment<DnsCheckCode, FieldsOf<typeof dnsReportShape>> {
  const hidden = findHidden(gathered.dns);
  const evidence = withoutDenied(gathered, hidden);
  const dns = assessDns(evidence.dns, hidden);
  const mail = mailBehind(dns, assessMail(evidence.mail, hasBogus(dns)));
  const aliases = aliasesIn(evidence);
  const judged = withoutRecordsBesideAliases({ ...dns.verdicts, ...mail.verdicts }, aliases);
  const verdicts = explainFromHere(judged, evidence.dns);
  return {
    state: stateOf(dns, mail),
    verdicts: withZone(withBlindSpots(verdicts, blindSpotsOf(gathered, verdicts)), dns.fields.ns),
    fields: { ...dns.fields, ...mail.fields, budget: reportBudget(evidence) },
    ...joinScores(verdicts, dns, mail),
  };
}

// What mail looks like in a zone that was not seen is a guess; in one that is dead it is one more word for the same fault.
function mailBehind({ standing }: DnsAssessment, mail: MailAssessment): MailAssessment {
  if (standing === 'seen') return mail;
  const mailScoreParts = mail.fields.mailScoreParts.map((part) => ({ ...part, score: null, lost: [] }));
  const fields = { ...mail.fields, mailScore: null, mailScoreParts };
  const verdicts = standing === 'dead' ? allOf(mailRules, behindDead) : mail.verdicts;
  return { ...mail, verdicts, fields, score: null, scoreEffects: {} };
}

const behindDead = notTested('no name server answers for the domain');

/** The field `budget`: what was held back so that nobody is asked too much, and no name looked up that is not public. */
function reportBudget({ heldBack }: DnsCheckEvidence): DnsBudget {
  return {
    exhausted: heldBack !== undefined && heldBack.spent.length > 0,
    limits: [...(heldBack?.spent ?? [])].slice(0, shownLimits),
    namesNotAsked: [...(heldBack?.refused ?? [])],
  };
}

function stateOf(dns: DnsAssessment, mail: MailAssessment): Assessment['state'] {
  if (dns.standing === 'dead') return 'complete';
  if (dns.standing === 'unseen') return 'unreachable';
  return dns.isPartial || mail.isPartial ? 'partial' : 'complete';
}

// Each half is one share of the whole, and so is what a finding takes from it. A half that was not seen leaves the whole without a score, but
// where the other one alone decides the letter.
function joinScores(
  verdicts: Verdicts<DnsCheckCode>,
  dns: DnsAssessment,
  mail: MailAssessment,
): Pick<Assessment, 'score' | 'scoreEffects'> {
  const isDecided = dns.standing === 'dead' || !mail.isUnseen || hasCritical(dns.verdicts);
  const parts: readonly HalfAssessment<string>[] = [dns, mail];
  const scored = isDecided
    ? parts.flatMap((part) => (part.score === null ? [] : [{ ...part, score: part.score }]))
    : [];
  if (scored.length === 0) return { score: null };
  const effects = codesBroken(verdicts).map((code) => {
    const part = parts.find((one) => Object.hasOwn(one.verdicts, code));
    const isCounted = part !== undefined && part.score !== null;
    return [code, isCounted ? tenth((part.scoreEffects[code] ?? 0) / scored.length) : 0] as const;
  });
  const mean = Math.round(scored.reduce((sum, { score }) => sum + score, 0) / scored.length);
  const capped = capScore(mean, codesBroken(verdicts), Object.fromEntries(effects));
  return { score: capped.score, scoreEffects: capped.effects };
}

function hasBogus({ verdicts }: DnsAssessment): boolean {
  return codesBroken(verdicts).some((code) => bogusCodes.includes(code));
}

function hasCritical(verdicts: DnsAssessment['verdicts']): boolean {
  return codesBroken(verdicts).some((code) => rules[code].severity === 'critical');
}

// Adding 0 turns -0 into 0, which JSON would print alike and equality would not.
function tenth(points: number): number {
  return Math.round(points * 10) / 10 + 0;
}
