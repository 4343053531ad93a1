import { notTested, type Verdict } from '#shared/model/verdict';
import { brokenBySeen } from '../../verdicts.ts';
import type { DnsFacts } from '../facts.ts';

/** Judges that no name server gives the zone to anybody who asks. A server that closes the connection has refused in its own way. */
export function judgeTransfers({ domain, evidence: { transfers } }: DnsFacts): Verdict {
  if (transfers === undefined) return notTested('zone transfers are not tried here (PROBE_AXFR is off)');
  const open = transfers.flatMap(({ name, address, answer }) =>
    answer.kind === 'open' && answer.records > 0 ? [{ server: name, ip: address, zone: domain }] : [],
  );
  if (transfers.length === 0) return notTested('no name server could be asked for a transfer by TCP');
  const reasons = transfers.flatMap(({ answer }) => (answer.kind === 'failure' ? [answer.reason] : []));
  const [first] = reasons;
  const isUnseen = first !== undefined && reasons.length === transfers.length;
  return brokenBySeen(open, isUnseen ? notTested(first) : undefined);
}
