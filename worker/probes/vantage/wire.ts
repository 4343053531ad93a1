import { createSocket } from 'node:dgram';
import { noPace } from '#shared/limits/pace/memory';
import { siteOf } from '#shared/targets/parse-target';
import { steadyNow } from '#shared/time/steady-time';
import { openBudget } from '../budget.ts';
import { askServer } from '../dns/ask.ts';
import type { DnsClient } from '../dns/open.ts';
import type { DnsAnswer, DnsQuestion } from '../dns/port.ts';
import { openUdpSocket } from '../dns/udp.ts';
import { type Dial, type GuardSettings, openGuard } from '../guard.ts';
import type { Registries } from '../rdap/registries.ts';
import { openHttpsLook } from './https-wire.ts';
import { trustedNetwork } from './open.ts';
import type { ControlHost, ControlWire } from './port.ts';
import { rootServers } from './roots.ts';

export type WireSettings = {
  readonly dns: DnsClient;
  readonly guard: Pick<GuardSettings, 'policy' | 'slots' | 'portMap'>;
  readonly controlHosts: readonly ControlHost[];
  readonly userAgent: string;
  readonly registries: Registries | undefined;
};

const dnsPort = 53;
/** A control that answers does so soon: each is asked twice. */
const dnsTries = [500, 900];
/** A resolver may have to ask others first, and some are slow. */
const resolverTries = [700, 1300, 2000];
const tcpTimeoutMs = 1500;
const connectTimeoutMs = 1500;
/** The longest that all of a control takes. */
const limitMs = 6000;
/** How long the system's word of a route is believed. */
const routeForMs = 5000;

/** Opens what controls are asked by: the probes' own codec, guard and handshake, without a run and its budget. */
export function openControlWire({
  dns,
  guard,
  controlHosts,
  registries,
  userAgent,
}: WireSettings): ControlWire {
  const way = { vantage: trustedNetwork, via: async (address: string) => address };
  const free = { ...guard, ...way, connectTimeoutMs, charge: async () => undefined };
  const dialServer = openGuard({
    ...free,
    policy: { ...guard.policy, ports: [[dnsPort, dnsPort]] },
    resolve: async (address) => [address],
  });
  const look = openHttpsLook({ dns, guard: { ...free, dialServer }, userAgent, limitMs });
  const hasRoute = rememberRoutes();
  return {
    controlHosts,
    now: steadyNow,
    registriesOf(host) {
      const registry = registries?.registryOf(siteOf(host));
      return registry?.kind === 'listed' ? [siteOf(new URL(registry.base).hostname)] : [];
    },
    hasRoute,
    askServer: (address, question, options) => askControl(address, question, options, dialServer),
    async askResolver(question, options = {}): Promise<DnsAnswer> {
      const run = {
        budget: openBudget(noPace, undefined),
        signal: AbortSignal.timeout(limitMs),
        tries: resolverTries,
      };
      try {
        return await dns.resolvers.ask(question, options, run);
      } catch {
        // There is no resolver, or none in time.
        return { kind: 'failure', question, code: 'timeout', reason: 'no answer in time', server: '' };
      }
    },
    lookAtHttps: (...asked) => look(...asked),
  };
}

/** Asks a server without recursion, as name servers are asked. */
async function askControl(
  address: string,
  question: DnsQuestion,
  { edns = true, dnssecOk = false, transport = 'udp' }: Parameters<ControlWire['askServer']>[2],
  dial: Dial,
): Promise<DnsAnswer> {
  const signal = AbortSignal.timeout(limitMs);
  const socket = await openUdpSocket(address, dnsPort);
  try {
    return await askServer({
      question,
      flags: { edns, dnssecOk, recursionDesired: false, checkingDisabled: false },
      server: { address, port: dnsPort },
      tries: dnsTries,
      tcpTimeoutMs,
      transport,
      udp: socket.exchange,
      openTcp: async () => (await dial(address, dnsPort, signal)).socket,
      budget: openBudget(noPace, undefined),
      signal,
    });
  } catch (error) {
    if (!signal.aborted) throw error;
    return { kind: 'failure', question, code: 'timeout', reason: 'no answer in time', server: address };
  } finally {
    socket.close();
  }
}

/** Whether the system knows a way to the internet, by family. Nothing is sent: only the route is looked up. */
function rememberRoutes(): ControlWire['hasRoute'] {
  const known = new Map<4 | 6, { readonly at: number; readonly has: Promise<boolean> }>();
  return (family) => {
    const found = known.get(family);
    if (found && performance.now() - found.at < routeForMs) return found.has;
    const has = lookUpRoute(family);
    known.set(family, { at: performance.now(), has });
    return has;
  };
}

function lookUpRoute(family: 4 | 6): Promise<boolean> {
  const socket = createSocket(family === 4 ? 'udp4' : 'udp6');
  return new Promise((resolve) => {
    const end = (has: boolean) => {
      socket.close();
      resolve(has);
    };
    // Node gives the failure to the callback, whatever its types say.
    socket.connect(dnsPort, rootServers[family][0], (error?: Error) => end(error === undefined));
  });
}
