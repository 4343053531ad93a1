import { failureCodes } from '#shared/catalogue/dns-check/failures';
import type { MailFields, MailMode } from '#shared/catalogue/dns-check/mail/report';
import { type MailCode, type MailPart, mailRules } from '#shared/catalogue/dns-check/mail/rules';
import { scoreMail, scoreParts } from '#shared/catalogue/dns-check/mail/score';
import { allOf, eachOf, notTested, type Verdicts } from '#shared/model/verdict';
import { aliasOf } from '../../../dns/observation.ts';
import { isPublicSuffix, isRegistrable } from '../../../dns/public-suffix.ts';
import { openZone, observationKey } from '../../../dns/zone.ts';
import type { HalfAssessment } from '../halves.ts';
import { readSenders } from '../mail-providers/find.ts';
import { judgeBimi, reportBimi } from './bimi/record.ts';
import { judgeDkim } from './dkim/judge.ts';
import { reportDkim, stateOfDkim } from './dkim/report.ts';
import { choosePolicy } from './dmarc/choose-policy.ts';
import { judgeDmarc } from './dmarc/judge.ts';
import { reportDmarc, stateOfDmarc } from './dmarc/report.ts';
import type { MailEvidence } from './evidence.ts';
import { type MailFacts, readMail } from './facts.ts';
import { judgeMode, namesSenders } from './mode.ts';
import { judgeMx } from './mx/judge.ts';
import { reportMx, stateOfMx } from './mx/report.ts';
import { branchesOf, isMeantClosed } from './spf/grow-tree.ts';
import { judgeSpf } from './spf/judge.ts';
import { reportSpf } from './spf/report.ts';
import { stateOfRecord } from './state-of-record.ts';
import { judgeTransport } from './transport/judge.ts';
import { reportSts, reportTlsRpt, stateOfTransport } from './transport/report.ts';

/** What judging the mail half gives. */
export type MailAssessment = HalfAssessment<MailCode, MailFields> & {
  /** True where mail is to be judged, and nothing of it was seen. */
  readonly isUnseen: boolean;
};

/**
 * Judges what was seen of a domain's mail. Pure: the same evidence always gives the same verdicts.
 * @param isBogus resolvers refuse the whole zone, which is told of the DNS: that look-ups of mail fail too is no further fault
 */
export function assessMail(evidence: MailEvidence, isBogus = false): MailAssessment {
  const observations = new Map(
    evidence.sights.map((observation) => [observationKey(observation), observation]),
  );
  const facts = readMail(openZone(observations), evidence.domain, evidence.selectors);
  const mode = judgeMode(facts);
  const verdicts =
    facts.exists === false || (mode === 'parked' && isPublicSuffix(facts.domain))
      ? allOf(mailRules, 'not-applicable')
      : { ...judge(facts, evidence, mode), ...(isBogus ? toldByDnssec : {}) };
  const fields = show(facts, evidence, mode, verdicts);
  const parts = scoreParts(verdicts, statesOf(facts, fields, mode));
  const { score: mailScore, effects } = scoreMail(verdicts, parts);
  const shown = parts.map((part) => ({ ...part, lost: [...part.lost] }));
  return {
    verdicts,
    fields: { ...fields, mailScore, mailScoreParts: shown },
    score: mailScore,
    scoreEffects: effects,
    isUnseen: mailScore === null && parts.some(({ state }) => state === 'unknown'),
    isPartial: facts.exists !== false && (isPartial(fields) || hasLostBranch(facts)),
  };
}

const { CAA: _, ...mailFailures } = failureCodes;

const toldByDnssec = eachOf(Object.values(mailFailures), notTested('resolvers refuse the zone as bogus'));

