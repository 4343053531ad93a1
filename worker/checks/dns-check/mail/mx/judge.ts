import type { MailMode } from '#shared/catalogue/dns-check/mail/report';
import { type MxCode, mxRules } from '#shared/catalogue/dns-check/mail/rules/mx';
import {
  allOf,
  brokenBy,
  brokenIf,
  type Evidence,
  type Fix,
  notTested,
  type Verdict,
  type Verdicts,
} from '#shared/model/verdict';
import { valuesOf } from '../../../../dns/observation.ts';
import { clip } from '../../../../mail/fault.ts';
import { providerOfHost } from '../../mail-providers/find.ts';
import { describeSlip, meantName } from '../../names.ts';
import { brokenBySeen, publish } from '../../verdicts.ts';
import { privateKindOf } from '../address.ts';
import type { HostAddress, MailHost, MxFacts } from './facts.ts';

/** What else the domain shows of its mail. */
export type MailShown = {
  /** It has no records of its own, only names below it. */
  readonly isNameOnly: boolean;
  /** Its SPF policy names senders; null where the policy was not seen. */
  readonly sends: boolean | null;
};

/** Judges where mail to the domain goes. */
export function judgeMx(facts: MxFacts, mode: MailMode, shown: MailShown): Verdicts<MxCode> {
  const { observation, domain } = facts;
  if (observation.outcome === 'unknown')
    return {
      ...allOf(mxRules, notTested(`the MX records of ${domain} could not be read: ${observation.why}`)),
      ...(facts.hasProvenFailure
        ? { 'mx-lookup-failed': brokenBy([{ name: domain, reason: observation.why }]) }
        : {}),
    };
  const records = judgeRecords(facts, mode, shown);
  return facts.hosts.length === 0 || mode === 'parked'
    ? { ...allOf(mxRules, 'not-applicable'), ...records }
    : { ...records, ...judgeHosts(facts) };
}

function judgeRecords(facts: MxFacts, mode: MailMode, { isNameOnly, sends }: MailShown) {
  const { domain, exchanges, hasNullMx, isImplicit } = facts;
  const nullMx = exchanges.find(({ exchange }) => exchange === '');
  const others = exchanges
    .filter(({ exchange }) => exchange !== '')
    .map(({ exchange }) => clip(exchange, 80));
  const unseen = notTested('it is not known whether the domain has an address');
  const close = publish('Publish a null MX.', domain, '0 .', 'MX');
  const isOpen = mode === 'unknown' || isImplicit === null;
  return {
    'mx-lookup-failed': 'holds',
    'mx-implicit': isOpen ? unseen : brokenIf(isImplicit, { name: domain }, sends ? namesHost : undefined),
    'mx-null-missing':
      // An address without MX takes mail (RFC 5321 §5.1): nothing is refused there.
      mode === 'mail' || isImplicit === true || isNameOnly
        ? 'not-applicable'
        : isOpen
          ? unseen
          : brokenIf(!hasNullMx, { name: domain, effect: effectOf(exchanges) }, close),
    'mx-null-mixed': brokenIf(hasNullMx && others.length > 0, { name: domain, others: others.join(', ') }),
    'mx-null-sends': hasNullMx && others.length === 0 ? judgeSending(domain, sends) : 'not-applicable',
    'mx-null-preference': !nullMx
      ? 'not-applicable'
      : brokenIf(nullMx.preference !== 0, { name: domain, preference: nullMx.preference }, close),
  } satisfies Partial<Verdicts<MxCode>>;
}

function judgeSending(name: string, sends: boolean | null): Verdict {
  return sends === null ? notTested('the SPF policy was not seen') : brokenIf(sends, { name });
}

// Who sends must be able to take answers: receivers may refuse mail of a domain with a null MX (RFC 7505 §4.2).
const namesHost: Fix = { text: 'Publish an MX record with the host that takes the domain’s mail.' };

// Without MX and address a sender gives up at once (RFC 5321 §5.1); a host that no message reaches keeps it trying.
function effectOf(exchanges: MxFacts['exchanges']): string {
  return exchanges.length === 0
    ? 'Senders find no mail host and no address; a null MX says that this is meant'
    : 'Senders keep trying for days before they give up';
}

