import type { IncomingMessage } from 'node:http';
import type { Config } from '#shared/settings/config';
import { isInCidrs, parseCidr } from '#shared/targets/classify-address';

/**
 * Makes what reads the address a request comes from: that of its connection or, behind trusted proxies (TRUST_PROXY),
 * the last one in X-Forwarded-For that is no trusted proxy's own. Any text may stand there.
 */
export function openAddressReader(trusted: Config['TRUST_PROXY']): (request: IncomingMessage) => string {
  const ownOf = ({ socket }: IncomingMessage) => socket.remoteAddress ?? '';
  if (trusted === undefined) return ownOf;
  const isTrusted = typeof trusted === 'number' ? isWithinHops(trusted) : isInBlocks(trusted);
  return (request) => {
    // Several fields of this name are one list to Node.
    const field = [request.headers['x-forwarded-for'] ?? []].flat().join(',');
    const named = field.split(',').map((address) => address.trim());
    const way = [ownOf(request), ...named.filter((address) => address !== '').reverse()];
    return way.find((address, hop) => !isTrusted(address, hop)) ?? way.at(-1) ?? '';
  };
}

type IsTrusted = (address: string, hop: number) => boolean;

function isWithinHops(hops: number): IsTrusted {
  return (_address, hop) => hop < hops;
}

function isInBlocks(blocks: readonly string[]): IsTrusted {
  const cidrs = blocks.map(parseCidr);
  // A listener on :: sees IPv4 peers as mapped addresses.
  return (address) => isInCidrs(address.replace(/^::ffff:(?=\d+\.)/i, ''), cidrs);
}
