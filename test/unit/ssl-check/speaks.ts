import { suites } from '../../../worker/checks/ssl-check/grammar/suites.ts';
import { findGroup } from '../../../worker/checks/ssl-check/grammar/tls-names.ts';
import type { ReadHello } from './read-client-hello.ts';
import { alertRecord, extension, writeServerFlight } from './write-server-flight.ts';

/** What a server on paper answers to a hello: bytes, or the way in which the connection ends. */
export type Reply = Uint8Array | 'closed' | 'reset' | 'timeout' | 'refused';
const retryRandom = Uint8Array.from(
  Buffer.from('cf21ad74e59a6111be1d8c021e65b891c2a211167abb8c5e079e09e2c8a8339c', 'hex'),
);
/** A ServerHello with a key where the hello has one for the group, or a HelloRetryRequest. */
const answer13 = (suite: number, group: number, { keyGroups, sessionId }: ReadHello) =>
  writeServerFlight({
    version: 0x0304,
    suite,
    sessionId,
    ...(keyGroups.includes(group) ? {} : { random: retryRandom }),
    extensions: [extension(43, 3, 4), extension(51, group >> 8, group & 255)],
  });

/** Whose order of suites and groups decides; of a server that heeds wishes its own, but for clients that put ChaCha20 before AES. */
export type Order = 'server' | 'client' | 'server, with wishes';

/** A server that speaks these suites and groups, by its own preference or by that of the client. */
export const speaks =
  (tls12: readonly number[], tls13: readonly number[], groups: readonly number[], order: Order = 'server') =>
  (hello: ReadHello | null): Reply => {
    const wishes = order === 'server, with wishes' ? (hello?.suites ?? []).filter(isAead) : [];
    const choose = (own: readonly number[], offered: readonly number[] = []) => {
      if (order === 'client') return offered.find((id) => own.includes(id));
      const [wish = 0] = wishes;
      if (isChacha(wish) && offered.includes(wish) && own.includes(wish)) return wish;
      return own.find((id) => offered.includes(id));
    };
    const isTls13 = hello?.version === 0x0304 && (tls13.length > 0 || !hello.versions.includes(0x0303));
    const group = choose(
      groups.filter((id) => isTls13 || !findGroup(id).isPostQuantum),
      hello?.groups,
    );
    const usable = tls12.filter((id) => groups.length === 0 || group !== undefined || !isOnCurve(id));
    const suite = choose(isTls13 ? tls13 : usable, hello?.suites);
    if (hello === null) return alertRecord(2, 80);
    if (hello.version < 0x0303 || (!isTls13 && tls12.length === 0)) return alertRecord(2, 70);
    if (suite === undefined) return alertRecord(2, 40);
    if (!isTls13)
      return writeServerFlight({
        version: 0x0303,
        suite,
        certificates: [Uint8Array.of(1)],
        done: true,
        ...exchangeOf(suite, group ?? 0x001d),
      });
    return group === undefined ? alertRecord(2, 40) : answer13(suite, group, hello);
  };

const isAead = (suite: number) => suites.get(suite)?.isAead === true;
const isChacha = (suite: number) => suites.get(suite)?.cipher === 'CHACHA20';
const isOnCurve = (suite: number) => suites.get(suite)?.keyExchange === 'ECDHE';

function exchangeOf(suite: number, group: number) {
  if (isOnCurve(suite)) return { group };
  return suites.get(suite)?.keyExchange === 'DHE' ? { prime: new Uint8Array(128).fill(255) } : {};
}