function judgeHosts({ domain, hosts, exchanges, isImplicit }: MxFacts) {
  const of = (kind: MailHost['kind']) =>
    hosts.filter((host) => host.kind === kind).map(({ host }) => ({ host: clip(host) }));
  const aliases = isImplicit ? [] : hosts.filter(({ alias }) => alias !== null);
  return {
    ...judgeAddresses(domain, hosts),
    ...judgeNames(hosts),
    'mx-alias': brokenBy(
      aliases.map(({ host, alias }) => ({ host: clip(host), alias: clip(alias ?? '') })),
      keepTlsa(aliases),
    ),
    'mx-address-literal': brokenBy(of('address')),
    'mx-name-invalid': brokenBy(of('invalid')),
    'mx-duplicate': brokenBy(findDoubled(exchanges.map(({ exchange }) => exchange))),
    'mx-single': judgeSingle(domain, hosts),
  } satisfies Partial<Verdicts<MxCode>>;
}

// Senders look for TLSA records where the alias leads, and at the alias (RFC 7672 §2.2.2): those at the alias are lost with it.
function keepTlsa(aliases: readonly MailHost[]): Fix | undefined {
  const bound = aliases.filter(({ tlsa }) => tlsa.records.length > 0);
  if (bound.length === 0) return undefined;
  const moves = bound.map(
    ({ tlsa, alias }) => `the TLSA records of ${clip(tlsa.name, 80)} at _25._tcp.${clip(alias ?? '', 80)}`,
  );
  return {
    text: `First publish ${moves.join(', and ')}, with a certificate for that name, or DANE is lost. Then use the host that the alias leads to in the MX record.`,
  };
}

// Several names may lead to one machine.
function judgeSingle(domain: string, hosts: readonly MailHost[]): Verdict {
  const addresses = new Set(hosts.flatMap(({ observations }) => observations.flatMap(valuesOf)));
  const [address = ''] = addresses;
  if (addresses.size > 1) return 'holds';
  // Behind an address of a mail service are many machines.
  if (hosts.every(({ host }) => providerOfHost(host) !== undefined)) return 'not-applicable';
  const open = hosts.find(({ observations }) => observations.some(({ outcome }) => outcome === 'unknown'));
  if (open) return unreadAddresses(open);
  const names = hosts.map(({ host }) => clip(host, 80)).join(', ');
  return addresses.size === 0 ? 'not-applicable' : brokenIf(true, { name: domain, address, host: names });
}

function findDoubled(names: readonly string[]): Evidence[] {
  const doubled = new Set(names.filter((name, index) => names.indexOf(name) !== index));
  return [...doubled].map((host) => ({
    host: clip(host),
    count: names.filter((name) => name === host).length,
  }));
}

/** So many hosts are named in one sentence; the rest are counted. */
const shownHosts = 4;

function listHosts(hosts: readonly MailHost[]): string {
  const more = hosts.length - shownHosts;
  const names = hosts.slice(0, shownHosts).map(({ host }) => clip(host, 80));
  return [...names, ...(more > 0 ? [`and ${more} more`] : [])].join(', ');
}

// Most senders have IPv4 alone.
function judgeIpv4(
  domain: string,
  hosts: readonly MailHost[],
  isLost: boolean,
  unseen: Verdict | undefined,
): Verdict {
  if (isLost) return 'not-applicable';
  const hasIpv4 = hosts.some(
    ({ kind, host, observations }) =>
      observations[0].outcome === 'found' || (kind === 'address' && !host.includes(':')),
  );
  return hasIpv4 ? 'holds' : (unseen ?? brokenIf(true, { name: domain, hosts: listHosts(hosts) }));
}

