import { connect, type LookupFunction, type Socket } from 'node:net';
import { classifyAddress, isInCidrs } from '#shared/targets/classify-address';
import { deniedWhy } from '#shared/targets/denied-names';
import { isPortAllowed, type TargetPolicy } from '#shared/targets/parse-target';
import { steadyNow } from '#shared/time/steady-time';
import type { AddressSlots } from './address-slots.ts';
import type { ConnectionWatch } from './connection-watch.ts';
import { DialFailure, readSocketError } from './dial-failure.ts';
import { explainDial, reachableOf, waitForDial, watchConnection, type WayOut } from './from-here.ts';
import { currentRun, markRun } from './mark.ts';
import type { Resolve } from './resolve.ts';
import { trustedNetwork } from './vantage/open.ts';
import { familyOf } from './vantage/ways.ts';

/** What decides whether an address may be reached, and when. */
export type AdmissionSettings = {
  readonly policy: TargetPolicy;
  readonly resolve: Resolve;
  readonly vantage?: WayOut['vantage'];
  /** Labs only: target port → the port that is really dialled, and only at addresses that the operator allows by name. */
  readonly portMap: ReadonlyMap<number, number>;
  readonly slots: AddressSlots;
  /** Charges the run's budget before a connection to the host at one of these addresses; throws DialFailure `budget-spent`. */
  readonly charge: (host: string, addresses: readonly string[], signal: AbortSignal) => Promise<void>;
};

export type GuardSettings = AdmissionSettings & Partial<WayOut> & { readonly connectTimeoutMs: number };

/** An open connection and when its phases ended, by performance.now(). */
export type Dialled = {
  readonly socket: Socket;
  readonly address: string;
  readonly times: { readonly start: number; readonly resolved: number; readonly connected: number };
  /** Who hears how it goes on. */
  readonly watch?: ConnectionWatch;
};

/** Which of a host's judged addresses to dial: this one, or the first of this family. Left out: one of each family, whichever answers first. */
export type AddressChoice = { readonly address?: string } | { readonly family?: 4 | 6 };

/** Opens a TCP connection to a host that strangers chose, or throws DialFailure. `admit` is the only way to a target's sockets. */
export type Dial = (
  host: string,
  port: number,
  signal: AbortSignal,
  choice?: AddressChoice,
) => Promise<Dialled>;

/**
 * Makes the dialler. Every resolved address is judged before any is connected to, one that is refused spoils them all,
 * and the judged list is pinned: a second look-up could answer with a private address (DNS rebinding).
 */
export function openGuard(settings: GuardSettings): Dial {
  const way = { vantage: settings.vantage ?? trustedNetwork, via: settings.via ?? directly };
  return async (host, port, signal, choice = {}) => {
    const start = performance.now();
    const { addresses, dialledPort, resolved, release } = await admit(
      settings,
      { host, port, choice },
      signal,
    );
    const dialling = { host, port, addresses, since: steadyNow() };
    try {
      const reachable = await reachableOf(addresses, port, way);
      const ways = await Promise.all(reachable.map(way.via));
      const socket = await waitForDial(connectTo(ways, dialledPort, settings, signal), dialling, way);
      socket.once('close', release);
      const peer = way.vantage.inside(socket.remoteAddress ?? '') ?? socket.remoteAddress;
      const address = judgePeer(peer, addresses, settings.policy, () => socket.destroy());
      const watch = watchConnection({ host, port, address }, way);
      return { socket, address, times: { start, resolved, connected: performance.now() }, watch };
    } catch (error) {
      release();
      throw await explainDial(error, dialling, way);
    }
  };
}

const directly = async (address: string) => address;

/** What is to be reached. */
export type Destination = { readonly host: string; readonly port: number; readonly choice: AddressChoice };

/** Judged addresses that may be reached now: charged, and with a place at each until `release`. */
export type Admission = {
  readonly addresses: readonly string[];
  /** Another than was named in labs only. */
  readonly dialledPort: number;
  /** When the name was resolved, by performance.now(). */
  readonly resolved: number;
  readonly release: () => void;
};

/** Judges a destination and takes the places for it, over TCP and UDP alike; or throws DialFailure. Nothing is sent. */
export async function admit(
  settings: AdmissionSettings,
  { host, port, choice }: Destination,
  signal: AbortSignal,
): Promise<Admission> {
  signal.throwIfAborted();
  if (!isPortAllowed(port, settings.policy.ports))
    throw new DialFailure('target-not-allowed', `it names port ${port}, which is not checked`);
  const addresses = await chooseAddresses(host, settings, choice);
  const resolved = performance.now();
  await settings.charge(host, addresses, signal);
  const release = await settings.slots.take(addresses, signal);
  return { addresses, dialledPort: mapPort(port, addresses, settings), resolved, release };
}

function mapPort(port: number, addresses: readonly string[], { policy, portMap }: AdmissionSettings): number {
  const isAllowedByName = addresses.every((address) => isInCidrs(address, policy.addresses.allow));
  return (isAllowedByName ? portMap.get(port) : undefined) ?? port;
}

