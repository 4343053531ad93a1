import { kindOfFailure } from '#shared/model/failure';
import type { Chain } from '../evidence.ts';

/** True for a chain that ended at a port where every client finds nobody who speaks what was asked for; a timeout may be ours alone. */
export function isClosed({ end }: Pick<Chain, 'end'>): boolean {
  return end.kind === 'failed' && kindOfFailure(end.code) === 'definite';
}

/** Why nothing is known of the start of a chain; null where it answered, or is closed and so has nothing to show. */
export function whyUnanswered(chain: Chain): string | null {
  return chain.hops.length > 0 || isClosed(chain) ? null : whyFailed(chain);
}

/** Why the chains were not seen to their ends; null where all were. One that nobody answers at all was seen, beside one that somebody does. */
export function whyUnwalked(chains: readonly Chain[]): string | null {
  const isSilent = chains.every(({ hops }) => hops.length === 0);
  const cut = chains.filter((chain) => isSilent || chain.hops.length > 0 || !isClosed(chain));
  return cut.map(whyFailed).find((why) => why !== null) ?? null;
}

/** Why a certificate on the way was not seen; null where each that there is was. */
export function whyCertificateUnseen(chains: readonly Chain[]): string | null {
  const isSilent = chains.every(({ hops }) => hops.length === 0);
  const cut = chains.filter(
    (chain) => 'url' in chain.end && chain.end.url.startsWith('https:') && (isSilent || !isClosed(chain)),
  );
  return cut.map(whyFailed).find((why) => why !== null) ?? null;
}

/** Why a chain ended without an answer; null where it did not. */
export function whyFailed({ end }: Pick<Chain, 'end'>): string | null {
  return end.kind === 'failed' ? `${end.url} could not be asked: ${end.reason}` : null;
}
