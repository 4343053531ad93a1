import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { BSON, type Document } from 'mongodb';

/** A command as the driver sent it; documents that stand in sections of their own (of `insert` and `update`) are left out. */
export type Command = { readonly name: string; readonly document: Document };

/** What becomes of a command: it goes to the server, is never answered, or is answered by this; `instead`: of the server's answer, once it did it. */
export type Fate = 'pass' | 'hang' | { readonly answer: Document } | { readonly instead: Document };

/** A way to a server of MongoDB's protocol that can answer any command in its place. */
export type MongoProxy = {
  readonly url: string;
  /** Every command since the start. */
  readonly commands: readonly Command[];
  /** The most commands that were under way at once and not answered. */
  mostAtOnce(name: string): number;
  /** From now on this decides about each command. */
  decide(fateOf: (command: Command) => Fate): void;
  close(): Promise<void>;
};

const opMsg = 2013;
const headerBytes = 16;

/** The answer of a server that refuses a command (MongoDB, "Error Codes"). */
export function refusal(code: number, codeName: string, more: Document = {}): Document {
  return { ok: 0, code, codeName, errmsg: `refused with ${codeName}`, ...more };
}

/** Opens it. @param toUrl mongodb://127.0.0.1:port/database */
export async function openMongoProxy(toUrl: string): Promise<MongoProxy> {
  const { port, pathname } = new URL(toUrl);
  const sockets = new Set<Socket>();
  const commands: Command[] = [];
  const most = new Map<string, number>();
  const underWay = new Map<string, Set<string>>();
  let fateOf: (command: Command) => Fate = () => 'pass';
  let connections = 0;

  const server = createServer((client) => {
    const upstream = connect(Number(port), '127.0.0.1');
    connections += 1;
    const connection = connections;
    const instead = new Map<number, Document>();
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => socket.destroy());
      socket.once('close', () => sockets.delete(socket));
    }
    client.once('close', () => {
      upstream.destroy();
      for (const held of underWay.values())
        for (const each of held) if (each.startsWith(`${connection} `)) held.delete(each);
    });
    upstream.once('close', () => client.destroy());
    const begin = (name: string, id: number) => {
      const held = underWay.get(name) ?? new Set();
      underWay.set(name, held.add(`${connection} ${id}`));
      most.set(name, Math.max(most.get(name) ?? 0, held.size));
    };
    const end = (id: number) => {
      for (const held of underWay.values()) held.delete(`${connection} ${id}`);
    };
    eachMessage(client, (message) => {
      if (message.readInt32LE(12) !== opMsg) return void upstream.write(message);
      const id = message.readInt32LE(4);
      const document = readDocument(message);
      const command = { name: Object.keys(document)[0] ?? '', document };
      commands.push(command);
      begin(command.name, id);
      const fate = fateOf(command);
      if (fate === 'hang') return;
      if (fate !== 'pass' && 'answer' in fate) {
        end(id);
        return void client.write(writeMessage(id, fate.answer));
      }
      if (fate !== 'pass') instead.set(id, fate.instead);
      upstream.write(message);
    });
    eachMessage(upstream, (message) => {
      const id = message.readInt32LE(8);
      const other = instead.get(id);
      end(id);
      client.write(other ? writeMessage(id, other) : message);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `mongodb://127.0.0.1:${(server.address() as AddressInfo).port}${pathname}`,
    commands,
    mostAtOnce: (name) => most.get(name) ?? 0,
    decide(next) {
      fateOf = next;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Cuts what a socket gives into messages; each begins with its length. */
function eachMessage(socket: Socket, take: (message: Buffer) => void): void {
  let rest = Buffer.alloc(0);
  socket.on('data', (piece: Buffer) => {
    rest = Buffer.concat([rest, piece]);
    while (rest.length >= headerBytes && rest.length >= rest.readInt32LE(0)) {
      const length = rest.readInt32LE(0);
      take(rest.subarray(0, length));
      rest = rest.subarray(length);
    }
  });
}

// After the header come flags (4 bytes) and sections: kind 0 is the command, kind 1 a sequence of documents with its length.
function readDocument(message: Buffer): Document {
  let at = headerBytes + 4;
  while (at < message.length && message[at] === 1) at += 1 + message.readInt32LE(at + 1);
  const length = message.readInt32LE(at + 1);
  return BSON.deserialize(message.subarray(at + 1, at + 1 + length));
}

function writeMessage(responseTo: number, document: Document): Buffer {
  const body = Buffer.from(BSON.serialize(document));
  const head = Buffer.alloc(headerBytes + 5);
  head.writeInt32LE(head.length + body.length, 0);
  head.writeInt32LE(responseTo, 8);
  head.writeInt32LE(opMsg, 12);
  return Buffer.concat([head, body]);
}
