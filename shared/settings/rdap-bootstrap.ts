import { readFileSync, statSync } from 'node:fs';
import { z } from 'zod';

/** IANA's bootstrap of RDAP: for each label the base addresses of the services that answer for the names below it (RFC 9224 §4). */
export type RdapBootstrap = ReadonlyMap<string, readonly string[]>;

/** IANA's file has 40,000 bytes. */
const mostBytes = 4_000_000;

const fileSchema = z.looseObject({
  publication: z.string().optional(),
  services: z.array(z.tuple([z.array(z.string()), z.array(z.string())])),
});

/**
 * Reads the text of such a file. Names are in lower case without a dot at the end, addresses end with a slash.
 * @throws Error where it is no such file
 */
export function parseRdapBootstrap(json: string): RdapBootstrap {
  const { services } = fileSchema.parse(JSON.parse(json));
  return new Map(
    services.flatMap(([names, addresses]) => {
      const bases = addresses.map(readBase);
      return names.map((name) => [name.toLowerCase().replace(/\.$/, ''), bases] as const);
    }),
  );
}

// RFC 9224 §3 wants the slash at the end; not everybody who writes such a file knows.
function readBase(text: string): string {
  const url = new URL(text);
  if (!/^https?:$/.test(url.protocol) || url.username !== '' || url.search !== '' || url.hash !== '')
    throw new Error(`"${text}" is no base address`);
  return url.href.endsWith('/') ? url.href : `${url.href}/`;
}

type ReadBootstrap = { readonly bootstrap: RdapBootstrap } | { readonly fault: string };

/** Reads a file of the operator's, or says what is wrong with it as the end of a sentence. */
export function readRdapBootstrapFile(path: string): ReadBootstrap {
  let text: string;
  try {
    if (statSync(path).size > mostBytes) return { fault: `is larger than ${mostBytes} bytes` };
    text = readFileSync(path, 'utf8');
  } catch (error) {
    return { fault: `cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'})` };
  }
  try {
    return { bootstrap: parseRdapBootstrap(text) };
  } catch {
    return { fault: "is not a file like IANA's dns.json (RFC 9224)" }; // the parser's own words would quote the file
  }
}
