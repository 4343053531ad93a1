import { createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { noPace } from '#shared/limits/pace/memory';
import { codesBroken } from '#shared/model/verdict';
import { type Config, readConfig } from '#shared/settings/config';
import { targetPolicyOf } from '#shared/settings/policy';
import { assessRedirects } from '../../../worker/checks/redirect-check/assess.ts';
import type { RedirectEvidence } from '../../../worker/checks/redirect-check/evidence.ts';
import { gatherRedirects, walkLimits } from '../../../worker/checks/redirect-check/gather.ts';
import { dnsLimits } from '../../../worker/probes/dns/open.ts';
import { httpLimits } from '../../../worker/probes/http/settings.ts';
import { type ProbeFactory, prepareProbes } from '../../../worker/probes/open.ts';
import { tlsLimits } from '../../../worker/probes/tls/open.ts';
import { browserSettingsOf } from '../../../worker/start/browser-settings.ts';
import type { KeyAndCertificate } from '../kit/certificates.ts';
import { type Lab, openLab } from '../kit/lab.ts';
import type { Sites } from '../kit/web-servers.ts';
import { type Name, openNameServer } from './name-server.ts';

/** What a scenario's servers are: sites told apart by name, and bare sockets on ports of their own (":raw" in a URL). */
export type Servers = {
  readonly sites?: Sites;
  /** Host → what it does with each connection, once it is open (and, with a certificate, secured). */
  readonly sockets?: { readonly [host: string]: (socket: Socket) => void };
  /** Host → which certificate it shows; without, it speaks no TLS. */
  readonly certificates?: { readonly [host: string]: (lab: Lab) => Promise<KeyAndCertificate> };
  readonly names?: { readonly [name: string]: Name };
};

export type World = {
  readonly probes: ProbeFactory;
  /** Settings for a process of the service that is to see this world. */
  readonly settings: Readonly<Record<string, string>>;
  /** Puts the true port where a text says ":raw". */
  place(text: string): string;
  /** Sockets open now at all targets. */
  openSockets(): number;
  /** Walks from here and closes its probes; also when the run is aborted, which rejects. */
  walk(start: string, signal?: AbortSignal): Promise<Walked>;
  close(): Promise<void>;
};

export type Walked = {
  readonly evidence: RedirectEvidence;
  readonly tookMs: number;
  readonly report: object;
};

const tenth = (ms: number) => ms / 10;
/** Of the whole run, as the check's spec gives it in production. */
const runLimitMs = tenth(20_000);

/** Opens all servers, and the check's own probes with production's limits, the times of them a tenth as long. */
export async function openWorld({
  sites = {},
  sockets = {},
  certificates = {},
  names = {},
}: Servers): Promise<World> {
  const nameServer = await openNameServer(names);
  const lab = await openLab({ sites });
  const raw = new Map<string, RawServer>();
  for (const [host, connected] of Object.entries(sockets))
    raw.set(host, await openRawServer(connected, await certificates[host]?.(lab)));
  const settings = lab.settings({ DNS_SERVERS: nameServer.address, TARGET_PORTS: '26-65535' });
  const probes = prepareTenth(readConfig(settings));
  const place = (text: string) =>
    text.replace(/([a-z0-9-]+\.test):raw/g, (_whole, host: string) => `${host}:${raw.get(host)?.port}`);
  return {
    probes,
    settings,
    place,
    openSockets: () =>
      lab.web.openSockets() + [...raw.values()].reduce((sum, { open }) => sum + open.size, 0),
    walk: (start, signal = AbortSignal.timeout(runLimitMs)) => walk(probes, place(start), signal),
    async close() {
      probes.close();
      await Promise.all([
        lab.close(),
        nameServer.close(),
        ...[...raw.values()].map((server) => server.close()),
      ]);
    },
  };
}

async function walk(probes: ProbeFactory, target: string, signal: AbortSignal): Promise<Walked> {
  const start = performance.now();
  const opened = probes.open(signal);
  try {
    const limits = { ...walkLimits, chainMs: tenth(walkLimits.chainMs) };
    const evidence = await gatherRedirects(
      { target, options: {}, probes: opened, progress: () => undefined },
      limits,
    );
    const { state, verdicts, fields } = assessRedirects(evidence);
    const tookMs = performance.now() - start;
    return { evidence, tookMs, report: { state, ...fields, broken: codesBroken(verdicts).sort() } };
  } finally {
    opened.close();
  }
}

function prepareTenth(config: Config): ProbeFactory {
  return prepareProbes({
    pace: noPace,
    policy: targetPolicyOf(config),
    portMap: config.TARGET_PORT_MAP,
    contactUrl: config.CONTACT_URL,
    connectTimeoutMs: tenth(3000),
    socketsPerAddress: 8,
    dns: {
      servers: config.DNS_SERVERS,
      nameserverPort: config.NAMESERVER_PORT,
      ...dnsLimits,
      resolverTries: dnsLimits.resolverTries.map(tenth),
      tcpTimeoutMs: tenth(dnsLimits.tcpTimeoutMs),
    },
    browser: browserSettingsOf(config),
    http: {
      ...httpLimits,
      tlsMs: tenth(httpLimits.tlsMs),
      responseMs: tenth(httpLimits.responseMs),
      requestMs: tenth(httpLimits.requestMs),
    },
    tls: { ...tlsLimits, handshakeMs: tenth(tlsLimits.handshakeMs), lingerMs: tenth(tlsLimits.lingerMs) },
  });
}

type RawServer = { readonly port: number; readonly open: ReadonlySet<Socket>; close(): Promise<void> };

async function openRawServer(
  connected: (socket: Socket) => void,
  certificate: KeyAndCertificate | undefined,
): Promise<RawServer> {
  const open = new Set<Socket>();
  const listen = (socket: Socket) => {
    socket.on('error', () => undefined);
    connected(socket);
    // A socket that nobody reads never learns that its other end is gone.
    socket.resume();
  };
  const server: Server = certificate ? createTlsServer(certificate, listen) : createTcpServer(listen);
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => open.delete(socket));
  });
  const port = await new Promise<number>((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' ? (address?.port ?? 0) : 0);
    });
  });
  return {
    port,
    open,
    async close() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
