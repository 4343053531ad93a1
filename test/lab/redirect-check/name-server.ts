import { createSocket } from 'node:dgram';
import { type Answer, decode, encode, type Packet } from 'dns-packet';

/** What a name answers to A questions: addresses, each time the next list; an error code; or nothing at all. */
export type Name =
  | { readonly turns: readonly (readonly string[])[] }
  | { readonly rcode: number }
  | 'silent'
  | 'garbage';

export type NameServer = { readonly address: string; close(): Promise<void> };

/** A name server over UDP that can misbehave, name by name; names that it does not know lead to 127.0.0.1. TTL 0 throughout. */
export async function openNameServer(names: { readonly [name: string]: Name }): Promise<NameServer> {
  const asked = new Map<string, number>();
  const socket = createSocket('udp4');
  socket.on('message', (bytes, from) => {
    const query = decode(bytes);
    const name = query.questions?.[0]?.name.toLowerCase() ?? '';
    const behaviour = Object.hasOwn(names, name) ? names[name] : { turns: [['127.0.0.1']] };
    if (behaviour === undefined || behaviour === 'silent') return;
    const reply = behaviour === 'garbage' ? Buffer.from('not a message') : answer(query, behaviour, asked);
    socket.send(reply, from.port, from.address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  return {
    address: `127.0.0.1:${socket.address().port}`,
    close: () => new Promise((resolve) => socket.close(() => resolve())),
  };
}

function answer(query: Packet, behaviour: Exclude<Name, string>, asked: Map<string, number>): Buffer {
  const questions = query.questions ?? [];
  const rcode = 'rcode' in behaviour ? behaviour.rcode : 0;
  const answers = questions.flatMap(({ name, type }) =>
    type === 'A' && 'turns' in behaviour ? nextAnswer(name, behaviour.turns, asked) : [],
  );
  return encode({ type: 'response', id: query.id ?? 0, flags: 0x0180 | rcode, questions, answers });
}

/** The next of the lists; the last one stays. */
function nextAnswer(
  name: string,
  turns: readonly (readonly string[])[],
  asked: Map<string, number>,
): Answer[] {
  const turn = asked.get(name) ?? 0;
  asked.set(name, turn + 1);
  const addresses = turns[Math.min(turn, turns.length - 1)] ?? [];
  return addresses.map((data) => ({ type: 'A', name, ttl: 0, data }));
}
