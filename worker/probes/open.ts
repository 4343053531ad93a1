import { version } from '#shared/model/version';
import { ownSlot, type Slot } from '#shared/ports/job-queue';
import type { Pace } from '#shared/ports/pace';
import type { TargetPolicy } from '#shared/targets/parse-target';
import { type AddressSlots, openAddressSlots } from './address-slots.ts';
import { type BrowserProbeSettings, openBrowserProbe } from './browser/open.ts';
import type { BrowserProbe } from './browser/port.ts';
import type { ChargeRequest } from './browser/socks-proxy.ts';
import { openSpareBrowser } from './browser/spare.ts';
import { type Budget, describeSpent, openBudget, type RunOwner } from './budget.ts';
import { countContacts } from './contacts.ts';
import { DialFailure } from './dial-failure.ts';
import { type DnsClient, type DnsSettings, openDnsClient } from './dns/open.ts';
import { type WayOut, whyPortal } from './from-here.ts';
import { chooseAddresses, type Dial, findAddresses, type GuardSettings, openGuard } from './guard.ts';
import { openHttpProbe } from './http/open.ts';
import type { HttpLimits, HttpSettings } from './http/settings.ts';
import type { Charge } from './pace-turns.ts';
import type { OpenedProbes } from './port.ts';
import { noRdap, openRdapProbe, rdapLimits } from './rdap/open.ts';
import type { RdapProbe } from './rdap/port.ts';
import type { Registries } from './rdap/registries.ts';
import { openResolve } from './resolve.ts';
import { openMailPort, type MailPortOptions } from './smtp/mail-port.ts';
import { openSmtpProbe } from './smtp/open.ts';
import { openMailShelf, type TalkStore } from './smtp/shelf.ts';
import type { SmtpLimits } from './smtp/talk.ts';
import { openTlsProbe, type TlsLimits } from './tls/open.ts';
import { openUdpProbe, type UdpReach } from './udp/open.ts';
import { listedControls, namedControls } from './vantage/control-hosts.ts';
import { openControls } from './vantage/controls.ts';
import type { VantageMemory } from './vantage/memory.ts';
import { throughNat64 } from './vantage/nat64.ts';
import { openVantage, type RunVantage, trustedNetwork, type Vantage } from './vantage/open.ts';
import { openControlWire } from './vantage/wire.ts';
import { sendVerified, type VerifiedSettings } from './verified/send.ts';
import { openWork, type Work } from './work.ts';

export type ProbeSettings = {
  /** What tells the faults of this network from those of targets; left out where targets are on this machine, as in labs. */
  readonly vantage?: VantageProbeSettings | undefined;
  /** The pace of all runs together. */
  readonly pace: Pace;
  readonly policy: TargetPolicy;
  /** Labs only: target port → port that is really dialled, at addresses that the operator allows by name. */
  readonly portMap: ReadonlyMap<number, number>;
  readonly contactUrl: string | undefined;
  readonly connectTimeoutMs: number;
  readonly socketsPerAddress: number;
  readonly dns: Omit<DnsSettings, 'policy' | 'slots'>;
  readonly browser: Omit<BrowserProbeSettings, 'policy' | 'contact' | 'chargeRequest' | 'spare'>;
  readonly http: HttpLimits;
  readonly tls: TlsLimits;
  /** Left out where mail hosts are not to be talked to. */
  readonly smtp?: MailSettings | undefined;
  /** Absent where registries are not asked. */
  readonly rdap?: { readonly registries: Registries; readonly pace: Pace } | undefined;
};

/** How a worker learns what its own network can do. */
export type VantageProbeSettings = {
  readonly controlHosts: readonly string[];
  readonly ignoresProxy: boolean;
  readonly tell?: ((memory: VantageMemory) => void) | undefined;
};

/** How mail hosts are talked to. */
export type MailSettings = {
  /** The name that they are greeted with. */
  readonly helo: string;
  readonly controlHost: string | undefined;
  readonly limits: SmtpLimits;
  /** What all workers know of them. */
  readonly store: TalkStore | undefined;
  readonly mailPort?: MailPortOptions;
};

/** The probes of a worker: opened for each run, sharing sockets to the resolvers, answers, and the places at an address. */
export type ProbeFactory = {
  /**
   * @param owner whose run it is; without one no host is foreign
   * @param slot given up while the run waits for the pace of others
   */
  open(signal: AbortSignal, owner?: RunOwner, slot?: Slot): OpenedProbes;
  /** What is known of this machine's network; undefined where nobody asks. */
  readonly vantage?: Vantage | undefined;
  close(): void;
};

/** Sockets that the pages of a worker may hold open to one address: a page opens dozens at once, so that they have places of their own. */
const socketsOfPages = 64;

/** TLS connections that a worker may have open to one address: most are over after one answer, and a check opens sixteen at once where a server keeps up. */
const socketsOfTls = 16;

