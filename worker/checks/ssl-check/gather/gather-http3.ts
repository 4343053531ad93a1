import { randomBytes } from 'node:crypto';
import { isMalformed } from '#shared/model/verdict';
import type { UdpExchange, UdpProbe } from '../../../probes/udp/port.ts';
import type { Http3Observation } from '../evidence.ts';
import type { Http3Offer } from '../facts/http3.ts';
import { type ConnectionIds, parseVersionNegotiation, writeVersionQuestion } from '../grammar/quic.ts';
import type { Allowance } from './allowance.ts';
import type { Target } from './ask-hello.ts';

/** Browsers give up sooner: they race HTTP/3 against TCP. */
const answerTimeMs = 2000;

/** Ids of 8 bytes, the least that an Initial packet may have (RFC 9000 §7.2). */
const idBytes = 8;

/** An answer lists some versions of four bytes each. */
const answerLimitBytes = 256;

export type Http3Context = {
  readonly udp: UdpProbe;
  readonly target: Target;
  readonly allowance: Allowance;
};

/** Tries HTTP/3 at one address where it is offered there: one datagram asks for the versions of QUIC, and no connection is opened. */
export async function gatherHttp3(
  { udp, target, allowance }: Http3Context,
  offer: Http3Offer,
): Promise<Http3Observation | null> {
  if (offer === null || offer === 'none') return null;
  const { host, address } = target;
  if (offer.host !== '' && offer.host !== host)
    return { kind: 'unknown', reason: 'it is offered at another host, which was not asked' };
  const timeoutMs = allowance.leftMs(answerTimeMs);
  if (address === undefined || timeoutMs === 0) return { kind: 'unknown', reason: 'there was no time left' };
  const asked = { destination: randomBytes(idBytes), source: randomBytes(idBytes) };
  const limits = { timeoutMs, limitBytes: answerLimitBytes };
  const send = writeVersionQuestion(asked);
  return readAnswer(await udp.exchange({ host, port: offer.port, address, send, ...limits }), asked);
}

function readAnswer(answer: UdpExchange, asked: ConnectionIds): Http3Observation {
  if (answer.kind === 'silent') return { kind: 'silent', isUdpSeen: answer.isUdpSeen };
  if (answer.kind === 'failure')
    return answer.code === 'connection-refused'
      ? { kind: 'refused' }
      : { kind: 'unknown', reason: answer.reason };
  const read = parseVersionNegotiation(answer.bytes, asked);
  return isMalformed(read) ? { kind: 'not-quic' } : { kind: 'answered', versions: read.versions };
}
