import { z } from 'zod';
import { siteOf } from '#shared/targets/parse-target';
import type { SourceFacts } from '../facts/source.ts';
import type { Lifetime } from './state.ts';

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
export function endingsOfMailHosts(domain: string, smtp: SourceFacts | undefined): readonly Lifetime[] {
  const hosts = smtpFields.safeParse(smtp?.report).data?.hosts ?? [];
  const own = hosts.filter(({ host }) => siteOf(host) === siteOf(domain));
  const endings = own.flatMap(({ host, addresses }) =>
    addresses.flatMap(({ certificates: [leaf] }) => (leaf ? [endingOf(host, leaf)] : [])),
  );
  // The addresses of a host usually send the same one.
  return [...new Map(endings.map((ending) => [`${ending.name} ${ending.endsAt}`, ending])).values()];
}

function endingOf(name: string, { notBefore, notAfter }: z.infer<typeof certificate>): Lifetime {
  return { what: 'certificate', name, beginsAt: Date.parse(notBefore), endsAt: Date.parse(notAfter) };
}