/** Mail hosts are far away more often than web servers are, and a lost SYN costs a second, then two. */
const mailConnectMs = 5000;

/** Connections that a worker may have open to port 25 of one address. */
const mailSockets = 6;

/** Prepares what all runs of a worker share. */
export function prepareProbes(settings: ProbeSettings): ProbeFactory {
  const { policy, portMap, connectTimeoutMs } = settings;
  const slots = openAddressSlots(settings.socketsPerAddress);
  const pageSlots = openAddressSlots(socketsOfPages);
  const tlsSlots = openAddressSlots(socketsOfTls);
  const udpReach: UdpReach = { isSeen: false };
  const openSmtp = settings.smtp && prepareSmtp(settings.smtp);
  const client = openDnsClient({ ...settings.dns, policy, slots });
  const { contact, userAgent } = nameOurselves(settings);
  const { vantage, via } = openWayOut(settings, { dns: client, slots, userAgent });
  const spare = openSpareBrowser();
  const ofPages = { ...settings.browser, policy, contact, spare };
  const ofHttp = { slots, policy, userAgent, limits: settings.http };
  return {
    vantage,
    open(signal, owner, slot = ownSlot) {
      const run = vantage?.openRun() ?? trustedNetwork;
      const work = openWork(signal);
      const { budget, contacts } = countContacts(openBudget(settings.pace, owner, slot));
      const own = { via, policy, portMap, connectTimeoutMs };
      // What a name server fails at is judged with the question.
      const untold = { ...trustedNetwork, inside: (address: string) => run.inside(address) };
      const dialAddress = openGuard(guardOfAddresses({ ...own, vantage: untold, slots }, budget));
      const dns = client.openProbe({ vantage: run, via, dial: dialAddress, budget, signal });
      const shared = { ...own, vantage: run, resolve: openResolve(dns, policy.denied) };
      const { dialHttp, dialTls, find, ofUdp } = openRunGuards({ ...shared, slots }, tlsSlots, budget);
      const http = openHttpProbe({ ...ofHttp, ...askingOf(dialHttp, shared, budget) }, signal);
      return {
        policy,
        http,
        dns,
        tls: openTlsProbe(dialTls, find, settings.tls, signal),
        smtp: openSmtp?.({ ...shared, budget }, work, signal),
        udp: openUdpProbe(ofUdp, udpReach, signal),
        rdap: openRegistryQuestions(settings, { ...shared, slots, budget, userAgent, owner }, signal),
        browser: openPages(ofPages, { ...shared, slots: pageSlots }, budget, signal),
        work,
        sendVerified: openVerified({ ...ofHttp, dial: dialHttp }, find, signal),
        spent: () => budget.spent(),
        ...placeOf(run),
        contacts,
        close: () => http.close(),
      };
    },
    close() {
      client.close();
      spare.close();
    },
  };
}

function openRunGuards(
  guard: Omit<GuardSettings, 'charge'>,
  tlsSlots: AddressSlots,
  budget: Pick<Budget, 'charge'>,
) {
  const chargedWith = (what: Charge): GuardSettings => ({
    ...guard,
    charge: chargeDial(budget, ['foreign connections', what]),
  });
  return {
    dialHttp: openGuard(chargedWith('requests')),
    dialTls: openGuard({ ...chargedWith('handshakes'), slots: tlsSlots }),
    find: (host: string) => findAddresses(host, guard),
    ofUdp: chargedWith('UDP exchanges'),
  };
}

function askingOf(
  dial: Dial,
  guard: Parameters<typeof chooseAddresses>[1],
  budget: Pick<Budget, 'charge'>,
): Pick<HttpSettings, 'dial' | 'chooseAddresses' | 'chargeReuse' | 'whyPortal' | 'clock'> {
  return {
    dial,
    chooseAddresses: (host, choice) => chooseAddresses(host, guard, choice),
    chargeReuse: chargeRequestWith(budget),
    clock: () => (guard.vantage ?? trustedNetwork).clock(),
    whyPortal: (redirect) => whyPortal(redirect, guard.vantage ?? trustedNetwork),
  };
}

function nameOurselves({ contactUrl }: ProbeSettings) {
  const contact = `DiagnosticTools/${version}${contactUrl === undefined ? '' : `; +${contactUrl}`}`;
  return { contact, userAgent: `Mozilla/5.0 (compatible; ${contact})` };
}

