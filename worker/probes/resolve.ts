import { isAddress } from '#shared/targets/classify-address';
import { type DeniedNames, deniedWhy } from '#shared/targets/denied-names';
import { DialFailure } from './dial-failure.ts';
import type { DnsAnswer, DnsProbe } from './dns/port.ts';

/** The addresses behind a host as a URL writes it, literal or name, IPv4 first; throws DialFailure `name-not-found` or `name-unresolved`. */
export type Resolve = (host: string) => Promise<readonly string[]>;

/** No name needs more, and a hostile one may have thousands. */
const addressLimit = 64;

/**
 * Resolves through the DNS probe: a name asked for its records is not asked again for its address.
 * @param denied names that an alias may not lead to either
 */
export function openResolve(dns: DnsProbe, denied?: DeniedNames): Resolve {
  return async (host) => {
    const literal = host.startsWith('[') ? host.slice(1, -1) : host;
    if (isAddress(literal)) return [literal];
    // With DO, as the checks ask: one question then serves both.
    const answers = await Promise.all([
      dns.ask({ name: host, type: 'A' }, { dnssecOk: true }),
      dns.ask({ name: host, type: 'AAAA' }, { dnssecOk: true }),
    ]);
    if (denied && answers.some((answer) => leadsTo(answer, denied)))
      throw new DialFailure('target-not-allowed', `the name is an alias of one that ${deniedWhy}`);
    return readAddresses(answers);
  };
}

function leadsTo(answer: DnsAnswer, denied: DeniedNames): boolean {
  if (answer.kind !== 'answer') return false;
  return answer.answers.some(
    ({ type, data }) => type === 'CNAME' && typeof data === 'string' && denied.covers(data),
  );
}

function readAddresses(answers: readonly DnsAnswer[]): readonly string[] {
  const addresses = answers.flatMap((answer) =>
    answer.kind === 'answer'
      ? answer.answers.flatMap(({ type, data }) =>
          (type === 'A' || type === 'AAAA') && typeof data === 'string' ? [data] : [],
        )
      : [],
  );
  if (addresses.length > 0) return addresses.slice(0, addressLimit);
  for (const answer of answers)
    if (answer.kind === 'failure' && (answer.code === 'budget-spent' || answer.code === 'not-from-here'))
      throw new DialFailure(answer.code, answer.reason);
  const outcomes = answers.map((answer) => (answer.kind === 'answer' ? answer.rcode : answer.code));
  if (outcomes.includes('NXDOMAIN'))
    throw new DialFailure('name-not-found', 'the name does not exist in the DNS');
  if (outcomes.every((outcome) => outcome === 'NOERROR'))
    throw new DialFailure('name-not-found', 'the name has no address (no A or AAAA record)');
  throw new DialFailure(
    'name-unresolved',
    `the DNS gave no answer for the name (${outcomes.find((outcome) => outcome !== 'NOERROR')})`,
  );
}
