import type { MailFields, MailMode } from '#shared/catalogue/dns-check/mail/report';
import type { PartState } from '#shared/catalogue/dns-check/part-state';
import { clip } from '../../../../mail/fault.ts';
import type { PolicyObservation } from '../../../../mail/fetch-policy.ts';
import { stateOfRecord } from '../state-of-record.ts';
import type { TransportFacts } from './facts.ts';
import { daneState } from './judge-dane.ts';
import { isUnheard, readServed, refusedHosts } from './judge-sts.ts';

/** The field `mtaSts` of the report. */
export function reportSts(
  { sts, mx }: TransportFacts,
  file: PolicyObservation | null,
  mode: MailMode,
): MailFields['mtaSts'] {
  const served = readServed(file);
  return {
    state: stateOfSts(sts, file, mode),
    record: sts.texts[0] === undefined ? null : clip(sts.texts[0], 500),
    id: sts.value?.id ?? null,
    policy: served && { ...served, mx: [...served.mx] },
    policyUrl: sts.policyUrl,
    ...(file?.kind === 'response' && file.certificate ? { certificate: file.certificate } : {}),
    mxMatch:
      served === null || mx.observation.outcome === 'unknown' ? null : refusedHosts(served, mx).length === 0,
  };
}

function stateOfSts(sts: TransportFacts['sts'], file: PolicyObservation | null, mode: MailMode): PartState {
  const state = stateOfRecord(sts, mode);
  if (state !== 'ok') return state;
  if (file === null || isUnheard(file)) return 'unknown';
  return readServed(file) !== null && file.kind === 'response' && file.certificateError === null
    ? 'ok'
    : 'invalid';
}

/**
 * The state of MTA-STS and DANE together: either counts for both.
 * @param sts the state of MTA-STS alone
 */
export function stateOfTransport(facts: TransportFacts, sts: PartState, mode: MailMode): PartState {
  if (mode === 'parked' || (mode === 'mail' && facts.mx.hosts.length === 0)) return 'not-applicable';
  const dane = daneState(facts);
  if (dane === 'ok') return 'ok';
  return sts === 'missing' && dane === 'unknown' ? 'unknown' : sts;
}

/** So many addresses are shown. */
const uriLimit = 50;

/** The field `tlsRpt` of the report. */
export function reportTlsRpt(
  { tlsRpt }: Pick<TransportFacts, 'tlsRpt'>,
  mode: MailMode,
): MailFields['tlsRpt'] {
  return {
    state: stateOfRecord(tlsRpt, mode),
    record: tlsRpt.texts[0] === undefined ? null : clip(tlsRpt.texts[0], 500),
    rua: (tlsRpt.value?.rua ?? []).slice(0, uriLimit).map((uri) => clip(uri)),
  };
}
