import { isInZone } from '../../../../dns/name.ts';
import { ownRecords, readAnswer, recordsAt } from '../../../../dns/read-answer.ts';
import { readAll, readText } from '../../../../dns/record-values.ts';
import type { DnsAnswer, DnsProbe } from '../../../../probes/dns/port.ts';
import { early } from '../../../early.ts';
import type { HalfContext, SharedAnswers } from '../../halves.ts';
import { reverseLabelsOf } from '../../reverse-labels.ts';
import { askHost } from '../ask-host.ts';
import { absentNames, askWatched } from '../dnssec/watched.ts';
import type {
  Ancestor,
  ApexAnswers,
  DnsEvidence,
  HostAnswers,
  OriginAnswer,
  ServerAnswers,
  TransferAnswer,
} from '../evidence.ts';
import { addressesOf, delegatedNames, glueOf, isIpv6 } from '../servers/addresses.ts';
import { enclosingZone } from '../zone.ts';
import { prefixOf } from './delegation.ts';
import { gatherParents, type Parents } from './gather-parents.ts';
import { askServers, chooseAddresses, serverLimit, type ZoneKnown } from './gather-servers.ts';
import { parentWord } from './parent-word.ts';

type Delegation = Pick<
  DnsEvidence,
  | 'referrals'
  | 'parentServers'
  | 'parentAgain'
  | 'hosts'
  | 'servers'
  | 'notAsked'
  | 'direct'
  | 'parentTcp'
  | 'transfers'
  | 'origins'
>;

type Referrals = Promise<readonly DnsAnswer[]>;

type Servers = Omit<Delegation, 'referrals' | 'parentServers' | 'parentAgain' | 'parentTcp' | 'transfers'>;

type DelegationInputs = {
  readonly shared: SharedAnswers;
  readonly unchecked: Promise<Partial<ApexAnswers>>;
  readonly ancestors: Promise<readonly Ancestor[]>;
};

const nothing: Delegation = { referrals: [], hosts: [], servers: [], notAsked: 0, direct: [] };

/**
 * Asks the parent's servers for the delegation, and every name server of the domain for what it knows. Nothing where the domain is no zone of
 * its own. That is not for the resolver to say alone: it may have asked the one server of the parent that lacks the delegation.
 */
export async function gatherDelegation(context: HalfContext, known: DelegationInputs): Promise<Delegation> {
  const [soa, exists] = await Promise.all([known.shared.apex.SOA, known.shared.exists]);
  const parents = early(gatherParents(context, known.ancestors, askHosts));
  if (isDenied(soa, exists) && !isDelegated(await parents, context.domain)) return nothing;
  const own = early(childNames(context, known));
  const referrals = early(parents.then((heard) => heard.referrals));
  const zone: ZoneKnown = {
    isSigned: early(hasKeys(known)),
    hasRequests: early(hasRequests(known)),
    absent: early(absentNames(context, known.shared)),
    watched: early(watchedOf(context, known)),
    parameters: known.shared.apex.NSEC3PARAM,
  };
  const [first, rest, { referrals: delegated, parentServers, parentAgain }] = await Promise.all([
    gatherServers(context, own, { referrals, zone }),
    gatherServers(context, namesOfParentOnly(context.domain, own, referrals), {
      referrals,
      zone: { ...zone, watched: Promise.resolve([]) },
    }),
    parents,
  ]);
  const servers = [...first.servers, ...rest.servers];
  const [parentTcp, transfers] = await Promise.all([
    askParentTcp(context, servers, delegated),
    gatherTransfers(context, servers),
  ]);
  return {
    referrals: delegated,
    parentServers,
    ...(parentAgain === undefined ? {} : { parentAgain }),
    hosts: [...first.hosts, ...rest.hosts],
    servers,
    notAsked: first.notAsked + rest.notAsked,
    direct: [...first.direct, ...rest.direct],
    ...(parentTcp === undefined ? {} : { parentTcp }),
    ...(transfers === undefined ? {} : { transfers }),
    ...(first.origins && rest.origins ? { origins: [...first.origins, ...rest.origins] } : {}),
  };
}

/** Whether the resolver was told that the name is not there, or is no zone. */
export function isDenied(soa: DnsAnswer, exists: boolean): boolean {
  return !exists || enclosingZone(soa) !== undefined;
}

