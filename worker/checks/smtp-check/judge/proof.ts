import type { SmtpCode } from '#shared/catalogue/smtp-check/rules';
import { notTested, type Verdict, type Verdicts } from '#shared/model/verdict';
import type { AddressFacts, HostFacts, SmtpFacts } from '../facts/facts.ts';
import { type Finding, foundIf, judgeEach, unseen } from './each.ts';

type ProofCode = Extract<SmtpCode, `dane-${string}` | `mta-sts-${string}`>;

/** Judges whether senders that check whom they deliver to would deliver. */
export function judgeProof({ hosts, sts }: SmtpFacts): Verdicts<ProofCode> {
  const bound = new Map(
    hosts.flatMap((host) => host.addresses.map((one) => [one, host.records.kind] as const)),
  );
  const ifMode = (mode: 'enforce' | 'testing'): Verdict => {
    if (sts.mode === 'unknown') return notTested(sts.reason ?? 'the policy is not known');
    return sts.mode === mode ? judgeEach(hosts, testPolicy) : 'not-applicable';
  };
  return {
    'dane-certificate-mismatch': judgeDane(hosts, testMatch),
    'dane-starttls-missing': judgeDane(hosts, (one) => testEncrypted(one, bound.get(one) === 'records')),
    'mta-sts-host-refused': ifMode('enforce'),
    'mta-sts-host-refused-testing': ifMode('testing'),
  };
}

/** Hosts without records need not be seen to tell that DANE does not concern them. */
function judgeDane(hosts: readonly HostFacts[], test: (one: AddressFacts) => Finding): Verdict {
  const isBound = ({ records: { kind } }: HostFacts) => kind === 'records' || kind === 'unknown';
  return judgeEach(hosts.filter(isBound), test);
}

function testMatch(one: AddressFacts): Finding {
  const { state, reason } = one.dane;
  if (state === 'unknown') return unseen(reason ?? one.startTls.reason);
  if (state === 'unusable' || one.startTls.isHopeless) return 'not-applicable';
  return foundIf(state === 'mismatch', one, { reason });
}

/** Also records that senders cannot use oblige them to encrypt (RFC 7672 §2.2). */
function testEncrypted(one: AddressFacts, isBound: boolean): Finding {
  const { state, reason, isHopeless } = one.startTls;
  if (!isBound) return unseen(one.dane.reason);
  if (state === 'ok') return 'holds';
  return isHopeless ? foundIf(true, one, { reason }) : unseen(reason);
}

function testPolicy(one: AddressFacts): Finding {
  const { state, reason, isForeign } = one.sts;
  if (isForeign || state === 'not-applicable') return 'not-applicable';
  return state === 'unknown' ? unseen(reason) : foundIf(state === 'mismatch', one, { reason });
}