function judge(
  facts: MailFacts,
  { policy, mxHosts, bimi: files }: MailEvidence,
  mode: MailMode,
): Verdicts<MailCode> {
  const senders = readSenders(facts.mx);
  const dmarcPolicy = facts.dmarc.applied === 'unknown' ? undefined : choosePolicy(facts.dmarc);
  return {
    ...judgeSpf(facts.spf, {
      mode,
      mxHosts,
      isImplicit: facts.mx.isImplicit === true,
      isCovered: isNameOnly(facts) || isRejectedAbove(facts.dmarc, dmarcPolicy?.effective),
      senders,
    }),
    ...judgeDmarc(facts.dmarc, mode, isClosed(facts)),
    ...judgeDkim(facts.dkim, mode, senders),
    // An alias, such as www, has its target's mail settings, and can have no names below it of its own.
    ...(aliasOf(facts.mx.observation) === null ? {} : { 'dkim-none-possible': 'not-applicable' as const }),
    ...judgeMx(facts.mx, mode, { isNameOnly: isNameOnly(facts), sends: isSender(facts) }),
    ...judgeTransport(facts, policy, mode),
    ...judgeBimi({
      bimi: facts.bimi,
      mode,
      policy: dmarcPolicy,
      isOrganizational: standsAtOrganization(facts.dmarc),
      files,
    }),
  };
}

function isSender({ spf }: MailFacts): boolean | null {
  return spf.observation.outcome === 'unknown' ? null : spf.tree !== null && namesSenders(spf.tree);
}

// A name that only has others below it: no mail comes from it, and none goes there. A domain that somebody has registered is more.
function isNameOnly({ mx, spf, domain }: MailFacts): boolean {
  if (isRegistrable(domain)) return false;
  return [mx.observation, ...mx.addresses, spf.observation].every(({ outcome }) => outcome === 'nodata');
}

function isRejectedAbove(
  { applied, domain }: MailFacts['dmarc'],
  effective: string | null | undefined,
): boolean {
  return typeof applied !== 'string' && applied.domain !== domain && effective === 'reject';
}

// Said by the owner, or plain: no server of the domain's own could send what nobody knows of.
function isClosed({ mx, spf }: MailFacts): boolean {
  return mx.hasNullMx || mx.isImplicit !== true || (spf.tree !== null && isMeantClosed(spf.tree));
}

function standsAtOrganization({ applied, orgDomain }: MailFacts['dmarc']): boolean | null {
  if (orgDomain === null || typeof applied === 'string') return null;
  return applied.domain === orgDomain;
}

function show(
  facts: MailFacts,
  evidence: MailEvidence,
  mode: MailMode,
  verdicts: Verdicts<MailCode>,
): Omit<MailFields, 'mailScore' | 'mailScoreParts'> {
  return {
    mailMode: mode,
    spf: reportSpf(facts.spf, verdicts, evidence),
    dmarc: reportDmarc(facts.dmarc),
    dkim: reportDkim(facts.dkim, mode),
    mtaSts: reportSts(facts, evidence.policy, mode),
    mx: reportMx(facts.mx, facts.resolverValidates),
    tlsRpt: reportTlsRpt(facts, mode),
    bimi: reportBimi(facts.bimi, mode, evidence.bimi),
  };
}

type ShownMail = ReturnType<typeof show>;

// A selector that nobody guessed leaves DKIM unknown, and yet there was nothing more to look at.
function isPartial({ spf, dmarc, mx, mtaSts, tlsRpt, dkim }: ShownMail): boolean {
  const states = [spf, dmarc, mx, mtaSts, tlsRpt].map(({ state }) => state);
  return states.includes('unknown') || (dkim.state === 'unknown' && dkim.subtreeExists === null);
}

// What depends on the message can never be seen; a record that gave no answer may be there next time.
function hasLostBranch({ spf: { tree } }: MailFacts): boolean {
  return tree !== null && branchesOf(tree).some(({ end }) => end === 'unknown');
}

// A domain that does not exist has no mail to be judged; its fields still say what would happen to mail in its name.
function statesOf(
  facts: MailFacts,
  fields: ShownMail,
  mode: MailMode,
): { [P in MailPart]: ShownMail['spf']['state'] } {
  const none = 'not-applicable' as const;
  if (facts.exists === false || (mode === 'parked' && isPublicSuffix(facts.domain)))
    return { dmarc: none, spf: none, dkim: none, mx: none, transport: none, tlsRpt: none };
  const takesMail = mode !== 'parked' && (mode === 'unknown' || facts.mx.hosts.length > 0);
  return {
    dmarc: stateOfDmarc(facts.dmarc),
    spf: fields.spf.state,
    dkim: stateOfDkim(facts.dkim, mode),
    mx: stateOfMx(facts.mx),
    transport: stateOfTransport(facts, fields.mtaSts.state, mode),
    tlsRpt: takesMail ? stateOfRecord(facts.tlsRpt, mode) : none,
  };
}
