import type { TLSSocket } from 'node:tls';
import type { VantageKind } from '#shared/model/vantage';
import { steadyNow } from '#shared/time/steady-time';
import { DialFailure } from './dial-failure.ts';
import type { FailureCode } from './http/port.ts';
import { seeIssuer } from './tls/issuer.ts';
import type { RunVantage } from './vantage/open.ts';

/** How a run's connections leave this machine, and who tells whose failure it was where they do not. */
export type WayOut = {
  readonly vantage: RunVantage;
  /** How an address is reached from here: by another one where a NAT64 stands between. */
  readonly via: (address: string) => Promise<string>;
};

/** What a connection tells of the network that it goes through. */
export type ConnectionWatch = {
  /** Hears of a handshake that ended well. Throws DialFailure `not-from-here` where the certificate is an interceptor's. */
  secured(tls: TLSSocket): Promise<void>;
  /** A failure of it behind the connecting, as the target's or ours. */
  explain(error: unknown): Promise<unknown>;
};

const httpsPort = 443;

/** Those of the addresses that can be reached from here. Throws DialFailure `not-from-here` where there is none. */
export async function reachableOf(
  addresses: readonly string[],
  { vantage, via }: WayOut,
): Promise<readonly string[]> {
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

/** A connection that was not made, as the target's failure or ours. */
export async function explainDial(
  error: unknown,
  { host, port, addresses, since }: Dialling,
  { vantage }: WayOut,
): Promise<unknown> {
  if (!(error instanceof DialFailure) || !suspectCodes.includes(error.code)) return error;
  const address = error.address ?? addresses[0] ?? '';
  const about = { since, host, address, hasNoRoute: error.code === 'network-unreachable' };
  if (error.code === 'connection-timeout' || error.code === 'network-unreachable') {
    const families = [...new Set(addresses.map(familyOf))];
    const blamed = await Promise.all(families.map((kind) => vantage.blame({ ...about, kinds: [kind] })));
    const ours = blamed.flatMap((one) => one.ours ?? []);
    if (ours.length === families.length && ours[0] !== undefined)
      return new DialFailure('not-from-here', ours[0], { address, cause: error });
  }
  if (port !== httpsPort) return error;
  return asOurs(error, await vantage.blame({ ...about, kinds: ['https'] }));
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
    async secured(tls) {
      vantage.worked('large-packets');
      // Mail hosts and the like have certificates of their own making.
      if (port !== httpsPort) return;
      const { isPublic, isStrange, issuer } = seeIssuer(tls);
      if (isPublic) vantage.worked('tls');
      if (!isStrange) return;
      const { ours } = await vantage.blame({ ...about, kinds: ['tls'], sign: issuer });
      if (ours !== undefined) throw new DialFailure('not-from-here', ours, { address });
    },
    async explain(error) {
      if (!(error instanceof DialFailure)) return error;
      if (error.code === 'tls-timeout')
        return asOurs(error, await vantage.blame({ ...about, kinds: ['large-packets'] }));
      const isCut = error.code === 'connection-reset' || error.code === 'connection-closed';
      if (!isCut || port !== httpsPort) return error;
      return asOurs(error, await vantage.blame({ ...about, kinds: ['https'] }));
    },
  };
}

function asOurs(error: DialFailure, { ours }: { readonly ours: string | undefined }): DialFailure {
  return ours === undefined
    ? error
    : new DialFailure('not-from-here', ours, { address: error.address, cause: error });
}

function familyOf(address: string): VantageKind {
  return address.includes(':') ? 'ipv6' : 'ipv4';
}
