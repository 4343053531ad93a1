import type { VantageKind } from '#shared/model/vantage';
import type { Contact } from '#shared/ports/access-record';
import type { TargetPolicy } from '#shared/targets/parse-target';
import type { BrowserProbe } from './browser/port.ts';
import type { SpentBudget } from './budget.ts';
import type { DnsProbe } from './dns/port.ts';
import type { HttpProbe } from './http/port.ts';
import type { RdapProbe } from './rdap/port.ts';
import type { SmtpProbe } from './smtp/port.ts';
import type { TlsProbe } from './tls/port.ts';
import type { UdpProbe } from './udp/port.ts';
import type { ClockFault } from './vantage/memory.ts';
import type { Admit, VerifiedAnswer, VerifiedRequest } from './verified/send.ts';
import type { Work } from './work.ts';

/** Everything that touches a target. Opened for one run, closed at its end; nothing of it outlives the run. */
export type Probes = {
  /** What the guard lets this run reach: names in records are judged by it before anything is asked about them. */
  readonly policy: TargetPolicy;
  readonly http: HttpProbe;
  readonly dns: DnsProbe;
  readonly tls: TlsProbe;
  /** Absent where mail hosts are not to be talked to (PROBE_SMTP). */
  readonly smtp?: SmtpProbe | undefined;
  readonly udp: UdpProbe;
  readonly browser: BrowserProbe;
  /** What this run may spend on reading pages. */
  readonly work: Work;
};

/** The probes of a run, with what closes them. */
export type OpenedProbes = Probes & {
  /** For visits: no check asks registries by itself. */
  readonly rdap: RdapProbe;
  /** Sends to a host that must prove its name: for what carries something of ours. */
  sendVerified(request: VerifiedRequest, admit?: Admit): Promise<VerifiedAnswer>;
  /** What this run wanted to ask and did not, because a budget ran out. */
  spent(): readonly SpentBudget[];
  /** What the network of this machine could not do when this run needed it. */
  missing(): readonly VantageKind[];
  /** What failed in this run while no control could be asked. */
  untried(): readonly VantageKind[];
  /** How wrong this machine's clock is; null where it is right as far as anybody knows. */
  clock(): ClockFault | null;
  /** What this run was let send, and where to, for the record for complaints. */
  readonly contacts?: () => readonly Contact[];
  /** Ends every socket that the run still holds. */
  close(): void;
};
