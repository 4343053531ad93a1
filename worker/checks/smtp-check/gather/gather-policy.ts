import { textsOf } from '../../../dns/observation.ts';
import { fetchPolicy } from '../../../mail/fetch-policy.ts';
import { hasVersion } from '../../../mail/parse-versioned.ts';
import type { HttpProbe } from '../../../probes/http/port.ts';
import type { SmtpEvidence } from '../evidence.ts';
import type { AskSigned } from './gather-hosts.ts';

/** Sees whether the domain has an MTA-STS policy, and which (RFC 8461 §3). */
export async function gatherPolicy(
  ask: AskSigned,
  http: HttpProbe,
  domain: string,
): Promise<SmtpEvidence['sts']> {
  const record = await ask(`_mta-sts.${domain}`, 'TXT');
  const texts = textsOf(record).filter(({ text }) => hasVersion(text, 'STSv1'));
  if (texts.length !== 1) return { record, policy: null };
  return { record, policy: await fetchPolicy(http, `https://mta-sts.${domain}/.well-known/mta-sts.txt`) };
}
