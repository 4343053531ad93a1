import { z } from 'zod';
import type { Expiry } from '#shared/catalogue/domain-health/report';
import { isMalformed } from '#shared/model/verdict';
import { siteOf } from '#shared/targets/parse-target';
import { parseExpires } from '../../../web/parse-expires.ts';
import type { HealthFacts } from '../facts/health.ts';
import type { SourceFacts } from '../facts/source.ts';
import { endingsOfCertificates } from './certificates.ts';
import { endingOfRegistration } from './registration.ts';
import { endingOfSignatures } from './signatures.ts';
import { type Lifetime, showEnding } from './state.ts';

/** Of one site there are a handful. */
const mostShown = 100;

type ExpiryFacts = Pick<HealthFacts, 'domain' | 'registration' | 'ssl' | 'dns' | 'headers' | 'smtp'>;

/** Everything that the sources saw to end at some time, the earliest first. @param at when the report was checked, Unix ms */
export function listExpiries(
  { domain, registration, ssl, dns, headers, smtp }: ExpiryFacts,
  at: number,
): Expiry[] {
  const { registration: registered } = registration;
  const endings: (Lifetime | undefined)[] = [
    registered && endingOfRegistration(registered),
    ...endingsOfCertificates(ssl),
    endingOfPolicyHost(dns),
    ...endingsOfMailHosts(domain, smtp),
    endingOfSignatures(dns),
    endingOfSecurityTxt(headers),
  ];
  return endings
    .flatMap((ending) => (ending === undefined ? [] : showEnding(ending, at)))
    .toSorted((a, b) => Date.parse(a.expiresAt) - Date.parse(b.expiresAt))
    .slice(0, mostShown);
}

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
function endingsOfMailHosts(domain: string, smtp: SourceFacts | undefined): readonly Lifetime[] {
  const hosts = smtpFields.safeParse(smtp?.report).data?.hosts ?? [];
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
function endingOfPolicyHost({ report }: SourceFacts): Lifetime | undefined {
  const { policyUrl, certificate: sent } = dnsFields.safeParse(report).data?.mtaSts ?? {};
  const name = policyUrl === undefined ? undefined : URL.parse(policyUrl)?.hostname;
  return name === undefined || sent === undefined ? undefined : endingOfCertificate(name, sent);
}

const headersFields = z.looseObject({
  securityTxt: z.looseObject({ url: z.string(), expires: z.string().nullable().optional() }),
});

/** The Expires field of the site's security.txt (RFC 9116 §2.5.5). It does not tell when it began. */
function endingOfSecurityTxt({ report }: SourceFacts): Lifetime | undefined {
  const { url, expires } = headersFields.safeParse(report).data?.securityTxt ?? {};
  if (url === undefined || typeof expires !== 'string') return undefined;
  const endsAt = parseExpires(expires);
  return isMalformed(endsAt) ? undefined : { what: 'security-txt', name: url, beginsAt: null, endsAt };
}