/** How the runs of a worker leave this machine, and what is known of the network there. */
function openWayOut(
  { vantage: wanted, policy, portMap, rdap }: ProbeSettings,
  {
    dns,
    slots,
    userAgent,
  }: { readonly dns: DnsClient; readonly slots: AddressSlots; readonly userAgent: string },
): { readonly vantage: Vantage | undefined; readonly via: WayOut['via'] } {
  if (!wanted) return { vantage: undefined, via: async (address) => address };
  const wire = openControlWire({
    dns,
    guard: { policy, portMap, slots },
    // Who asks no registries at all asks none of them for this either.
    controlHosts: [...namedControls(wanted.controlHosts), ...(rdap ? listedControls : [])],
    registries: rdap?.registries,
    userAgent,
  });
  const vantage = openVantage({ ...wanted, controls: (notes) => openControls(wire, notes) });
  const known = vantage.openRun();
  return {
    vantage,
    async via(address) {
      if (address.includes(':') || (await wire.hasRoute(4))) return address;
      const [prefix] = (await known.traits()).nat64;
      return prefix === undefined ? address : throughNat64(address, prefix);
    },
  };
}

function openVerified(
  settings: VerifiedSettings,
  find: (host: string) => Promise<readonly string[]>,
  signal: AbortSignal,
): OpenedProbes['sendVerified'] {
  return (request, admit) => {
    const admission = admit && { findAddresses: find, admit };
    return sendVerified(request, { ...settings, ...(admission ? { admission } : {}) }, signal);
  };
}

/** A name server is named by its address, so dialling it needs no resolver; the guard for all else asks the run's DNS. Its port is our choice, never the target's. */
function guardOfAddresses(
  guard: Omit<GuardSettings, 'charge' | 'resolve'>,
  budget: Pick<Budget, 'charge'>,
): GuardSettings {
  const policy: TargetPolicy = { ...guard.policy, ports: [[1, 65_535]] };
  const charge = chargeDial(budget, ['server connections']);
  return { ...guard, policy, charge, resolve: async (address) => [address] };
}

function prepareSmtp({ helo, limits, controlHost, store, mailPort }: MailSettings) {
  const mail = { helo, limits, mailPort: openMailPort(controlHost, mailPort), shelf: openMailShelf(store) };
  const slots = openAddressSlots(mailSockets);
  return (
    { budget, ...guard }: Omit<GuardSettings, 'slots' | 'charge'> & { readonly budget: Budget },
    work: Work,
    signal: AbortSignal,
  ) => {
    // The hour last: what the second refuses must not use up the hour.
    const charge = chargeDial(budget, ['mail connections', 'mail connections an hour']);
    return openSmtpProbe(mail, { ...guard, charge, connectTimeoutMs: mailConnectMs, slots }, work, signal);
  };
}

type AskingRegistries = Omit<GuardSettings, 'charge'> & {
  readonly budget: Pick<Budget, 'charge'>;
  readonly userAgent: string;
  readonly owner: RunOwner | undefined;
};

// Their ports are those of the list of registries, never the target's choice.
function openRegistryQuestions(
  { rdap }: ProbeSettings,
  { budget, userAgent, owner, ...guard }: AskingRegistries,
  signal: AbortSignal,
): RdapProbe {
  if (!rdap) return noRdap;
  const policy = { ...guard.policy, ports: rdap.registries.ports };
  const charge: GuardSettings['charge'] = async (host, _addresses, ending) => {
    await budget.charge('registry questions', host, ending);
  };
  const dial = openGuard({ ...guard, policy, charge });
  const isAnonymous = owner?.isAnonymous === true;
  return openRdapProbe({ ...rdap, isAnonymous, dial, policy, userAgent, limits: rdapLimits }, signal);
}

// What a page may ask of other sites is counted by its proxy; the pace of an address counts its connections and requests alike.
function openPages(
  settings: BrowserProbeSettings,
  guard: Omit<GuardSettings, 'charge'>,
  { chargeInSlot }: Budget,
  signal: AbortSignal,
): BrowserProbe {
  const charge = chargeDial({ charge: chargeInSlot }, ['requests']);
  const chargeRequest = chargeRequestWith({ charge: chargeInSlot });
  const network = { dial: openGuard({ ...guard, charge }), resolve: guard.resolve };
  return openBrowserProbe({ ...settings, chargeRequest }, network, signal);
}

/** Charges one more request over a connection that is open. */
function chargeRequestWith(budget: Pick<Budget, 'charge'>): ChargeRequest {
  const charge = chargeDial(budget, ['requests']);
  return (address, signal) => charge(address, [address], signal);
}

/** Charges a connection: to the host's domain where that is foreign, and to every address that may be dialled. */
function chargeDial(budget: Pick<Budget, 'charge'>, charges: readonly Charge[]): GuardSettings['charge'] {
  return async (host, addresses, signal) => {
    for (const what of charges)
      for (const of of what === 'foreign connections' ? [host] : addresses) {
        const spent = await budget.charge(what, of, signal);
        if (spent)
          throw new DialFailure('budget-spent', describeSpent(spent), { address: addresses[0] ?? null });
      }
  };
}

/** What a run learns of its place. */
function placeOf(run: RunVantage): Pick<OpenedProbes, 'missing' | 'untried' | 'clock'> {
  return { missing: () => run.missing(), untried: () => run.untried(), clock: () => run.clock() };
}
