import type { Socket } from 'node:net';
import type { FailureCode } from '#shared/model/failure';
import { siteOf } from '#shared/targets/parse-target';
import { steadyNow } from '#shared/time/steady-time';
import type { ConnectionWatch } from './connection-watch.ts';
import { DialFailure } from './dial-failure.ts';
import { seeIssuer } from './tls/issuer.ts';
import { unlessOurs } from './vantage/early.ts';
import type { Blame, RunVantage } from './vantage/open.ts';
import type { Suspicion } from './vantage/port.ts';
import { type Family, familyKind, familyOf, type Way } from './vantage/ways.ts';

/** How a run's connections leave this machine, and who tells whose failure it was where they do not. */
export type WayOut = {
  readonly vantage: RunVantage;
  /** How an address is reached from here: by another one where a NAT64 stands between. */
  readonly via: (address: string) => Promise<string>;
};

const httpsPort = 443;

/** What a connection to a port needs of this network. */
function waysTo(port: number, family: Family): readonly Way[] {
  return port === httpsPort ? [...waysOf(family), `https/${family}`] : waysOf(family);
}

function waysOf(family: Family): readonly Way[] {
  return [familyKind(family), `tcp/${family}`];
}

/** Those of the addresses that can be reached from here. Throws DialFailure `not-from-here` where there is none. */
export async function reachableOf(
  addresses: readonly string[],
  port: number,
  { vantage, via }: WayOut,
): Promise<readonly string[]> {
  const ways = await Promise.all(
    addresses.map(async (address) => {
      const reached = await via(address);
      const ways = waysTo(port, familyOf(reached));
      if (reached === address) return { address, why: await vantage.lacks(ways) };
      vantage.meet('nat64');
      return { address, why: await vantage.lacks(['nat64', ...ways]) };
    }),
  );
  const reachable = ways.filter(({ why }) => why === undefined);
  if (reachable.length > 0) return reachable.map(({ address }) => address);
  const [lost] = ways;
  throw new DialFailure('not-from-here', lost?.why ?? '', { address: lost?.address ?? null });
}

type Dialling = {
  readonly host: string;
  readonly port: number;
  readonly addresses: readonly string[];
  readonly since: number;
};

/** Waits for a connection, no longer than it can come. */
export async function waitForDial(work: Promise<Socket>, dialling: Dialling, way: WayOut): Promise<Socket> {
  const early = await unlessOurs(work, async () => {
    const blame = await blameWay(dialling, way, { isEarly: true, isSilent: true });
    return blame.ours;
  });
  if ('value' in early) return early.value;
  void work.then((socket) => socket.destroy()).catch(() => undefined); // nobody waits for it any more
  throw new DialFailure('not-from-here', early.ours, { address: dialling.addresses[0] ?? null });
}

/** A connection that was not made, as the target's failure or ours. */
export async function explainDial(error: unknown, dialling: Dialling, way: WayOut): Promise<unknown> {
  if (!(error instanceof DialFailure) || !suspectCodes.includes(error.code)) return error;
  const hasNoRoute = error.code === 'network-unreachable';
  const isSilent = hasNoRoute || error.code === 'connection-timeout';
  return asBlamed(
    error,
    await blameWay(dialling, way, { hasNoRoute, isSilent, isRefused: error.code === 'connection-refused' }),
  );
}

type Failing = Pick<Suspicion, 'isEarly' | 'hasNoRoute'> & {
  /** Nothing came back: it may be the family's. */
  readonly isSilent?: boolean;
  /** The host itself said so. */
  readonly isRefused?: boolean;
};

