import { connect, type Socket } from 'node:net';
import { type LabServer, openTcpServer } from '../test/lab/ssl-check/servers.ts';
import { type ReadHello, readClientHello } from '../test/unit/ssl-check/read-client-hello.ts';

/** What a middlebox makes of a connection: its ClientHello (null for what is none), and how many came before it. */
export type Fate = 'pass' | 'reset' | 'close' | 'silence' | 'other' | { readonly alert: number };
export type Judge = (hello: ReadHello | null, count: number) => Fate;

/** What becomes of alerts and of pieces on the way back. */
export type WayBack = {
  readonly alerts?: 'reset' | 'close' | 'silence';
  readonly pieceBytes?: number;
  readonly delayMs?: number;
};

/** Opens a middlebox before a server, and perhaps before another one. */
export async function openMiddlebox(
  servers: readonly [LabServer, LabServer?],
  judge: Judge,
  way: WayBack = {},
): Promise<LabServer> {
  let count = 0;
  const [first, second = first] = servers;
  const front = await openTcpServer((client) => {
    const serve = (hello: Buffer) => {
      const fate = judge(readClientHello(hello), count++);
      if (fate === 'reset') client.resetAndDestroy();
      else if (fate === 'close') client.end();
      else if (typeof fate === 'object') client.end(Uint8Array.of(21, 3, 1, 0, 2, 2, fate.alert));
      else if (fate !== 'silence') passOn(client, hello, fate === 'other' ? second.port : first.port, way);
    };
    client.once('data', (hello) => {
      if (way.delayMs === undefined) serve(hello);
      else setTimeout(() => serve(hello), way.delayMs);
    });
  });
  return {
    port: front.port,
    close: async () =>
      void (await Promise.all([front.close(), first.close(), second === first ? undefined : second.close()])),
  };
}

function passOn(client: Socket, hello: Buffer, port: number, { alerts, pieceBytes }: WayBack): void {
  const back = connect(port, '127.0.0.1');
  back.on('error', () => client.destroy());
  client.once('close', () => back.destroy());
  back.write(hello);
  client.pipe(back);
  let isFirst = true;
  back.on('data', (piece: Buffer) => {
    const isAlert = isFirst && piece[0] === 21 && piece[5] === 2;
    isFirst = false;
    if (isAlert && alerts === 'reset') client.resetAndDestroy();
    else if (isAlert && alerts === 'close') client.end();
    else if (isAlert && alerts === 'silence') back.removeAllListeners('end').pause();
    else giveInPieces(client, piece, pieceBytes ?? piece.length);
  });
  back.once('end', () => void (alerts === 'silence' || client.end()));
}

function giveInPieces(client: Socket, bytes: Buffer, size: number): void {
  client.setNoDelay(true);
  for (let at = 0; at < bytes.length; at += size) client.write(bytes.subarray(at, at + size));
}
