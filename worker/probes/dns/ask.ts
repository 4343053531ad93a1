import type { Socket } from 'node:net';
import { countOf } from '#shared/model/counts';
import { describeSpent } from '../budget.ts';
import { type Message, type QueryFlags, readMessage, writeQuery } from './message.ts';
import { readName, writeName } from './name.ts';
import type { DnsAnswer, DnsReply, DnsQuestion } from './port.ts';
import type { Server } from './servers.ts';
import { type AnswerBudget, askOverTcp } from './tcp.ts';
import type { UdpSocket, UdpOutcome } from './udp.ts';

/** Milliseconds until the question is sent once more; the last number is how long the last one waits. Every one that was sent is waited for until the end. */
export type Tries = readonly number[];

export type Exchange = {
  readonly question: DnsQuestion;
  readonly flags: QueryFlags;
  readonly server: Server;
  readonly tries: Tries;
  readonly tcpTimeoutMs: number;
  readonly transport: 'udp' | 'tcp';
  readonly udp: UdpSocket['exchange'];
  readonly openTcp: () => Promise<Socket>;
  readonly budget: AnswerBudget;
  readonly signal: AbortSignal;
};

/** Asks one server: UDP with its tries, then TCP when the answer is truncated. */
export async function askServer(exchange: Exchange): Promise<DnsAnswer> {
  const { question, flags, budget, signal } = exchange;
  signal.throwIfAborted();
  const spent = budget.receive(0);
  if (spent) return fail(exchange, 'budget-spent', describeSpent(spent));
  const query = writeQuery(0, question, flags);
  if (!query) return fail(exchange, 'invalid-name', 'the name or type cannot be asked in the DNS');
  const start = performance.now();
  if (exchange.transport === 'tcp') return overTcp(exchange, query, start);
  let outcome: keyof typeof silences = 'timeout';
  const accepts = (bytes: Buffer) => {
    budget.receive(bytes.length);
    return isReplyTo(bytes, question);
  };
  for await (const got of sendAgain(exchange, query, accepts)) {
    if (got.kind === 'timeout') continue;
    if (got.kind === 'unreachable') {
      outcome = got.code === 'ECONNREFUSED' ? 'connection-refused' : 'network-unreachable';
      if (outcome === 'network-unreachable') break;
      continue;
    }
    const message = tryRead(got.bytes, flags.dnssecOk);
    if (!message) {
      outcome = 'malformed-answer';
      continue;
    }
    if (message.flags.tc) return overTcp(exchange, query, start);
    return toAnswer(exchange, message, {
      transport: 'udp',
      rttMs: performance.now() - start,
      sizeBytes: got.bytes.length,
      ...caseIn(exchange, query, got.bytes),
    });
  }
  return fail(exchange, outcome, silences[outcome](exchange));
}

/** Sends a question over UDP, again and again, and tells what comes of each as it comes. An answer to the first is as good as one to the last. */
async function* sendAgain(
  { tries, udp, signal }: Pick<Exchange, 'tries' | 'udp' | 'signal'>,
  query: Buffer,
  accepts: (bytes: Buffer) => boolean,
): AsyncGenerator<UdpOutcome, void> {
  const stop = new AbortController();
  const ending = AbortSignal.any([signal, stop.signal]);
  const waiting = new Map<number, Promise<{ readonly index: number; readonly outcome: UdpOutcome }>>();
  let timer: NodeJS.Timeout | undefined;
  let again = Promise.withResolvers<undefined>();
  const send = (index: number) => {
    const timeoutMs = tries.slice(index).reduce((sum, ms) => sum + ms, 0);
    const sent = udp(query, accepts, timeoutMs, ending).then((outcome) => ({ index, outcome }));
    sent.catch(() => undefined); // ended with the question
    waiting.set(index, sent);
    clearTimeout(timer);
    again = Promise.withResolvers();
    timer = setTimeout(again.resolve, tries[index], undefined);
  };
  try {
    for (let sent = 0; sent < tries.length || waiting.size > 0;) {
      if (sent === 0 || (waiting.size === 0 && sent < tries.length)) send(sent++);
      const isLast = sent === tries.length;
      const next = await Promise.race([...waiting.values(), ...(isLast ? [] : [again.promise])]);
      if (next === undefined) {
        send(sent++);
        continue;
      }
      waiting.delete(next.index);
      yield next.outcome;
    }
  } finally {
    clearTimeout(timer);
    stop.abort();
  }
}