/** Why none of the addresses can be reached from here: that holds only where all of their families have a reason. */
async function blameWay(
  { addresses, host, port, since }: Dialling,
  { vantage, via }: WayOut,
  { isEarly = false, hasNoRoute = false, isSilent = false, isRefused = false }: Failing,
): Promise<Blame> {
  const about = { since, host, ...(isEarly ? { isEarly } : {}), ...(hasNoRoute ? { hasNoRoute } : {}) };
  const families = new Map<Family, { readonly address: string; readonly isTranslated: boolean }>();
  for (const address of addresses) {
    const reached = await via(address);
    families.set(familyOf(reached), { address, isTranslated: reached !== address });
  }
  const blamed = await Promise.all(
    [...families].map(async ([family, { address, isTranslated }]): Promise<Blame> => {
      const suspicion = { ...about, address };
      const own = waysTo(port, family).filter((way) => isSilent || way.startsWith('https'));
      const ways: readonly Way[] = isTranslated ? ['nat64', ...own] : own;
      const blame = await vantage.blame({ ...suspicion, ways });
      if (blame.ours !== undefined || port === httpsPort || isRefused) return blame;
      return vantage.blameAnyPort(family, suspicion);
    }),
  );
  const theirs = blamed.filter(({ ours }) => ours === undefined);
  const [first = { ours: undefined, untried: false }] = theirs.length > 0 ? theirs : blamed;
  return first;
}

const suspectCodes: readonly FailureCode[] = [
  'connection-timeout',
  'network-unreachable',
  'connection-refused',
  'connection-reset',
];

/** What worked so lately says that the network still lets it through. */
const latelyMs = 300_000;

/**
 * Why a redirect says nothing of the target: portals send whoever asks over http to a page of their own, and let no https out.
 * @param to where it leads; @param address who answered
 */
export async function whyPortal(
  { url, to, address }: { readonly url: URL; readonly to: URL; readonly address: string },
  vantage: RunVantage,
): Promise<string | undefined> {
  if (url.protocol !== 'http:' || siteOf(to.hostname) === siteOf(url.hostname)) return undefined;
  const way = `https/${familyOf(address)}` as const;
  if (vantage.workedWithin(way, latelyMs)) return vantage.lacks([way]);
  return (await vantage.blame({ ways: [way], since: steadyNow(), isEarly: true })).ours;
}

/** Watches a connection that was made. */
export function watchConnection(
  { host, port, address }: { readonly host: string; readonly port: number; readonly address: string },
  { vantage }: WayOut,
): ConnectionWatch {
  const since = steadyNow();
  const about = { since, host, address };
  const family = familyOf(address);
  vantage.worked(...waysOf(family));
  return {
    async finished(work) {
      const why = async () =>
        (await vantage.blame({ ...about, ways: [`large-packets/${family}`], isEarly: true })).ours;
      const early = await unlessOurs(work, why);
      if ('ours' in early) throw new DialFailure('not-from-here', early.ours, { address });
    },
    async secured(tls) {
      vantage.worked(`large-packets/${family}`);
      // Some networks let a connection be made, and cut it at the first words of TLS.
      if (port === httpsPort) vantage.worked(`https/${family}`);
      const { isPublic, isStrange, isKnown, issuer, isOutOfTime } = seeIssuer(tls);
      if (isOutOfTime) await vantage.suspectClock();
      // Mail hosts and the like have certificates of their own making.
      if (port !== httpsPort) return;
      if (isPublic) vantage.worked('tls');
      if (!isStrange) return;
      const { ours } = await vantage.blame({
        ...about,
        ways: ['tls'],
        sign: issuer,
        // A root that the operator trusts is no sign of anybody in between: only a control's own certificate is.
        ...(isKnown ? { isEarly: true } : {}),
      });
      if (ours !== undefined) throw new DialFailure('not-from-here', ours, { address });
    },
    async explain(error) {
      if (!(error instanceof DialFailure)) return error;
      if (error.code === 'tls-timeout')
        return asBlamed(error, await vantage.blame({ ...about, ways: [`large-packets/${family}`] }));
      const isCut = error.code === 'connection-reset' || error.code === 'connection-closed';
      if (!isCut || port !== httpsPort) return error;
      return asBlamed(error, await vantage.blame({ ...about, ways: [`https/${family}`] }));
    },
  };
}

/** Where nobody else could be asked, a reader is told that the failure was not compared with any. */
function asBlamed(error: DialFailure, blame: Blame): DialFailure {
  if (blame.ours !== undefined || !blame.untried) return asOurs(error, blame);
  const reason = `${error.reason}; no other host of the kind was tried`;
  return new DialFailure(error.code, reason, { address: error.address, cause: error.cause });
}

function asOurs(error: DialFailure, { ours }: { readonly ours: string | undefined }): DialFailure {
  return ours === undefined
    ? error
    : new DialFailure('not-from-here', ours, { address: error.address, cause: error });
}
