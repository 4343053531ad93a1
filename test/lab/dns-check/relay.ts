import { createSocket } from 'node:dgram';
import { connect, createServer } from 'node:net';
import { decode, encode } from 'dns-packet';

export type Question = { readonly name: string; readonly type: string };

/** What a name server does with a question: it answers, or does not. */
export type Manner = 'answers' | 'SERVFAIL' | 'REFUSED' | 'silence';

/** A name server in front of another one at the same address, which spoils some of its answers, over UDP and TCP. */
export function openRelay(address: string, port: number, manner: (question: Question) => Manner) {
  const instead = (query: Buffer): Buffer | 'silence' | undefined => {
    const { id = 0, questions = [] } = decode(query);
    const [question] = questions;
    const how = question ? manner({ ...question, name: question.name.toLowerCase() }) : 'answers';
    if (how === 'answers' || how === 'silence') return how === 'silence' ? how : undefined;
    const rcode = how === 'SERVFAIL' ? 2 : 5;
    return encode({ type: 'response', id, flags: rcode, questions });
  };
  const udp = createSocket('udp4');
  udp.on('message', (query, from) => {
    const answer = instead(query);
    if (answer === 'silence') return;
    if (answer !== undefined) return udp.send(answer, from.port, from.address);
    const upstream = createSocket('udp4');
    const timer = setTimeout(() => upstream.close(), 2000);
    upstream.once('message', (reply) => {
      clearTimeout(timer);
      udp.send(reply, from.port, from.address);
      upstream.close();
    });
    upstream.send(query, port, address);
  });
  udp.bind(53, address);
  const tcp = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', (first) => {
      const answer = instead(first.subarray(2));
      if (answer === 'silence') return;
      if (answer !== undefined) {
        const length = Buffer.alloc(2);
        length.writeUInt16BE(answer.length);
        socket.end(Buffer.concat([length, answer]));
        return;
      }
      const upstream = connect(port, address, () => upstream.write(first));
      upstream.on('error', () => socket.destroy());
      upstream.pipe(socket);
      socket.pipe(upstream);
    });
  });
  tcp.listen(53, address);
  return {
    async close() {
      udp.close();
      tcp.close();
    },
  };
}
