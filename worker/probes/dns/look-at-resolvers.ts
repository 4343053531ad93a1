import { Resolver } from 'node:dns/promises';
import { findServers, listSystemServers } from './servers.ts';

export type LookedAtResolvers = {
  /** Those that answer. */
  readonly answering: readonly string[];
  /** What is wrong with the others, each named. */
  readonly faults: readonly string[];
};

const timeoutMs = 1500;

/**
 * Asks each resolver for the root's servers, names among them looked up as the probes do. Never rejects.
 * @param configured DNS_SERVERS; undefined takes the system's
 * @param isLab whether the names are those of a lab, where no other needs to be there
 */
export async function lookAtResolvers(
  configured: readonly string[] | undefined,
  { isLab }: { readonly isLab: boolean },
): Promise<LookedAtResolvers> {
  const named = configured ?? listSystemServers();
  const looked = await Promise.all(
    named.map(async (text) => ({ text, fault: await inTime(faultOf(text, isLab)) })),
  );
  return {
    answering: looked.flatMap(({ text, fault }) => (fault === undefined ? [text] : [])),
    faults: looked.flatMap(({ text, fault }) => (fault === undefined ? [] : [`${text}: ${fault}`])),
  };
}

async function faultOf(text: string, isLab: boolean): Promise<string | undefined> {
  const [server] = await findServers([text]).catch(() => []);
  if (!server) return 'the system does not know its name';
  const { address, port } = server;
  const resolver = new Resolver({ timeout: timeoutMs, tries: 1 });
  resolver.setServers([address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`]);
  const ofRoot = await codeOf(resolver.resolveNs('.'));
  // Some forwarders know nothing of the root itself; a top-level domain is there for all of them.
  const code = ofRoot === denied && !isLab ? await codeOf(resolver.resolveNs('com')) : ofRoot;
  if (code === denied && !isLab) return 'it says of every name that it does not exist (NXDOMAIN)';
  return code === undefined || code === denied ? undefined : (texts[code] ?? `it does not answer (${code})`);
}

const denied = 'ENOTFOUND';
/** What errors of a resolver mean. One that refuses serves others only. */
const texts: { readonly [code: string]: string | undefined } = {
  ESERVFAIL: 'it fails at the root of the DNS (SERVFAIL)',
  EREFUSED: 'it refuses questions from here',
  ECONNREFUSED: 'nothing listens there (ECONNREFUSED)',
};

/** The error of an answer; undefined where it brings records, or says that there are none. */
async function codeOf(asking: Promise<unknown>): Promise<string | undefined> {
  try {
    await asking;
    return undefined;
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    return code === 'ENODATA' ? undefined : code;
  }
}

// The system may look for a name for longer than anybody waits.
function inTime(looking: Promise<string | undefined>): Promise<string | undefined> {
  const late = new Promise<string>((resolve) => {
    setTimeout(() => resolve('it does not answer in time'), timeoutMs + 300).unref();
  });
  return Promise.race([looking, late]);
}
