import type { Socket } from 'node:net';
import { suites } from '../../../worker/checks/ssl-check/grammar/suites.ts';
import { type ReadHello, readClientHello } from '../../unit/ssl-check/read-client-hello.ts';
import {
  alertRecord,
  extension,
  type WrittenFlight,
  writeServerFlight,
} from '../../unit/ssl-check/write-server-flight.ts';
import { type LabServer, openTcpServer } from './servers.ts';

/** What a server says that no library of today would: it answers hellos, and can do nothing more. */
export type Paper = {
  /** Highest first, with the suites of each by preference. */
  readonly versions: { readonly [wire: number]: readonly number[] };
  readonly certificates: readonly Uint8Array[];
  readonly compression?: boolean;
  readonly secureRenegotiation?: boolean;
  readonly extendedMasterSecret?: boolean;
  readonly speaksSsl2?: boolean;
  readonly primeBytes?: number;
};

/** Opens a server on paper. */
export function openPaperServer(paper: Paper): Promise<LabServer> {
  return openTcpServer((socket: Socket) => {
    socket.once('data', (bytes) => socket.end(answer(bytes, paper)));
  });
}

const ssl2Hello = Uint8Array.of(0x80, 14, 4, 0, 1, 0, 2, 0, 0, 0, 3, 0, 0, 1, 0, 128);

function answer(bytes: Uint8Array, paper: Paper): Uint8Array {
  const hello = readClientHello(bytes);
  if (hello === null) return paper.speaksSsl2 === true ? ssl2Hello : alertRecord(2, 80, 0x0300);
  const spoken = Object.keys(paper.versions).map(Number);
  const best = Math.max(...spoken.filter((version) => version <= hello.version));
  if (!spoken.includes(best)) return alertRecord(2, 70, 0x0301);
  const suite = paper.versions[best]?.find((id) => hello.suites.includes(id));
  return suite === undefined
    ? alertRecord(2, 40, best)
    : writeServerFlight(flightOf(best, suite, hello, paper));
}

function flightOf(version: number, suite: number, hello: ReadHello, paper: Paper): WrittenFlight {
  const { keyExchange, isAnonymous } = suites.get(suite) ?? {};
  return {
    version,
    suite,
    compression: paper.compression === true && hello.compressions.includes(1) ? 1 : 0,
    extensions: extensionsOf(hello, paper),
    ...(isAnonymous === true ? {} : { certificates: [...paper.certificates] }),
    ...(keyExchange === 'ECDHE'
      ? { group: hello.groups.includes(0x0017) ? 0x0017 : (hello.groups[0] ?? 0x0017) }
      : {}),
    ...(keyExchange === 'DHE' ? { prime: new Uint8Array(paper.primeBytes ?? 256).fill(255) } : {}),
    done: true,
  };
}

function extensionsOf({ extensions, suites: offered }: ReadHello, paper: Paper) {
  const signalled = extensions.includes(0xff01) || offered.includes(0x00ff);
  return [
    ...(paper.secureRenegotiation !== false && signalled ? [extension(0xff01, 0)] : []),
    ...(paper.extendedMasterSecret !== false && extensions.includes(23) ? [extension(23)] : []),
  ];
}
