import { request } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { noPace } from '#shared/limits/pace/memory';
import { openChainReader } from '../../certificates/read-chain.ts';
import { openBudget } from '../budget.ts';
import type { ConnectionWatch } from '../connection-watch.ts';
import { DialFailure } from '../dial-failure.ts';
import type { DnsClient } from '../dns/open.ts';
import { type Dial, type Dialled, type GuardSettings, openGuard } from '../guard.ts';
import { openResolve } from '../resolve.ts';
import { seeIssuer, type SeenIssuer } from '../tls/issuer.ts';
import { shakeHands } from '../tls/shake-hands.ts';
import { trustedNetwork } from './open.ts';
import type { ControlHost, ControlWire, HttpsOutcome } from './port.ts';

type LookSettings = {
  readonly dns: DnsClient;
  readonly guard: Omit<GuardSettings, 'resolve'> & { readonly dialServer: Dial };
  readonly userAgent: string;
  /** The longest that all of it takes. */
  readonly limitMs: number;
};

const handshakeMs = 3000;
const way = { vantage: trustedNetwork, via: async (address: string) => address };

/** Opens what https hosts are looked at by. */
export function openHttpsLook({
  dns,
  guard: { dialServer, ...guard },
  userAgent,
  limitMs,
}: LookSettings): ControlWire['lookAtHttps'] {
  const policy = { ...guard.policy, ports: [[httpsPort, httpsPort] as const] };
  return async (control, family, asksDate) => {
    const signal = AbortSignal.timeout(limitMs);
    const budget = openBudget(noPace, undefined);
    const probe = dns.openProbe({ ...way, dial: dialServer, budget, signal });
    const dial = openGuard({ ...guard, policy, resolve: openResolve(probe) });
    try {
      const dialled = await dial(control.host, httpsPort, signal, { family });
      return await lookAtChain(dialled, { control, signal, ...(asksDate ? { userAgent } : {}) });
    } catch (error) {
      if (error instanceof DialFailure) return asOutcome(error);
      if (signal.aborted) return { kind: 'unknown' };
      throw error;
    }
  };
}

type Looking = {
  readonly control: ControlHost;
  readonly signal: AbortSignal;
  /** By whom it is asked for its clock; not at all where left out. */
  readonly userAgent?: string;
};

async function lookAtChain(dialled: Dialled, { control, signal, userAgent }: Looking): Promise<HttpsOutcome> {
  let issuer: SeenIssuer = {
    isPublic: false,
    isStrange: false,
    isKnown: false,
    issuer: '',
    isOutOfTime: false,
  };
  const watch: ConnectionWatch = {
    finished: (work) => work,
    explain: async (error) => error,
    async secured(tls) {
      issuer = seeIssuer(tls);
    },
  };
  let said: Clock | undefined;
  const talk = async (tls: TLSSocket) => {
    if (userAgent !== undefined) said = await askClock(tls, control, userAgent, signal);
  };
  const hello = { servername: control.host, lingerMs: 0 };
  const limits = { handshakeMs, lingerMs: 0 };
  const seen = await shakeHands({ ...dialled, watch }, { request: hello, limits, signal, talk });
  if (seen.kind !== 'connected')
    return seen.code === 'tls-timeout' ? { kind: 'silent' } : { kind: 'not-connected' };
  const { isPublic, isStrange, isKnown } = issuer;
  const seenChain = { kind: 'secured', isPublic, isStrange, isKnown } as const;
  // Its chain is judged by its own clock: by ours a good one may have ended.
  const isTrusted = said && openChainReader(said.atMs)(seen.certificates).trust?.kind === 'trusted';
  return said && isTrusted ? { ...seenChain, aheadMs: said.aheadMs } : seenChain;
}

/** What a host's Date was, Unix ms, and how much it was ahead of our clock. */
type Clock = { readonly atMs: number; readonly aheadMs: number };

/** Asks a host for its Date (RFC 9110 §6.6.1) over a connection that is secure. */
function askClock(
  tls: TLSSocket,
  { host, path }: ControlHost,
  userAgent: string,
  signal: AbortSignal,
): Promise<Clock | undefined> {
  const sentAt = Date.now();
  const headers = { 'user-agent': userAgent, connection: 'close' };
  return new Promise((resolve) => {
    const asking = request(
      { method: 'HEAD', host, path, headers, createConnection: () => tls, signal, timeout: answerMs },
      (response) => {
        response.resume();
        // A cache tells when it got the answer, and how long ago that was (RFC 9111 §5.1).
        const ageMs = 1000 * Number(response.headers.age ?? 0);
        const atMs = Date.parse(response.headers.date ?? '') + ageMs;
        resolve(
          Number.isFinite(atMs)
            ? { atMs, aheadMs: Math.round(atMs + 500 - (sentAt + Date.now()) / 2) }
            : undefined,
        );
      },
    );
    asking.on('timeout', () => asking.destroy());
    asking.on('error', () => resolve(undefined));
    asking.end();
  });
}

const answerMs = 2000;

const httpsPort = 443;

/** A name without an address says nothing of the network. */
function asOutcome({ code }: DialFailure): HttpsOutcome {
  const isDialled = [
    'connection-timeout',
    'connection-refused',
    'connection-reset',
    'network-unreachable',
  ].includes(code);
  if (isDialled) return { kind: 'not-connected' };
  return code === 'name-not-found' ? { kind: 'unknown', isAbsent: true } : { kind: 'unknown' };
}
