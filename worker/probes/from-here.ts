import type { Socket } from 'node:net';
import type { FailureCode } from '#shared/model/failure';
import type { VantageKind } from '#shared/model/vantage';
import { steadyNow } from '#shared/time/steady-time';
import type { ConnectionWatch } from './connection-watch.ts';
import { DialFailure } from './dial-failure.ts';
import { seeIssuer } from './tls/issuer.ts';
import { unlessOurs } from './vantage/early.ts';
import type { Blame, RunVantage, Suspicion } from './vantage/open.ts';

/** How a run's connections leave this machine, and who tells whose failure it was where they do not. */
export type WayOut = {
  readonly vantage: RunVantage;
  /** How an address is reached from here: by another one where a NAT64 stands between. */
  readonly via: (address: string) => Promise<string>;
};

const httpsPort = 443;

/** Those of the addresses that can be reached from here. Throws DialFailure `not-from-here` where there is none. */
export async function reachableOf(
  addresses: readonly string[],
  port: number,
  { vantage, via }: WayOut,
): Promise<readonly string[]> {
  const closed = port === httpsPort ? await vantage.lacks(['https']) : undefined;
  if (closed !== undefined) throw new DialFailure('not-from-here', closed, { address: addresses[0] ?? null });
  const ways = await Promise.all(
    addresses.map(async (address) => {
      const isTranslated = (await via(address)) !== address;
      const why = isTranslated ? undefined : await vantage.lacks([familyOf(address)]);
      if (isTranslated) vantage.meet('ipv4');
      return { address, why };
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
  const silence = { ...dialling, isEarly: true };
  const early = await unlessOurs(
    work,
    async () => (await whyLost(silence, way)) ?? (await blameHttps(silence, way)).ours,
  );
  if ('value' in early) return early.value;
  void work.then((socket) => socket.destroy()).catch(() => undefined); // nobody waits for it any more
  throw new DialFailure('not-from-here', early.ours, { address: dialling.addresses[0] ?? null });
}

/** A connection that was not made, as the target's failure or ours. */
export async function explainDial(error: unknown, dialling: Dialling, way: WayOut): Promise<unknown> {
  if (!(error instanceof DialFailure) || !suspectCodes.includes(error.code)) return error;
  const hasNoRoute = error.code === 'network-unreachable';
  if (hasNoRoute || error.code === 'connection-timeout') {
    const ours = await whyLost({ ...dialling, hasNoRoute }, way);
    if (ours !== undefined) return asOurs(error, { ours });
  }
  return asBlamed(error, await blameHttps(dialling, way));
}

/** Whether nobody can be reached over https from here. */
async function blameHttps(
  { port, host, addresses, since, isEarly }: Dialling & Pick<Suspicion, 'isEarly'>,
  { vantage }: WayOut,
): Promise<Blame> {
  if (port !== httpsPort) return { ours: undefined, untried: false };
  const about = { since, host, address: addresses[0] ?? '', ...(isEarly ? { isEarly } : {}) };
  return vantage.blame({ ...about, kinds: ['https'] });
}

/** Why none of the addresses can be reached from here: all of their families are missing. */
async function whyLost(
  { addresses, host, since, isEarly, hasNoRoute }: Dialling & Pick<Suspicion, 'isEarly' | 'hasNoRoute'>,
  { vantage }: WayOut,
): Promise<string | undefined> {
  const families = [...new Set(addresses.map(familyOf))];
  const about = { since, host, ...(isEarly ? { isEarly } : {}), ...(hasNoRoute ? { hasNoRoute } : {}) };
  const blamed = await Promise.all(families.map((kind) => vantage.blame({ ...about, kinds: [kind] })));
  const ours = blamed.flatMap((one) => one.ours ?? []);
  return ours.length === families.length ? ours[0] : undefined;
}

const suspectCodes: readonly FailureCode[] = [
  'connection-timeout',
  'network-unreachable',
  'connection-refused',
  'connection-reset',
];

/** Watches a connection that was made. */
export function watchConnection(
  { host, port, address }: { readonly host: string; readonly port: number; readonly address: string },
  { vantage }: WayOut,
): ConnectionWatch {
  const since = steadyNow();
  const about = { since, host, address };
  vantage.worked(familyOf(address), ...(port === httpsPort ? (['https'] as const) : []));
  return {
    async finished(work) {
      const why = async () =>
        (await vantage.blame({ ...about, kinds: ['large-packets'], isEarly: true })).ours;
      const early = await unlessOurs(work, why);
      if ('ours' in early) throw new DialFailure('not-from-here', early.ours, { address });
    },
    async secured(tls) {
      vantage.worked('large-packets');
      // Mail hosts and the like have certificates of their own making.
      if (port !== httpsPort) return;
      const { isPublic, isStrange, isKnown, issuer } = seeIssuer(tls);
      if (isPublic) vantage.worked('tls');
      if (!isStrange) return;
      const { ours } = await vantage.blame({
        ...about,
        kinds: ['tls'],
        sign: issuer,
        // A root that the operator trusts is no sign of anybody in between: only a control's own certificate is.
        ...(isKnown ? { isEarly: true } : {}),
      });
      if (ours !== undefined) throw new DialFailure('not-from-here', ours, { address });
    },
    async explain(error) {
      if (!(error instanceof DialFailure)) return error;
      if (error.code === 'tls-timeout')
        return asBlamed(error, await vantage.blame({ ...about, kinds: ['large-packets'] }));
      const isCut = error.code === 'connection-reset' || error.code === 'connection-closed';
      if (!isCut || port !== httpsPort) return error;
      return asBlamed(error, await vantage.blame({ ...about, kinds: ['https'] }));
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

function familyOf(address: string): VantageKind {
  return address.includes(':') ? 'ipv6' : 'ipv4';
}