function isDelegated({ referrals }: Parents, domain: string): boolean {
  const words = referrals.map((answer) => parentWord(answer, domain));
  return words.includes('delegates') || words.includes('serves');
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

// No server of the domain answers by TCP: whether that is our own path is shown by a server of the parent's.
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

// Keys that the resolver refuses as bogus it gives without checking.
async function hasKeys({ shared, unchecked }: DelegationInputs): Promise<boolean> {
  const [answer, ds] = await Promise.all([shared.apex.DNSKEY, shared.apex.DS]);
  // The resolver may have met the one server that has no keys.
  if (ownRecords(ds).length > 0) return true;
  const seen = readAnswer(answer).state === 'unknown' ? ((await unchecked).DNSKEY ?? answer) : answer;
  return ownRecords(seen).length > 0;
}

// What is denied is proven to those who validate: where the parent vouches for no key, nobody does.
async function watchedOf(context: HalfContext, { shared }: DelegationInputs): Promise<readonly DnsAnswer[]> {
  return ownRecords(await shared.apex.DS).length > 0 ? askWatched(context, shared) : [];
}

async function hasRequests({ shared }: DelegationInputs): Promise<boolean> {
  const answers = await Promise.all([shared.apex.CDS, shared.apex.CDNSKEY]);
  return answers.some((answer) => ownRecords(answer).length > 0);
}

async function childNames(context: HalfContext, known: DelegationInputs): Promise<readonly string[]> {
  const names = await namesByResolver(context, known);
  return names.slice(0, serverLimit);
}

async function namesByResolver(
  { domain }: HalfContext,
  { shared, unchecked }: DelegationInputs,
): Promise<readonly string[]> {
  const answer = await shared.apex.NS;
  const own = ownRecords(answer);
  if (own.length > 0 || readAnswer(answer).state !== 'unknown') return readAll(own, readText);
  const again = (await unchecked).NS;
  return again?.kind === 'answer' ? readAll(recordsAt(again.answers, domain, 'NS'), readText) : [];
}

// Checking is disabled: a server's address is wanted even where its zone is bogus, which is said elsewhere.
async function askHosts(context: HalfContext, names: readonly string[]): Promise<readonly HostAnswers[]> {
  return Promise.all(names.map(async (name) => askHost(context, name, { checkingDisabled: true })));
}

/** So many networks are asked about: as many as there are addresses that are asked directly. */
const networkLimit = 16;

/**
 * Asks which autonomous systems announce the networks of these addresses, by one address of each network.
 * @returns undefined where the operator has named no zone that tells it
 */
async function gatherOrigins(
  { ask, probes }: HalfContext,
  addresses: readonly string[],
): Promise<readonly OriginAnswer[] | undefined> {
  const zones = probes.dns.originZones;
  if (!zones) return undefined;
  const networks = new Map(addresses.map((address) => [prefixOf(address) ?? address, address]));
  const asked = [...networks.values()].slice(0, networkLimit).map(async (address) => {
    const labels = reverseLabelsOf(address);
    if (labels === null) return [];
    const zone = isIpv6(address) ? zones.ipv6 : zones.ipv4;
    return [{ address, answer: await ask({ name: `${labels}.${zone}`, type: 'TXT' }) }];
  });
  return (await Promise.all(asked)).flat();
}

/** How a probe asks for a transfer; it closes the connection after the first records, and keeps none. */
type Transfers = {
  transfer?(zone: string, server: string): Promise<TransferAnswer['answer']>;
};

/**
 * Asks each name server that spoke for a transfer of the zone, once.
 * @returns undefined where the probe does not offer transfers, as the operator has not switched them on
 */
async function gatherTransfers(
  { domain, probes }: HalfContext,
  servers: readonly ServerAnswers[],
): Promise<readonly TransferAnswer[] | undefined> {
  const dns: DnsProbe & Transfers = probes.dns;
  if (!dns.transfer) return undefined;
  const asked = servers
    .filter(({ soa, ns, tcp }) => tcp.kind === 'answer' && (soa.kind === 'answer' || ns.kind === 'answer'))
    .map(async ({ name, address }) => {
      const answer = await dns.transfer?.(domain, address);
      return answer === undefined ? [] : [{ name, address, answer }];
    });
  return (await Promise.all(asked)).flat();
}
