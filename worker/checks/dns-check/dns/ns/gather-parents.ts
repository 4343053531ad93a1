import { randomInt } from 'node:crypto';
import { isInZone } from '../../../../dns/name.ts';
import { ownRecords, recordsAt } from '../../../../dns/read-answer.ts';
import { readAll, readText } from '../../../../dns/record-values.ts';
import type { DnsAnswer } from '../../../../probes/dns/port.ts';
import type { HalfContext } from '../../halves.ts';
import type { Ancestor, HostAnswers } from '../evidence.ts';
import { addressesOf } from '../servers/addresses.ts';
import { parentWord } from './parent-word.ts';

/** How many of the parent's servers are asked, chosen anew in each run; all of them where one of these differs. */
const sampleSize = 3;
/** So many addresses are asked where the servers differ: one of each server of the largest zones. */
const addressLimit = 13;

/** What the parent's servers said, and how many of them there are. */
export type Parents = {
  readonly referrals: readonly DnsAnswer[];
  /** How many names the parent zone has for its servers. */
  readonly parentServers: number;
  readonly parentAgain?: readonly DnsAnswer[];
};

type AskHosts = (context: HalfContext, names: readonly string[]) => Promise<readonly HostAnswers[]>;

/** Asks servers of the parent for the delegation, with DNSSEC, so that the referral has the DS in it. */
export async function gatherParents(
  context: HalfContext,
  ancestors: Promise<readonly Ancestor[]>,
  askHosts: AskHosts,
): Promise<Parents> {
  const parent = (await ancestors).find(({ ns }) => ownRecords(ns).length > 0);
  if (!parent) return { referrals: [], parentServers: 0 };
  const names = shuffled(readAll(ownRecords(parent.ns), readText));
  const first = await askHosts(context, names.slice(0, sampleSize));
  const chosen = chooseAddresses(first, sampleSize);
  const referrals = await askAll(context, chosen);
  const parentServers = names.length;
  if (new Set(referrals.flatMap((answer) => wordOf(answer, context.domain) ?? [])).size < 2)
    return withSecondWord(context, { referrals, parentServers });
  const rest = await askHosts(context, names.slice(sampleSize));
  const others = chooseAddresses([...rest, ...first], addressLimit + chosen.length);
  const more = others.filter((address) => !chosen.includes(address)).slice(0, addressLimit);
  return withSecondWord(context, {
    referrals: [...referrals, ...(await askAll(context, more))],
    parentServers,
  });
}

/** Asks for the DS those that serve the domain themselves, and once more those that deny a delegation which others have: nobody is told of it for one packet. */
async function withSecondWord({ domain, ask }: HalfContext, parents: Parents): Promise<Parents> {
  const words = parents.referrals.map((answer) => [parentWord(answer, domain), answer.server] as const);
  const isKnown = words.some(([word]) => word === 'delegates' || word === 'serves');
  const again = await Promise.all(
    words.flatMap(([word, server]) => {
      if (server === undefined || !isKnown) return [];
      if (word === 'serves') return [ask({ name: domain, type: 'DS' }, { server, dnssecOk: true })];
      // Without DNSSEC, as equal questions of a run are asked once.
      return word === 'denies' ? [ask({ name: domain, type: 'NS' }, { server })] : [];
    }),
  );
  return again.length === 0 ? parents : { ...parents, parentAgain: again };
}

async function askAll(
  { domain, ask }: HalfContext,
  servers: readonly string[],
): Promise<readonly DnsAnswer[]> {
  return Promise.all(
    servers.map(async (server) => ask({ name: domain, type: 'NS' }, { server, dnssecOk: true })),
  );
}

// One address of each server, IPv4 where it has any; more of them where there are fewer servers.
function chooseAddresses(hosts: readonly HostAnswers[], count: number): readonly string[] {
  const lists = hosts.map((host) => {
    const addresses = addressesOf(host);
    const four = addresses.filter((address) => !address.includes(':'));
    return [...shuffled(four), ...addresses.filter((address) => address.includes(':'))];
  });
  const ranked = lists.flatMap((addresses) => addresses.map((address, rank) => ({ address, rank })));
  const sorted = ranked.toSorted((a, b) => a.rank - b.rank).map(({ address }) => address);
  return [...new Set(sorted)].slice(0, count);
}

/** What a referral says of the domain, as one text; undefined where it is none. */
function wordOf(answer: DnsAnswer, domain: string): string | undefined {
  if (answer.kind === 'failure') return undefined;
  const section = [...answer.authority, ...answer.answers];
  const names = readAll(recordsAt(section, domain, 'NS'), readText);
  const ds = recordsAt(section, domain, 'DS').map(({ data }) => JSON.stringify(data));
  const glue = answer.additional
    .filter(
      ({ name, type }) => names.includes(name) && isInZone(name, domain) && (type === 'A' || type === 'AAAA'),
    )
    .map(({ name, data }) => `${name} ${JSON.stringify(data)}`);
  return [...names, ...ds, ...glue].toSorted().join(' ');
}

function shuffled<T>(items: readonly T[]): T[] {
  const mixed = [...items];
  for (let at = mixed.length - 1; at > 0; at -= 1) {
    const other = randomInt(at + 1);
    [mixed[at], mixed[other]] = [mixed[other] as T, mixed[at] as T];
  }
  return mixed;
}
