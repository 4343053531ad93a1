import { z } from 'zod';

/** What a machine's own network can fail at, in the order in which a reader wants to know of it. */
export const vantageKinds = [
  'resolver',
  'ipv4',
  'ipv6',
  'dns-direct',
  'dns-tcp',
  'edns',
  'dns-types',
  'honest-dns',
  'https',
  'tls',
  'large-packets',
  'smtp',
  'clock',
] as const;
export type VantageKind = (typeof vantageKinds)[number];

/** From where a report was made, and what that place could not do while it was. */
export const vantageSchema = z.object({
  id: z.string().nullable().meta({ description: "The operator's name of the place (VANTAGE_ID)." }),
  missing: z.array(z.string()).meta({
    description:
      "What the network of the worker could not do and this report would have needed: the rules that rest on it are not tested, cost nothing and are not the target's fault. Empty as a rule.",
  }),
  untried: z.array(z.string()).optional().meta({
    description: 'Kinds that failed while no control could be asked.',
  }),
});
export type Vantage = z.infer<typeof vantageSchema> & {
  /** In the evidence: what is to be added to this machine's clock, ms; left out where it is right. */
  readonly clockOffsetMs?: number;
  /** The most that it may be; the same where it is known. */
  readonly clockMostMs?: number;
};

/** The place of evidence that names none: nothing was missing there. */
export const fullVantage: Vantage = { id: null, missing: [] };

/** Longest that a report with something missing answers other callers: the network may be whole again. */
export const freshForWithGapsS = 300;

type VantageText = {
  /** Why a rule was not tested: a clause, in lower case and without a full stop. */
  readonly reason: string;
  /** What an operator can do, a sentence. */
  readonly fix: string;
};

/** What is said of each kind where it is missing, in reports, `diag doctor`, /readyz and the log. */
export const vantageTexts: { readonly [K in VantageKind]: VantageText } = {
  resolver: {
    reason: 'the resolver of this machine gives no answers',
    fix: 'Set DNS_SERVERS to a resolver that answers, or start the one that is named there.',
  },
  ipv4: {
    reason: 'this machine has no way to addresses of IPv4',
    fix: 'Give this machine an IPv4 address and a route; a NAT64 is used where the resolver names one.',
  },
  ipv6: {
    reason: 'this machine has no way to addresses of IPv6',
    fix: 'Give this machine an IPv6 address and a route, or take a broken one away.',
  },
  'dns-direct': {
    reason: 'this network lets no question through to name servers: port 53 is blocked or redirected',
    fix: 'Let this machine send UDP and TCP to port 53 of any address, without a redirection to a resolver.',
  },
  'dns-tcp': {
    reason: 'DNS over TCP does not pass in this network',
    fix: 'Let this machine open TCP connections to port 53.',
  },
  edns: {
    reason: 'this network drops questions with EDNS',
    fix: 'Have the firewall or the router that drops DNS messages with an OPT record (RFC 6891) let them pass.',
  },
  'dns-types': {
    reason: 'the resolver of this machine hides some types of records',
    fix: 'Set DNS_SERVERS to a resolver that answers for all types, DS, DNSKEY, CAA and HTTPS among them.',
  },
  'honest-dns': {
    reason: 'the resolver of this machine blocks names, or makes up answers for those that do not exist',
    fix: 'Set DNS_SERVERS to a resolver that neither blocks names nor makes up answers.',
  },
  https: {
    reason: 'this network lets no connection out to port 443',
    fix: 'Let this machine open TCP connections to port 443 of any address.',
  },
  tls: {
    reason: 'TLS is intercepted in this network: hosts that it asks have a certificate of the interceptor',
    fix: 'Exempt this machine from the inspection of TLS.',
  },
  'large-packets': {
    reason: 'large packets are lost on the way out of this network',
    fix: 'Lower the MTU of this machine or clamp the MSS at its router, and let ICMP "packet too big" pass.',
  },
  smtp: {
    reason: 'port 25 is blocked in this network',
    fix: 'Ask the provider of this machine to open port 25 for outgoing mail.',
  },
  clock: {
    reason: 'the clock of this machine is wrong, and by the right time it could be otherwise',
    fix: 'Set the clock of this machine, by NTP for example.',
  },
};

/** A resolver that answers, but not at length. */
export const largeAnswersText: VantageText = {
  reason: 'the resolver of this machine cannot bring answers above 512 octets',
  fix: 'Let DNS over TCP and long answers over UDP pass between the two, or set DNS_SERVERS to another resolver.',
};

/** The kinds among them, each once, in their order; names of another version behind them. */
export function orderKinds(kinds: Iterable<string>): readonly string[] {
  const given = new Set(kinds);
  const known = vantageKinds.filter((kind) => given.has(kind));
  return [...known, ...[...given].filter((kind) => !vantageKinds.some((one) => one === kind))];
}

/** Whether a reason of a rule that was not tested speaks of this machine's own network. */
export function isOfVantage(reason: string): boolean {
  return [...vantageKinds.map((kind) => vantageTexts[kind]), largeAnswersText].some((text) =>
    reason.includes(text.reason),
  );
}

export function isVantageKind(name: string): name is VantageKind {
  return vantageKinds.some((kind) => kind === name);
}
