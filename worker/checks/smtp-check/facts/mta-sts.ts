import type { StsMode, StsState } from '#shared/catalogue/smtp-check/report';
import { textsOf } from '../../../dns/observation.ts';
import { allowsMx, parseStsPolicy, type StsPolicy } from '../../../mail/parse-sts-policy.ts';
import { parseStsRecord } from '../../../mail/parse-sts-record.ts';
import { hasVersion } from '../../../mail/parse-versioned.ts';
import type { SmtpEvidence } from '../evidence.ts';
import type { StartTls } from './start-tls.ts';

/** The policy that senders have of a domain; null where there is none that they may use. */
export type Sts = {
  readonly mode: StsMode;
  readonly policy: StsPolicy | null;
  readonly reason: string | null;
};

/** Reads record and policy. What is wrong with either is dns-check's to tell: without both senders have no policy (RFC 8461 §3). */
export function readSts({ record, policy }: SmtpEvidence['sts']): Sts {
  if (record.outcome === 'unknown')
    return { mode: 'unknown', policy: null, reason: `${record.name} could not be read: ${record.why}` };
  const texts = textsOf(record)
    .map(({ text }) => text)
    .filter((text) => hasVersion(text, 'STSv1'));
  const isPublished = texts.length === 1 && !('faults' in parseStsRecord(texts[0] ?? ''));
  if (!isPublished || policy === null) return { mode: 'none', policy: null, reason: null };
  // Senders that know an older policy go on with it; which one that is, nobody can see.
  if (policy.kind === 'failure')
    return { mode: 'unknown', policy: null, reason: `the policy could not be fetched: ${policy.reason}` };
  if (policy.status !== 200 || policy.isCut || policy.certificateError !== null)
    return { mode: 'unknown', policy: null, reason: 'the policy could not be fetched as senders want it' };
  const parsed = parseStsPolicy(policy.text);
  return 'mode' in parsed
    ? { mode: parsed.mode, policy: parsed, reason: null }
    : { mode: 'unknown', policy: null, reason: 'the policy breaks its grammar' };
}

/** What the policy says of an address. */
export type StsVerdict = {
  readonly state: StsState;
  readonly reason: string | null;
  /** The policy does not name the host, which dns-check tells. */
  readonly isForeign?: true;
};

/** Holds an address against the policy (RFC 8461 §4.1). @param untrusted why its certificate is not trusted for the host, a clause */
export function holdSts(
  { mode, policy, reason }: Sts,
  host: string,
  tls: StartTls,
  untrusted: string | null,
): StsVerdict {
  if (mode === 'unknown') return { state: 'unknown', reason };
  if (policy === null || mode === 'none') return { state: 'not-applicable', reason: null };
  if (!allowsMx(policy, host))
    return { state: 'mismatch', reason: 'the policy does not name this host', isForeign: true };
  if (tls.isHopeless) return { state: 'mismatch', reason: tls.reason };
  if (tls.state !== 'ok') return { state: 'unknown', reason: tls.reason };
  return untrusted === null ? { state: 'ok', reason: null } : { state: 'mismatch', reason: untrusted };
}
