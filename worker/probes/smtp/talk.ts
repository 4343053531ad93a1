import type { Duplex } from 'node:stream';
import type { Dialled } from '../guard.ts';
import { legacyOffer } from '../tls/legacy-offer.ts';
import type { Handshake, HandshakeRequest } from '../tls/port.ts';
import { shakeHands } from '../tls/shake-hands.ts';
import type { Work } from '../work.ts';
import type { MailOffer, ReplyRead, Talk, TalkRequest } from './port.ts';
import { hasCode, offersStartTls } from './reply-line.ts';
import { openReplyReader, type ReplyReader } from './reply-reader.ts';

export type SmtpLimits = {
  /** Servers let clients wait before they greet, and drop those that talk too early; few for longer than this. */
  readonly greetingMs: number;
  readonly replyMs: number;
  readonly handshakeMs: number;
  readonly quitMs: number;
};
export const smtpLimits: SmtpLimits = { greetingMs: 20_000, replyMs: 8000, handshakeMs: 8000, quitMs: 1000 };

/** What a conversation takes beside its connection. */
export type Talking = {
  /** The name that we greet with. */
  readonly helo: string;
  readonly request: Pick<TalkRequest, 'servername' | 'offer'>;
  readonly limits: SmtpLimits;
  readonly work: Work;
  readonly signal: AbortSignal;
};

const offers: { readonly [O in MailOffer]: Partial<HandshakeRequest> } = {
  modern: {},
  legacy: legacyOffer,
  old: { ...legacyOffer, maxVersion: 'TLSv1.1' },
};

/** Talks over a connection that was dialled, which is destroyed then. */
export async function talk({ socket, address, times }: Dialled, talking: Talking): Promise<Talk> {
  const { limits } = talking;
  const said = { ehlo: null, startTls: null, droppedBytes: 0, handshake: null, ehloAfter: null } as const;
  const session = openSession(socket, talking);
  const end = (more: Partial<Omit<Extract<Talk, { kind: 'talked' }>, 'kind'>>, greeting: ReplyRead): Talk => {
    const ms = Math.round(performance.now() - times.start);
    return { kind: 'talked', address, ...said, greeting, ...more, ms };
  };
  try {
    const greeting = await session.read(limits.greetingMs);
    if (!hasCode(greeting, 220)) return end({}, await session.quit(greeting));
    const ehlo = await session.ask(`EHLO ${talking.helo}`);
    if (!offersStartTls(ehlo)) return end({ ehlo: await session.quit(ehlo) }, greeting);
    const startTls = await session.ask('STARTTLS');
    if (!hasCode(startTls, 220)) return end({ ehlo, startTls: await session.quit(startTls) }, greeting);
    // What came with the reply was sent in clear text: nobody may take it for a part of what follows (RFC 3207 §6).
    const droppedBytes = session.drop();
    const { handshake, ehloAfter } = await secure({ socket, address, times }, talking);
    return end({ ehlo, startTls, droppedBytes, handshake, ehloAfter }, greeting);
  } finally {
    socket.destroy();
  }
}

async function secure(
  dialled: Dialled,
  talking: Talking,
): Promise<{ readonly handshake: Handshake; readonly ehloAfter: ReplyRead | null }> {
  const { limits, signal, request, helo } = talking;
  let ehloAfter: ReplyRead | null = null;
  const handshake = await shakeHands(dialled, {
    request: { ...offers[request.offer], servername: request.servername, lingerMs: 0 },
    limits: { handshakeMs: limits.handshakeMs, lingerMs: 0 },
    signal,
    async talk(tls) {
      const session = openSession(tls, talking);
      ehloAfter = await session.quit(await session.ask(`EHLO ${helo}`));
    },
  });
  return { handshake, ehloAfter };
}

type Session = Pick<ReplyReader, 'drop'> & {
  readonly read: (timeoutMs: number) => Promise<ReplyRead>;
  readonly ask: (command: string) => Promise<ReplyRead>;
  /** Says goodbye to a server that still talks, and gives back its last reply. */
  readonly quit: (last: ReplyRead) => Promise<ReplyRead>;
};

function openSession(stream: Duplex, { limits, work, signal }: Talking): Session {
  const reader = openReplyReader(stream);
  const read = async (timeoutMs: number): Promise<ReplyRead> => {
    const found = await reader.read(timeoutMs, signal);
    const refusal = await work.take(charactersOf(found));
    return refusal === undefined ? found : { kind: 'malformed', reason: refusal, text: '' };
  };
  const ask = (command: string, timeoutMs = limits.replyMs) => {
    if (stream.writable) stream.write(`${command}\r\n`);
    return read(timeoutMs);
  };
  return {
    read,
    ask,
    drop: () => reader.drop(),
    async quit(last) {
      if (last.kind === 'reply') await ask('QUIT', limits.quitMs);
      return last;
    },
  };
}

function charactersOf(read: ReplyRead): number {
  return read.kind === 'reply' ? read.lines.reduce((sum, line) => sum + line.length + 4, 0) : 0;
}
