import { isInZone } from '../../../../dns/name.ts';
import { ownRecords, readAnswer, recordsAt } from '../../../../dns/read-answer.ts';
import { readAll, readText } from '../../../../dns/record-values.ts';
import type { DnsAnswer } from '../../../../probes/dns/port.ts';
import type { HalfContext, SharedAnswers } from '../../halves.ts';
import type { Ancestor, ApexAnswers, DnsEvidence, HostAnswers, ServerAnswers } from '../evidence.ts';
import { addressesOf, delegatedNames, glueOf } from '../servers/addresses.ts';
import { enclosingZone } from '../zone.ts';
import { gatherOrigins } from './gather-origins.ts';
import { askServers, chooseAddresses, serverLimit, type ZoneKnown } from './gather-servers.ts';
import { gatherTransfers } from './gather-transfers.ts';

type Delegation = Pick<
  DnsEvidence,
  'referrals' | 'hosts' | 'servers' | 'notAsked' | 'direct' | 'parentTcp' | 'transfers' | 'origins'
>;

type Referrals = Promise<readonly DnsAnswer[]>;

type Servers = Omit<Delegation, 'referrals' | 'parentTcp' | 'transfers'>;

type Known = {
  readonly shared: SharedAnswers;
  readonly unchecked: Promise<Partial<ApexAnswers>>;
  readonly ancestors: Promise<readonly Ancestor[]>;
  /** A name below the domain that is surely not there. */
  readonly random: string;
};

/** How many of the parent's servers are asked; the first answer counts. */
const parentServerLimit = 3;

const nothing: Delegation = { referrals: [], hosts: [], servers: [], notAsked: 0, direct: [] };

/** Asks the parent's servers for the delegation, and every name server of the domain for what it knows. Nothing where the domain is no zone of its own. */
export async function gatherDelegation(context: HalfContext, known: Known): Promise<Delegation> {
  const [soa, exists] = await Promise.all([known.shared.apex.SOA, known.shared.exists]);
  if (!exists || enclosingZone(soa) !== undefined) return nothing;
  const own = childNames(context, known);
  const referrals = askParent(context, known.ancestors);
  const zone: ZoneKnown = { isSigned: hasKeys(known), random: known.random };
  const [first, rest, delegated] = await Promise.all([
    gatherServers(context, own, { referrals, zone }),
    gatherServers(context, namesOfParentOnly(context.domain, own, referrals), { referrals, zone }),
    referrals,
  ]);
  const servers = [...first.servers, ...rest.servers];
  const [parentTcp, transfers] = await Promise.all([
    askParentTcp(context, servers, delegated),
    gatherTransfers(context, servers),
  ]);
  return {
    referrals: delegated,
    hosts: [...first.hosts, ...rest.hosts],
    servers,
    notAsked: first.notAsked + rest.notAsked,
    direct: [...first.direct, ...rest.direct],
    ...(parentTcp === undefined ? {} : { parentTcp }),
    ...(transfers === undefined ? {} : { transfers }),
    ...(first.origins && rest.origins ? { origins: [...first.origins, ...rest.origins] } : {}),
  };
}

// Addresses of the servers, then the servers themselves.
async function gatherServers(
  context: HalfContext,
  names: Promise<readonly string[]>,
  { referrals, zone }: { readonly referrals: Referrals; readonly zone: ZoneKnown },
): Promise<Servers> {
  const hosts = await askHosts(context, await names);
  const { chosen, left } = chooseAddresses(
    await Promise.all(
      hosts.map(async (host) => [host.name, await addressesFor(host, context, referrals)] as const),
    ),
  );
  const [asked, origins] = await Promise.all([
    askServers(context, chosen, zone),
    gatherOrigins(
      context,
      chosen.map(({ address }) => address),
    ),
  ]);
  return { hosts, ...asked, notAsked: left, ...(origins === undefined ? {} : { origins }) };
}

// Where no server answers for the domain, nobody resolves the names of servers inside it; the parent's glue still leads to them.
async function addressesFor(
  host: HostAnswers,
  { domain }: HalfContext,
  referrals: Promise<readonly DnsAnswer[]>,
): Promise<readonly string[]> {
  const found = addressesOf(host);
  return found.length > 0 || !isInZone(host.name, domain) ? found : glueOf(await referrals, host.name);
}

// No server of the domain answers by TCP: whether that is our own path is told by a server of the parent's.
async function askParentTcp(
  { domain, ask }: HalfContext,
  servers: readonly ServerAnswers[],
  referrals: readonly DnsAnswer[],
): Promise<DnsAnswer | undefined> {
  const speaks = servers.some(({ soa, ns }) => soa.kind === 'answer' || ns.kind === 'answer');
  const parent = referrals.find(({ kind }) => kind === 'answer');
  if (!speaks || !parent || servers.some(({ tcp }) => tcp.kind === 'answer')) return undefined;
  return ask({ name: domain, type: 'NS' }, { server: parent.server, transport: 'tcp', edns: false });
}

async function namesOfParentOnly(
  domain: string,
  own: Promise<readonly string[]>,
  referrals: Promise<readonly DnsAnswer[]>,
): Promise<readonly string[]> {
  const [names, answers] = await Promise.all([own, referrals]);
  const others = delegatedNames(answers, domain).filter((name) => !names.includes(name));
  return others.slice(0, Math.max(0, serverLimit - names.length));
}

async function askParent(
  context: HalfContext,
  ancestors: Promise<readonly Ancestor[]>,
): Promise<readonly DnsAnswer[]> {
  const parent = (await ancestors).find(({ ns }) => ownRecords(ns).length > 0);
  if (!parent) return [];
  const names = readAll(ownRecords(parent.ns), readText).slice(0, parentServerLimit);
  const hosts = await askHosts(context, names);
  // One address of each host: three servers are enough to hear from one.
  const addresses = hosts.flatMap((host) => addressesOf(host).slice(0, 1));
  return Promise.all(
    // With DNSSEC, so that the referral has the DS in it: each of the parent's servers is heard at no further question.
    addresses.map((server) => context.ask({ name: context.domain, type: 'NS' }, { server, dnssecOk: true })),
  );
}

// Keys that the resolver refuses as bogus it gives without checking.
async function hasKeys({ shared, unchecked }: Known): Promise<boolean> {
  const answer = await shared.apex.DNSKEY;
  const seen = readAnswer(answer).state === 'unknown' ? ((await unchecked).DNSKEY ?? answer) : answer;
  return ownRecords(seen).length > 0;
}

async function childNames(context: HalfContext, known: Known): Promise<readonly string[]> {
  const names = await namesByResolver(context, known);
  return names.slice(0, serverLimit);
}

async function namesByResolver(
  { domain }: HalfContext,
  { shared, unchecked }: Known,
): Promise<readonly string[]> {
  const answer = await shared.apex.NS;
  const own = ownRecords(answer);
  if (own.length > 0 || readAnswer(answer).state !== 'unknown') return readAll(own, readText);
  const again = (await unchecked).NS;
  return again?.kind === 'answer' ? readAll(recordsAt(again.answers, domain, 'NS'), readText) : [];
}

// Checking is disabled: a server's address is wanted even where its zone is bogus, which is said elsewhere.
async function askHosts({ ask }: HalfContext, names: readonly string[]): Promise<readonly HostAnswers[]> {
  return Promise.all(
    names.map(async (name) => {
      const [A, AAAA] = await Promise.all([
        ask({ name, type: 'A' }, { checkingDisabled: true }),
        ask({ name, type: 'AAAA' }, { checkingDisabled: true }),
      ]);
      return { name, A, AAAA };
    }),
  );
}