const silences = {
  // Not by its address: a resolver is the operator's, and the answer that named a name server says where its name comes from.
  timeout: ({ tries }: Exchange) => `no answer within ${countOf(tries.length, 'try', 'tries')}`,
  'connection-refused': () => 'nothing listens on the DNS port',
  'network-unreachable': () => 'no route leads to the server',
  'malformed-answer': () => 'the answer is not a DNS message',
} as const;

async function overTcp(exchange: Exchange, query: Buffer, start: number): Promise<DnsAnswer> {
  let outcome: Awaited<ReturnType<typeof askOverTcp>>;
  try {
    outcome = await askOverTcp(exchange.openTcp, query, { ...exchange, timeoutMs: exchange.tcpTimeoutMs });
  } catch (error) {
    exchange.signal.throwIfAborted();
    if (!(error instanceof Error) || !('code' in error) || error.code === 'budget-spent') throw error;
    return fail(exchange, 'tcp-failed', `no TCP connection to the DNS port (${String(error.code)})`);
  }
  if (outcome.kind !== 'received')
    return fail(exchange, outcome.kind === 'spent' ? 'budget-spent' : 'tcp-failed', outcome.reason);
  const message = isReplyTo(outcome.bytes, exchange.question)
    ? tryRead(outcome.bytes, exchange.flags.dnssecOk)
    : undefined;
  if (!message)
    return fail(exchange, 'malformed-answer', 'the answer over TCP is not a DNS message for this question');
  return toAnswer(exchange, message, {
    transport: 'tcp',
    rttMs: performance.now() - start,
    sizeBytes: outcome.bytes.length,
    ...caseIn(exchange, query, outcome.bytes),
  });
}

// A server may send no question back, and then shows nothing of how it treats letters.
function caseIn({ flags, question }: Exchange, query: Buffer, bytes: Buffer): Pick<DnsReply, 'keepsCase'> {
  if (flags.mixedCase !== true || bytes.readUInt16BE(4) === 0) return {};
  const end = 12 + (writeName(question.name)?.length ?? 0);
  return { keepsCase: bytes.subarray(12, end).equals(query.subarray(12, end)) };
}

// A server that could not read our question may send none back; only then is an answer without one believed.
function isReplyTo(bytes: Buffer, question: DnsQuestion): boolean {
  if (bytes.length < 12 || (bytes.readUInt16BE(2) & 0x8000) === 0) return false;
  if (bytes.readUInt16BE(4) === 0) return (bytes.readUInt16BE(2) & 0xf) !== 0;
  const asked = writeQuery(0, question, {
    recursionDesired: false,
    checkingDisabled: false,
    dnssecOk: false,
    edns: false,
  });
  const echoed = bytes.subarray(12, asked?.length);
  return (
    asked !== undefined &&
    echoed.toString('latin1').toLowerCase() === asked.subarray(12).toString('latin1').toLowerCase()
  );
}

function tryRead(bytes: Buffer, withRdata: boolean): Message | undefined {
  try {
    return readMessage(bytes, withRdata);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

type Arrival = Pick<DnsReply, 'transport' | 'rttMs' | 'sizeBytes' | 'keepsCase'>;

function toAnswer({ question, server }: Exchange, message: Message, arrival: Arrival): DnsAnswer {
  const { rcode, flags, answers, authority, additional, ede, edns } = message;
  return {
    kind: 'answer',
    question: { ...question, name: asPrinted(question.name) },
    rcode,
    flags,
    answers,
    authority,
    additional,
    ede,
    edns,
    server: server.address,
    ...arrival,
  };
}

// Names in answers have octets that are no visible character escaped; the question is to be found among them.
function asPrinted(name: string): string {
  const wire = /[^!-~]/.test(name) ? writeName(name) : undefined;
  return wire === undefined ? name : readName(wire, 0).name;
}

function fail(
  { question, server }: Exchange,
  code: Extract<DnsAnswer, { kind: 'failure' }>['code'],
  reason: string,
): DnsAnswer {
  return { kind: 'failure', question, code, reason, server: server.address };
}
