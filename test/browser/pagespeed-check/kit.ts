import { existsSync, readFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { parseCidr } from '#shared/targets/classify-address';
import type { TargetPolicy } from '#shared/targets/parse-target';
import { openAddressSlots } from '../../../worker/probes/address-slots.ts';
import { type BrowserLimits, openBrowserProbe } from '../../../worker/probes/browser/open.ts';
import type {
  BrowserFailure,
  BrowserProbe,
  BrowserRun,
  PsiAnswer,
} from '../../../worker/probes/browser/port.ts';
import { findTree } from '../../../worker/probes/browser/process-tree.ts';
import type { SpareBrowser } from '../../../worker/probes/browser/spare.ts';
import { DialFailure } from '../../../worker/probes/dial-failure.ts';
import { type Dial, openGuard } from '../../../worker/probes/guard.ts';
import { browserLimits } from '../../../worker/start/browser-settings.ts';

/** The only address that the lab's policy lets through; all others of loopback stay private. */
export const siteAddress = '127.0.0.2';

export type Site = { readonly port: number; readonly sockets: ReadonlySet<Socket>; close(): Promise<void> };

/** A site at port 80 of 127.0.0.2, as the product sees it. */
export async function openSite(listener: RequestListener): Promise<Site> {
  const sockets = new Set<Socket>();
  const server = createServer(listener);
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, siteAddress, resolve));
  return {
    port: (server.address() as AddressInfo).port,
    sockets,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export const policy: TargetPolicy = {
  addresses: { allow: [parseCidr(`${siteAddress}/32`)], deny: [] },
  allowedSuffixes: ['test', 'localhost'],
  // All ports: in these tests nothing but the address guard may stand in the way.
  ports: [[1, 65_535]],
};

/** private.test leads to loopback, gone.test nowhere, every other name to the site. */
export function openDial(sitePort: number, tlsPort: number): Dial {
  return openGuard({
    policy,
    portMap: new Map([
      [80, sitePort],
      [443, tlsPort],
    ]),
    slots: openAddressSlots(64),
    charge: async () => undefined,
    connectTimeoutMs: 3000,
    resolve,
  });
}

async function resolve(host: string): Promise<string[]> {
  if (/^[\d.]+$/.test(host) || host.startsWith('[')) return [host.replaceAll(/[[\]]/g, '')];
  if (host === 'gone.test') throw new DialFailure('name-not-found', 'the name does not exist in the DNS');
  return [host === 'private.test' || host === 'localhost' ? '127.0.0.1' : siteAddress];
}

export type ProbeOptions = {
  readonly path?: string | undefined;
  readonly limits?: Partial<BrowserLimits>;
  readonly signal?: AbortSignal;
  readonly trustedAuthorities?: readonly string[];
  /** Where port 443 leads. */
  readonly tlsPort?: number;
  readonly spare?: SpareBrowser;
};

/** The probe with production's limits, and a folder that outlives the test: unpacking takes seconds. */
export function openProbe(
  sitePort: number,
  { path, limits, signal, trustedAuthorities = [], tlsPort = 0, spare }: ProbeOptions = {},
): BrowserProbe {
  const settings = {
    browser: { path, folder: 'data' },
    noSandbox: false,
    policy,
    limits: { ...browserLimits, ...limits },
    field: undefined,
    psi: undefined,
    contact: 'DiagnosticTools/0.1 (+https://operator.test/)',
    trustedAuthorities,
    ...(spare ? { spare } : {}),
  };
  return openBrowserProbe(
    settings,
    { dial: openDial(sitePort, tlsPort), resolve },
    signal ?? new AbortController().signal,
  );
}

/** The run, or an Error that says why the machine has no browser. */
export function expectRun(answer: BrowserRun | PsiAnswer | BrowserFailure): BrowserRun {
  if (answer.kind === 'answer') throw new Error('a run of our own was expected');
  if (answer.kind === 'failure') throw new Error(`${answer.code}: ${answer.reason}`);
  return answer;
}

/** Follows every driver and browser that this process starts, also when their parents have died; other runs on the machine are not its business. */
export type Tracker = {
  /** Those that run now. */
  processes(): readonly { readonly pid: number; readonly status: string }[];
  /** Profile folders of its browsers that are still there. */
  profiles(): readonly string[];
  /** Processes and profile folders that are still there. */
  leftovers(): readonly string[];
  stop(): void;
};

export function trackProcesses(): Tracker {
  // Drivers and browsers lead sessions of their own, which their children keep.
  const sessions = new Set<number>();
  const own = sessionOf(process.pid);
  const look = () => {
    for (const session of findTree([process.pid]).map(sessionOf))
      if (session !== own && session > 0) sessions.add(session);
    const found = findTree([...sessions]);
    for (const pid of found) for (const folder of profilesOf(pid)) profiles.add(folder);
    return found;
  };
  const profiles = new Set<string>();
  const left = () => [...profiles].filter((folder) => existsSync(folder));
  const timer = setInterval(look, 100);
  return {
    processes: () => look().map((pid) => ({ pid, status: readQuietly(`/proc/${pid}/status`) })),
    profiles: left,
    leftovers: () => [...look().map((pid) => readQuietly(`/proc/${pid}/cmdline`)), ...left()],
    stop: () => clearInterval(timer),
  };
}

function profilesOf(pid: number): readonly string[] {
  const folder = /--user-data-dir=([^\0]+)/.exec(readQuietly(`/proc/${pid}/cmdline`))?.[1];
  return folder === undefined ? [] : [folder];
}

function sessionOf(pid: number): number {
  const stat = readQuietly(`/proc/${pid}/stat`);
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[3] ?? 0);
}

function readQuietly(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return ''; // it ended while we looked
  }
}
