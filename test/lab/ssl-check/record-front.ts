import { connect, type Socket } from 'node:net';
import { joinBytes } from '../../../worker/certificates/grammar/byte-cursor.ts';
import { type LabServer, openTcpServer } from './servers.ts';

/** A record that a good server sends, header included; `index` counts from 0, the ServerHello. */
export type SentRecord = { readonly type: number; readonly bytes: Uint8Array; readonly index: number };

/** What the front does instead of passing a record on: other bytes, or an end of its own. */
export type Instead = Uint8Array | 'close' | 'reset' | 'stop' | 'drip';

/** Makes a server misbehave: gets each record of a good server and says what the client is given. */
export type Twist = (sent: SentRecord) => Instead;

/** Opens a front before a good server, which changes what it answers record by record. */
export function openRecordFront(good: LabServer, twist: Twist): Promise<LabServer> {
  return openTcpServer((client) => {
    const back = connect(good.port, '127.0.0.1');
    back.on('error', () => client.destroy());
    client.once('close', () => back.destroy());
    client.pipe(back);
    let held: Uint8Array = new Uint8Array(0);
    let index = 0;
    let isOver = false;
    back.on('data', (piece: Buffer) => {
      held = joinBytes(held, piece);
      for (let size = sizeOf(held); size !== null && !isOver; size = sizeOf(held)) {
        const bytes = held.slice(0, size);
        held = held.slice(size);
        isOver = give(client, twist({ type: bytes[0] ?? 0, bytes, index: index++ }), bytes);
      }
    });
    back.once('close', () => void (isOver || client.end()));
  });
}

function sizeOf(held: Uint8Array): number | null {
  if (held.length < 5) return null;
  const size = 5 + ((held[3] ?? 0) << 8) + (held[4] ?? 0);
  return held.length < size ? null : size;
}

/** True where nothing may follow. */
function give(client: Socket, instead: Instead, bytes: Uint8Array): boolean {
  if (instead instanceof Uint8Array) {
    client.write(instead);
    return false;
  }
  if (instead === 'close') client.end();
  if (instead === 'reset') client.resetAndDestroy();
  if (instead === 'drip') drip(client, bytes);
  return true;
}

/** Byte by byte, at a pace that no deadline waits for. */
function drip(client: Socket, bytes: Uint8Array): void {
  let at = 0;
  const timer = setInterval(() => client.write(bytes.subarray(at, ++at)), 200);
  client.once('close', () => clearInterval(timer));
}
