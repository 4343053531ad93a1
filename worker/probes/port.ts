import type { BrowserProbe } from './browser/port.ts';
import type { DnsProbe } from './dns/port.ts';
import type { HttpProbe } from './http/port.ts';
import type { TlsProbe } from './tls/port.ts';

/** Everything that touches a target. Opened for one run, closed at its end; nothing of it outlives the run. */
export type Probes = {
  readonly http: HttpProbe;
  readonly dns: DnsProbe;
  readonly tls: TlsProbe;
  readonly browser: BrowserProbe;
};
