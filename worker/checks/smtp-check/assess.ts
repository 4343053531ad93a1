import type { smtpReportShape } from '#shared/catalogue/smtp-check/report';
import { rules, type SmtpCode } from '#shared/catalogue/smtp-check/rules';
import type { FieldsOf } from '#shared/catalogue/spec';
import type { Assessment } from '#shared/model/report';
import { score } from '#shared/model/score';
import { allOf, type BlindSpot, notTested, type Verdicts, withBlindSpots } from '#shared/model/verdict';
import { mailServers } from '../../fixes/servers.ts';
import { offerStarttls, setTls, type WantOfRule } from '../../fixes/want.ts';
import { withFixes } from '../../fixes/with-fixes.ts';
import type { SmtpEvidence } from './evidence.ts';
import { type HostFacts, readFacts, type SmtpFacts } from './facts/facts.ts';
import { judgeConnection } from './judge/connection.ts';
import { judgeEncryption } from './judge/encryption.ts';
import { judgeProof } from './judge/proof.ts';
import { reportSmtp } from './report.ts';

/** Judges what was seen of the mail hosts of a domain. Pure: the same evidence always gives the same report. */
export function assessSmtp(evidence: SmtpEvidence): Assessment<SmtpCode, FieldsOf<typeof smtpReportShape>> {
  const facts = readFacts(evidence);
  const verdicts = judge(facts);
  const isSeen = facts.hosts.some(isKnown);
  return {
    state: stateOf(facts, isSeen),
    verdicts: withFixes(withBlindSpots(verdicts, blindSpotsOf(evidence)), {
      rules,
      wants,
      servers: mailServers,
    }),
    fields: reportSmtp(facts),
    // A domain without mail has nothing to encrypt, and hosts that did not talk to us, or put STARTTLS off, say nothing of it.
    score: isSeen ? score(rules, verdicts) : null,
  };
}

/** A host that did not talk to us: what it would have said of itself is open. */
function blindSpotsOf({ hosts }: SmtpEvidence): readonly BlindSpot<SmtpCode>[] {
  const isMute = ({ failure, addresses }: SmtpEvidence['hosts'][number]) =>
    failure !== null || addresses.every(({ first }) => first.kind === 'failure');
  return [
    {
      why: hosts.some(isMute) ? 'a mail host could not be talked to' : undefined,
      codes: [
        'mail-host-address-unreachable',
        'mail-hosts-differ',
        'dane-certificate-mismatch',
        'dane-starttls-missing',
      ],
    },
  ];
}

const wants: { readonly [C in SmtpCode]?: WantOfRule } = {
  'starttls-missing': offerStarttls,
  'smtp-tls12-missing': setTls('protocols'),
  'smtp-tls-old-versions': setTls('protocols'),
  'smtp-suites-weak': setTls('suites'),
};

/** True where it was seen of an address whether mail can be sent there encrypted. */
function isKnown({ addresses }: HostFacts): boolean {
  return addresses.some(
    ({ answer, startTls }) => answer.state === 'ok' && (startTls.connection !== null || startTls.isHopeless),
  );
}

function judge(facts: SmtpFacts): Verdicts<SmtpCode> {
  const { evidence, hosts } = facts;
  if (evidence.mx.outcome === 'unknown')
    return allOf(rules, notTested(`the MX records could not be read: ${evidence.mx.why}`));
  return { ...judgeConnection(hosts), ...judgeEncryption(hosts), ...judgeProof(facts) };
}

function stateOf({ evidence, hosts }: SmtpFacts, isSeen: boolean): Assessment['state'] {
  if (hosts.length === 0) return evidence.mx.outcome === 'unknown' ? 'unreachable' : 'complete';
  if (!isSeen)
    return hosts.some(({ addresses }) => addresses.some(({ answer }) => answer.state === 'ok'))
      ? 'partial'
      : 'unreachable';
  return hosts.every(isKnown) ? 'complete' : 'partial';
}
