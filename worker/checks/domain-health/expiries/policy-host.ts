import { z } from 'zod';
import type { SourceFacts } from '../facts/source.ts';
import type { Lifetime } from './state.ts';

const date = z.iso.datetime();
const dnsFields = z.looseObject({
  mtaSts: z.looseObject({
    policyUrl: z.string(),
    certificate: z.looseObject({ notBefore: date, notAfter: date }),
  }),
});

/** The certificate of the host that has the policy of MTA-STS: without a good one, senders do not read it (RFC 8461 §3.3). */
export function endingOfPolicyHost({ report }: SourceFacts): Lifetime | undefined {
  const { policyUrl, certificate } = dnsFields.safeParse(report).data?.mtaSts ?? {};
  const name = policyUrl === undefined ? undefined : URL.parse(policyUrl)?.hostname;
  if (name === undefined || certificate === undefined) return undefined;
  const [beginsAt, endsAt] = [Date.parse(certificate.notBefore), Date.parse(certificate.notAfter)];
  return { what: 'certificate', name, beginsAt, endsAt };
}
