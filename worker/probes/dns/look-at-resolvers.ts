import { Resolver } from 'node:dns/promises';
import { findServers, listSystemServers } from './servers.ts';

export type LookedAtResolvers = {
  /** Those that answer. */
  readonly answering: readonly string[];
  /** What is wrong with the others, each named. */
  readonly faults: readonly string[];
};

const timeoutMs = 1500;

/** Asks each resolver once for the root's servers, names among them looked up as the probes do. Never rejects. @param configured DNS_SERVERS; undefined takes the system's */
export async function lookAtResolvers(configured: readonly string[] | undefined): Promise<LookedAtResolvers> {
  const named = configured ?? listSystemServers();
  const looked = await Promise.all(named.map(async (text) => ({ text, fault: await inTime(faultOf(text)) })));
  return {
    answering: looked.flatMap(({ text, fault }) => (fault === undefined ? [text] : [])),
    faults: looked.flatMap(({ text, fault }) => (fault === undefined ? [] : [`${text}: ${fault}`])),
  };
}

async function faultOf(text: string): Promise<string | undefined> {
  const [server] = await findServers([text]).catch(() => []);
  if (!server) return 'the system does not know its name';
  const { address, port } = server;
  const resolver = new Resolver({ timeout: timeoutMs, tries: 1 });
  resolver.setServers([address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`]);
  try {
    await resolver.resolveNs('.');
    return undefined;
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    // Also one that says no comes from a resolver that works. One that refuses serves others only.
    if (/^E(?:NOTFOUND|NODATA)$/.test(code)) return undefined;
    if (code === 'ESERVFAIL') return 'it fails at the root of the DNS (SERVFAIL)';
    if (code === 'EREFUSED') return 'it refuses questions from here';
    return code === 'ECONNREFUSED' ? 'nothing listens there (ECONNREFUSED)' : `it does not answer (${code})`;
  }
}

// The system may look for a name for longer than anybody waits.
function inTime(looking: Promise<string | undefined>): Promise<string | undefined> {
  const late = new Promise<string>((resolve) => {
    setTimeout(() => resolve('it does not answer in time'), timeoutMs + 300).unref();
  });
  return Promise.race([looking, late]);
}
