import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { BSON, type Document, MongoClient } from 'mongodb';

/** A command as the driver sent it, with the documents that stand in sections of their own (of `insert` and `update`) under their names. */
export type Command = { readonly name: string; readonly document: Document };

/** What becomes of a command: it goes to the server, is never answered, or is answered by this; `instead`: of the server's answer, once it did it; `alter`: the server's answer, changed. */
export type Fate =
  | 'pass'
  | 'hang'
  | { readonly answer: Document }
  | { readonly instead: Document }
  | { readonly alter: (answer: Document) => Document };

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
/** The first hello of a connection, and its answer, have an older form. */
const opQuery = 2004;
const opReply = 1;
const headerBytes = 16;

/** The answer of a server that refuses a command (MongoDB, "Error Codes"). */
export function refusal(code: number, codeName: string, more: Document = {}): Document {
  return { ok: 0, code, codeName, errmsg: `refused with ${codeName}`, ...more };
}

/** Opens it. @param toUrl mongodb://127.0.0.1:port/database; of a replica set the way leads to the server that is its primary now */
export async function openMongoProxy(toUrl: string): Promise<MongoProxy> {
  const { host, port, direct } = await findPrimary(toUrl);
  const sockets = new Set<Socket>();
  const commands: Command[] = [];
  const most = new Map<string, number>();
  const underWay = new Map<string, Set<string>>();
  let fateOf: (command: Command) => Fate = () => 'pass';
  let connections = 0;

  const server = createServer((client) => {
    const upstream = connect(port, host);
    connections += 1;
    const connection = connections;
    const instead = new Map<number, (answer: Document) => Document>();
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
      const form = message.readInt32LE(12);
      if (form !== opMsg && form !== opQuery) return void upstream.write(message);
      const id = message.readInt32LE(4);
      const document = form === opMsg ? readDocument(message) : readQuery(message);
      const command = { name: Object.keys(document)[0] ?? '', document };
      commands.push(command);
      begin(command.name, id);
      const fate = fateOf(command);
      if (fate === 'hang') return;
      if (fate !== 'pass' && 'answer' in fate) {
        end(id);
        return void client.write((form === opMsg ? writeMessage : writeReply)(id, fate.answer));
      }
      if (fate !== 'pass') instead.set(id, 'alter' in fate ? fate.alter : () => fate.instead);
      upstream.write(message);
    });
    eachMessage(upstream, (message) => {
      const id = message.readInt32LE(8);
      const alter = instead.get(id);
      end(id);
      if (!alter) return void client.write(message);
      const isReply = message.readInt32LE(12) === opReply;
      const answer = isReply ? BSON.deserialize(message.subarray(headerBytes + 20)) : readDocument(message);
      client.write((isReply ? writeReply : writeMessage)(id, alter(answer)));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: direct(`127.0.0.1:${(server.address() as AddressInfo).port}`),
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

type Primary = {
  readonly host: string;
  readonly port: number;
  /** The same address with this place instead of its hosts, and without looking for other servers. */
  readonly direct: (place: string) => string;
};

async function findPrimary(url: string): Promise<Primary> {
  const [, scheme = '', user = '', hosts = '', rest = ''] =
    /^(mongodb(?:\+srv)?:\/\/)([^@/]*@)?([^/?]+)(.*)$/.exec(url) ?? [];
  const isOne = scheme === 'mongodb://' && !hosts.includes(',') && !/replicaSet=/i.test(rest);
  const place = isOne ? hosts : await askPrimary(url);
  const [path = '', query = ''] = rest.split('?');
  const options = query
    .split('&')
    .filter((each) => each !== '' && !/^(?:replicaSet|directConnection)=/i.test(each));
  const [, host = '', port = '27017'] = /^(.*?)(?::(\d+))?$/.exec(place) ?? [];
  return {
    host,
    port: Number(port),
    direct(at) {
      const all = isOne ? options : [...options, 'directConnection=true'];
      return `mongodb://${user}${at}${path}${all.length > 0 ? `?${all.join('&')}` : ''}`;
    },
  };
}

async function askPrimary(url: string): Promise<string> {
  const client = new MongoClient(url);
  const { primary, me } = await client.db('admin').command({ hello: 1 });
  await client.close();
  return String(primary ?? me);
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

// After the header come flags (4 bytes) and sections: kind 0 is the command, kind 1 a sequence of documents with its length and name.
function readDocument(message: Buffer): Document {
  const sequences: Record<string, Document[]> = {};
  let command: Document = {};
  let at = headerBytes + 4;
  while (at < message.length - 4) {
    const kind = message[at];
    const length = message.readInt32LE(at + 1);
    const section = message.subarray(at + 1, at + 1 + length);
    if (kind === 0) command = BSON.deserialize(section);
    else Object.assign(sequences, readSequence(section));
    at += 1 + length;
  }
  return { ...command, ...sequences };
}

function readSequence(section: Buffer): Record<string, Document[]> {
  const nameEnd = section.indexOf(0, 4);
  const documents: Document[] = [];
  for (let at = nameEnd + 1; at < section.length; at += section.readInt32LE(at))
    documents.push(BSON.deserialize(section.subarray(at, at + section.readInt32LE(at))));
  return { [section.toString('utf8', 4, nameEnd)]: documents };
}

// Flags, the name of a collection, and two numbers come before the document.
function readQuery(message: Buffer): Document {
  const at = message.indexOf(0, headerBytes + 4) + 1 + 8;
  return BSON.deserialize(message.subarray(at, at + message.readInt32LE(at)));
}

// Flags, a cursor and two numbers come before it: here the last says that it is one document.
function writeReply(responseTo: number, document: Document): Buffer {
  const body = Buffer.from(BSON.serialize(document));
  const head = Buffer.alloc(headerBytes + 20);
  head.writeInt32LE(head.length + body.length, 0);
  head.writeInt32LE(responseTo, 8);
  head.writeInt32LE(opReply, 12);
  head.writeInt32LE(1, headerBytes + 16);
  return Buffer.concat([head, body]);
}

function writeMessage(responseTo: number, document: Document): Buffer {
  const body = Buffer.from(BSON.serialize(document));
  const head = Buffer.alloc(headerBytes + 5);
  head.writeInt32LE(head.length + body.length, 0);
  head.writeInt32LE(responseTo, 8);
  head.writeInt32LE(opMsg, 12);
  return Buffer.concat([head, body]);
}
