import type { TargetPolicy } from '../../shared/target/parse-target.ts';
import { openAddressSlots } from './address-slots.ts';
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
  readonly http: HttpLimits;
  readonly tls: TlsLimits;
};

/** The probes of a worker: opened for each run, sharing sockets to the resolvers, answers, and the places at an address. */
export type ProbeFactory = {
  /** `close` ends every socket that the run still holds. */
  open(signal: AbortSignal): Probes & { close(): void };
  close(): void;
};

/** Prepares what all runs of a worker share. */
export function prepareProbes(settings: ProbeSettings): ProbeFactory {
  const { policy, portMap, connectTimeoutMs } = settings;
  const slots = openAddressSlots(settings.socketsPerAddress);
  const client = openDnsClient({ ...settings.dns, policy, slots });
  const contact = settings.contactUrl === undefined ? '' : `; +${settings.contactUrl}`;
  const userAgent = `Mozilla/5.0 (compatible; DiagnosticTools/0.1${contact})`;
  return {
    open(signal) {
      // A name server is named by its address, so dialling it needs no resolver; the guard for all else asks this run's DNS.
      const dialAddress = openGuard({
        policy,
        portMap,
        slots,
        connectTimeoutMs,
        resolve: async (address) => [address],
      });
      const dns = client.openProbe(signal, dialAddress);
      const dial = openGuard({ policy, portMap, slots, connectTimeoutMs, resolve: openResolve(dns) });
      const http = openHttpProbe({ dial, policy, userAgent, limits: settings.http }, signal);
      return { http, dns, tls: openTlsProbe(dial, settings.tls, signal), close: () => http.close() };
    },
    close: () => client.close(),
  };
}