function judgeAddresses(domain: string, hosts: readonly MailHost[]) {
  const bare = hosts.filter(({ kind, observations }) => kind !== 'address' && observations.every(isAbsent));
  const open = hosts.filter(
    ({ kind, observations }) =>
      kind !== 'address' && observations.some(({ outcome }) => outcome === 'unknown'),
  );
  const unseen = open[0] && unreadAddresses(open[0]);
  const isLost = hosts.every((host) => !isReachable(host) && !open.includes(host));
  const hidden = hosts.flatMap(({ host, observations }) =>
    observations.flatMap(valuesOf).flatMap((address) => {
      const kind = privateKindOf(address);
      return kind === null ? [] : [{ host: clip(host), kind }];
    }),
  );
  const hasIpv6 = hosts.some(({ observations }) => observations[1].outcome === 'found');
  return {
    'mx-none-reachable': hosts.some(isReachable)
      ? 'holds'
      : isLost
        ? brokenBy([describeLost(domain, hosts, bare)])
        : (unseen ?? 'holds'),
    'mx-no-ipv4': judgeIpv4(domain, hosts, isLost, unseen),
    'mx-no-address': isLost
      ? 'not-applicable'
      : brokenBySeen(
          bare.map(({ host, observations }) => ({
            host: clip(host),
            found: describeBare(observations, host, domain),
          })),
          unseen,
        ),
    'mx-private-address': brokenBySeen(hidden, unseen),
    'mx-no-ipv6': hasIpv6 ? 'holds' : (unseen ?? brokenIf(true, { name: domain })),
  } satisfies Partial<Verdicts<MxCode>>;
}

function describeLost(name: string, hosts: readonly MailHost[], bare: readonly MailHost[]): Evidence {
  const slip = bare.map(({ host }) => describeSlip(host, name)).find((text) => text !== '') ?? '';
  return { name, count: hosts.length, hosts: listHosts(hosts), slip };
}

function unreadAddresses({ host, observations }: MailHost): Verdict {
  const why = observations.find(({ outcome }) => outcome === 'unknown')?.why ?? '';
  return notTested(`the addresses of ${clip(host)} could not be read: ${why}`);
}

function isAbsent({ outcome }: MailHost['observations'][number]): boolean {
  return outcome === 'nodata' || outcome === 'nxdomain';
}

// Some senders deliver to an address that stands where a host name should; it has a rule of its own.
function isReachable({ kind, host, observations }: MailHost): boolean {
  if (kind === 'address') return privateKindOf(host) === null;
  return observations.flatMap(valuesOf).some((address) => privateKindOf(address) === null);
}

function describeBare(observations: MailHost['observations'], host: string, domain: string): string {
  const meant = meantName(host, domain);
  if (meant !== undefined)
    return `does not exist: the dot behind ${clip(meant, 80)} seems to be missing, so the zone’s name was added to it`;
  return observations.some(({ outcome }) => outcome === 'nxdomain')
    ? 'does not exist'
    : 'has neither an A nor an AAAA record';
}

function judgeNames(hosts: readonly MailHost[]): Pick<Verdicts<MxCode>, 'ptr-missing' | 'ptr-not-confirmed'> {
  const all = hosts.flatMap(({ host, addresses }) =>
    addresses
      .filter(({ address }) => privateKindOf(address) === null)
      .map((address) => ({ host: clip(host), ...address })),
  );
  if (all.length === 0) return { 'ptr-missing': 'not-applicable', 'ptr-not-confirmed': 'not-applicable' };
  const bare = all.filter(({ ptr }) => isAbsent(ptr));
  const astray = all.filter(({ names, confirmed }) => names.length > 0 && confirmed === false);
  return {
    'ptr-missing': judgeSeen(
      bare.map(({ host, address }) => ({ host, address })),
      all,
      ({ ptr }) => ptr.outcome === 'unknown',
    ),
    'ptr-not-confirmed': judgeSeen(
      astray.map(({ host, address, names }) => ({
        host,
        address,
        ptr: names.map((name) => clip(name, 80)).join(', '),
        why: names.some(isReverseName)
          ? 'ends in the reverse zone’s own name: its last dot is missing'
          : 'does not resolve to that address',
      })),
      all,
      ({ confirmed }) => confirmed === null,
    ),
  };
}

function isReverseName(name: string): boolean {
  return /\.(?:in-addr|ip6)\.arpa$/.test(name);
}

function judgeSeen(
  broken: readonly Evidence[],
  all: readonly HostAddress[],
  isUnseen: (address: HostAddress) => boolean,
): Verdict {
  const unseen = all.find(isUnseen);
  return brokenBySeen(broken, unseen && notTested(`the name of ${unseen.address} could not be read`));
}