/** All addresses of a host, canonical, every one judged. Throws DialFailure where there is none, or one that is refused. */
export async function findAddresses(
  host: string,
  { resolve, policy, vantage = trustedNetwork }: Pick<GuardSettings, 'resolve' | 'policy' | 'vantage'>,
): Promise<readonly string[]> {
  if (policy.denied?.covers(host)) throw new DialFailure('target-not-allowed', `the name ${deniedWhy}`);
  const resolved = await resolve(host);
  const isSafe = !resolved.some((address) => familyOf(address) === 6) || (await vantage.knowsNat64());
  // Until it is known whether there is a NAT64, an address of IPv6 may stand for any of IPv4.
  const usable = isSafe ? resolved : resolved.filter((address) => familyOf(address) === 4);
  if (!isSafe && usable.length === 0) throw new DialFailure('not-from-here', vantage.meet('resolver'));
  // One that a NAT64 would translate is the IPv4 address that it stands for.
  const found = usable.map((address) => vantage.inside(address) ?? address);
  const verdicts = found.map((address) => classifyAddress(address, policy.addresses));
  if (verdicts.some(({ kind }) => kind === 'refused')) {
    throw new DialFailure('target-address-not-allowed', 'the name leads to an address that is not public');
  }
  return verdicts.flatMap((verdict) => (verdict.kind === 'public' ? [verdict.address] : []));
}

/**
 * Those of a host's addresses that a connection would try; throws DialFailure as `findAddresses`, and where the choice leaves none.
 * One address of each family is enough for happy eyeballs, and bounds what one name can make us connect to.
 */
export async function chooseAddresses(
  host: string,
  settings: Pick<GuardSettings, 'resolve' | 'policy' | 'vantage'>,
  choice: AddressChoice,
): Promise<readonly string[]> {
  const addresses = await findAddresses(host, settings);
  const ofFamily = (family: 4 | 6) => addresses.filter((address) => familyOf(address) === family).slice(0, 1);
  if ('address' in choice && choice.address !== undefined) {
    if (addresses.includes(choice.address)) return [choice.address];
    throw new DialFailure('name-not-found', 'the name no longer has the address that was to be looked at');
  }
  if (!('family' in choice) || choice.family === undefined) return [...ofFamily(4), ...ofFamily(6)];
  const chosen = ofFamily(choice.family);
  const { vantage = trustedNetwork } = settings;
  if (chosen.length === 0 && choice.family === 6 && !(await vantage.knowsNat64()))
    throw new DialFailure('not-from-here', vantage.meet('resolver'));
  if (chosen.length === 0)
    throw new DialFailure('name-not-found', `the name has no IPv${choice.family} address`);
  return chosen;
}

/** A second lock that costs nothing: whatever a socket did, it must have ended where we judged. Throws DialFailure after `close`. */
export function judgePeer(
  peer: string | undefined,
  addresses: readonly string[],
  policy: TargetPolicy,
  close: () => void,
): string {
  const verdict = classifyAddress(peer ?? '', policy.addresses);
  if (verdict.kind === 'public' && addresses.includes(verdict.address)) return verdict.address;
  close();
  throw new DialFailure(
    'target-address-not-allowed',
    'the connection ended at an address that was not judged',
  );
}

function connectTo(
  addresses: readonly string[],
  port: number,
  settings: GuardSettings,
  signal: AbortSignal,
): Promise<Socket> {
  const pinned = addresses.map((address) => ({ address, family: familyOf(address) }));
  const lookup: LookupFunction = (_host, _options, callback) => callback(null, pinned);
  return new Promise((resolve, reject) => {
    const socket = connect({
      host: 'pinned.invalid',
      port,
      lookup,
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: 250,
      noDelay: true,
    });
    markReads(socket);
    const settle = (error?: Error) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      socket.off('error', settle);
      if (!error) return resolve(socket);
      socket.destroy();
      reject(error);
    };
    const timer = setTimeout(
      () =>
        settle(
          new DialFailure('connection-timeout', 'the connection could not be made in time', {
            address: addresses[0] ?? null,
          }),
        ),
      settings.connectTimeoutMs,
    );
    const abort = () => settle(signal.reason as Error);
    signal.addEventListener('abort', abort, { once: true });
    socket.once('connect', () => settle());
    socket.once('error', (error) => settle(asDialFailure(error, addresses[0] ?? null)));
  });
}

/** Marks whose data comes before anybody reads it, a parser of Node's own too. */
function markReads(socket: Socket): void {
  const run = currentRun();
  if (run === undefined) return;
  const push = socket.push.bind(socket);
  socket.push = (...pushed) => {
    markRun(run);
    return push(...pushed);
  };
}

/** A system error of a socket as DialFailure; one that is no fault of the target as it is. */
export function asDialFailure(error: Error, address: string | null): Error {
  const known = readSocketError(error) ?? readRefusedProtocol(error);
  return known ? new DialFailure(known[0], known[1], { address, cause: error }) : error;
}

/** Before a connection EPROTO comes of ICMP; behind it, it is OpenSSL's word for any failure. */
function readRefusedProtocol(error: Error): ReturnType<typeof readSocketError> {
  const isRefused = 'code' in error && error.code === 'EPROTO';
  return isRefused ? ['network-unreachable', 'the host refuses the protocol'] : undefined;
}
