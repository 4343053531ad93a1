import { z } from 'zod';

const url = 'https://data.iana.org/rdap/dns.json';

const download = z.object({
  publication: z.iso.datetime(),
  services: z.array(z.tuple([z.array(z.string()), z.array(z.url())])).min(1),
});

/**
 * The texts of `worker/probes/rdap/registries.json` and of the file beside it that has its day, for IANA's list: sorted, a service a line,
 * so that a difference can be read.
 * @param json the list
 * @throws Error where it is not such a list
 */
export function writeRdapRegistries(json: string): { readonly list: string; readonly day: string } {
  const { publication, services } = download.parse(JSON.parse(json));
  const rows = services
    .map(([names, bases]) => ` ${JSON.stringify([names.toSorted(), bases])}`)
    .toSorted()
    .join(',\n');
  return {
    list: `{"publication": ${JSON.stringify(publication)}, "services": [\n${rows}\n]}\n`,
    day: `/** The day of the list in \`registries.json\`. Source: ${url}. Written by \`npm run refresh rdap-registries\`. */
export const registriesListedOn = '${publication.slice(0, 10)}';
`,
  };
}
