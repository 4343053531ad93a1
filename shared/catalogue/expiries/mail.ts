import { z } from 'zod';
import type { Report } from '../../model/report.ts';
import { siteOf } from '../../targets/parse-target.ts';
import type { Lifetime } from './lifetime.ts';

const date = z.iso.datetime();
const certificate = z.looseObject({ notBefore: date, notAfter: date });
const smtpFields = z.looseObject({
  hosts: z.array(
    z.looseObject({
      host: z.string(),
      addresses: z.array(z.looseObject({ certificates: z.array(certificate) })),
    }),
  ),
});

/** The certificates that the domain's own mail hosts sent. Those of a provider's hosts are renewed by the provider, and tell nobody else anything to do. */
export function endingsOfMailHosts(domain: string, report: Report): readonly Lifetime[] {
  const hosts = smtpFields.safeParse(report).data?.hosts ?? [];
  const own = hosts.filter(({ host }) => siteOf(host) === siteOf(domain));
  const endings = own.flatMap(({ host, addresses }) =>
    addresses.flatMap(({ certificates: [leaf] }) => (leaf ? [endingOfCertificate(host, leaf)] : [])),
  );
  // The addresses of a host usually send the same one.
  return [...new Map(endings.map((ending) => [`${ending.name} ${ending.endsAt}`, ending])).values()];
}

function endingOfCertificate(name: string, { notBefore, notAfter }: z.infer<typeof certificate>): Lifetime {
  return { what: 'certificate', name, beginsAt: Date.parse(notBefore), endsAt: Date.parse(notAfter) };
}

const dnsFields = z.looseObject({ mtaSts: z.looseObject({ policyUrl: z.string(), certificate }) });

/** The certificate of the host that has the policy of MTA-STS: without a good one, senders do not read it (RFC 8461 §3.3). */
export function endingOfPolicyHost(report: Report): Lifetime | undefined {
  const { policyUrl, certificate: sent } = dnsFields.safeParse(report).data?.mtaSts ?? {};
  const name = policyUrl === undefined ? undefined : URL.parse(policyUrl)?.hostname;
  return name === undefined || sent === undefined ? undefined : endingOfCertificate(name, sent);
}
