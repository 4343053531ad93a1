import type { TargetPolicy } from '../../shared/target/parse-target.ts';
import { openAddressSlots } from './address-slots.ts';
import { type BrowserProbeSettings, openBrowserProbe } from './browser/open.ts';
import { type DnsSettings, openDnsClient } from './dns/open.ts';
import { openGuard } from './guard.ts';
import { type HttpLimits, openHttpProbe } from './http/open.ts';
import type { Probes } from './port.ts';
import { openResolve } from './resolve.ts';
import { openTlsProbe, type TlsLimits } from './tls/open.ts';

export type ProbeSettings = {
  readonly policy: TargetPolicy;
  /** Labs only: target port → port that is really dialled, at addresses that the operator allows by name. */
  readonly portMap: ReadonlyMap<number, number>;
  readonly contactUrl: string | undefined;
  readonly connectTimeoutMs: number;
  readonly socketsPerAddress: number;
  readonly dns: Omit<DnsSettings, 'policy' | 'slots'>;
  readonly browser: Omit<BrowserProbeSettings, 'policy' | 'contact'>;
  readonly http: HttpLimits;
  readonly tls: TlsLimits;
};

/** The probes of a worker: opened for each run, sharing sockets to the resolvers, answers, and the places at an address. */
export type ProbeFactory = {
  /** `close` ends every socket that the run still holds. */
  open(signal: AbortSignal): Probes & { close(): void };
  close(): void;
};

/** Sockets that the pages of a worker may hold open to one address. */
const socketsOfPages = 64;

/** Prepares what all runs of a worker share. */
export function prepareProbes(settings: ProbeSettings): ProbeFactory {
  const { policy, portMap, connectTimeoutMs } = settings;
  const slots = openAddressSlots(settings.socketsPerAddress);
  // A page opens dozens of connections at once; they have places of their own.
  const pageSlots = openAddressSlots(socketsOfPages);
  const client = openDnsClient({ ...settings.dns, policy, slots });
  const contact = `DiagnosticTools/0.1${settings.contactUrl === undefined ? '' : `; +${settings.contactUrl}`}`;
  const userAgent = `Mozilla/5.0 (compatible; ${contact})`;
  return {
    open(signal) {
      // A name server is named by its address, so dialling it needs no resolver; the guard for all else asks this run's DNS.
      // Its port is our choice, never the target's.
      const dialAddress = openGuard({
        policy: { ...policy, ports: [[1, 65_535]] },
        portMap,
        slots,
        connectTimeoutMs,
        resolve: async (address) => [address],
      });
      const dns = client.openProbe(signal, dialAddress);
      const dial = openGuard({ policy, portMap, slots, connectTimeoutMs, resolve: openResolve(dns) });
      const http = openHttpProbe({ dial, slots, policy, userAgent, limits: settings.http }, signal);
      const dialPage = openGuard({
        policy,
        portMap,
        slots: pageSlots,
        connectTimeoutMs,
        resolve: openResolve(dns),
      });
      const browser = openBrowserProbe({ ...settings.browser, policy, contact }, dialPage, signal);
      return { http, dns, tls: openTlsProbe(dial, settings.tls, signal), browser, close: () => http.close() };
    },
    close: () => client.close(),
  };
}
