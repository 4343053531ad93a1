import { costOfChain } from './chain-cost.ts';
import { openRecords, type RecordOpener, type Sealing, sealings } from './handshake-keys.ts';
import { type HandshakeMessage, openMessageReader } from './message-reader.ts';
import { contentTypes } from './record-reader.ts';
import { openServerHello, readExtensions } from './server-hello.ts';

/** What is to become of a record: go to OpenSSL, wait for the key that opens it, or end the connection. */
export type RecordFate = 'pass' | 'wait' | 'refuse';

/** Looks at what a server sends before OpenSSL does, until nothing costly can come any more. */
export type FlightGuard = {
  /** Judges the next record, whole. One that waits is to be shown again once the secret is there. */
  readonly judge: (record: Uint8Array) => RecordFate;
  /** server_handshake_traffic_secret of TLS 1.3, as OpenSSL has derived it from the ServerHello. */
  readonly takeSecret: (secret: Uint8Array) => void;
  /** Nothing that comes now is looked at. */
  readonly isOver: () => boolean;
};

/** OpenSSL refuses a longer Certificate message before it reads the certificates (SSL_MAX_CERT_LIST_DEFAULT). */
const messageLimitBytes = 102_400;
/** How long the signatures of one chain may keep the event loop, by `costOfChain`. A usual chain takes 1 ms; every other run in the process waits. */
const chainLimitMs = 60;
/** Handshake records behind a ChangeCipherSpec: a Finished, and the whole handshake again where one side asks for a new one. At 1.2 kB for 8 ms no chain in them is slow. */
const encryptedLimitBytes = 12_288;

const messageTypes = { serverHello: 2, certificate: 11, finished: 20 } as const;
const tls13 = 0x0304;
const supportedVersions = 43;
const headBytes = 5;

/**
 * Opens the guard of one connection. OpenSSL checks every signature of a chain in one go, whether or not anybody trusts it, and a chain within its
 * limits can take 0.6 s for it, in which the whole process stands still. Node has no setting for the length of a chain, so it is read beforehand.
 */
export function openFlightGuard(): FlightGuard {
  const messages = openMessageReader(messageLimitBytes);
  let sealing: Sealing | undefined;
  let opener: RecordOpener | undefined;
  /** What the ServerHello has chosen; a HelloRetryRequest chooses nothing yet. */
  let version = 0;
  let isEncrypted = false;
  let encryptedBytes = 0;
  let isOver = false;
  let isBroken = false;

  const judgeMessage = ({ type, body }: HandshakeMessage): RecordFate => {
    if (type === messageTypes.serverHello && body !== null && version === 0) {
      const hello = readHello(body);
      if (!hello.isRetry) version = hello.version;
      sealing = sealings[hello.suite];
    }
    if (type === messageTypes.finished) isOver = version === tls13;
    if (type !== messageTypes.certificate || body === null) return 'pass';
    isOver = version === tls13;
    return costOfChain(body, version === tls13) > chainLimitMs ? 'refuse' : 'pass';
  };
  const judgeMessages = (content: Uint8Array): RecordFate =>
    messages.add(content).some((message) => judgeMessage(message) === 'refuse') ? 'refuse' : 'pass';
  const judgeSealed = (record: Uint8Array): RecordFate => {
    if (opener === undefined) return 'wait';
    const opened = opener(record);
    // OpenSSL fails at this record too; should it not, nothing more is passed on unseen.
    if (opened === null) isBroken = true;
    return opened?.type === contentTypes.handshake ? judgeMessages(opened.content) : 'pass';
  };
  return {
    judge(record) {
      if (isBroken) return 'refuse';
      const [type] = record;
      if (version === tls13) return type === contentTypes.application ? judgeSealed(record) : 'pass';
      // Before the ServerHello it means nothing (RFC 8446 §D.4).
      if (type === contentTypes.changeCipherSpec) isEncrypted = version !== 0;
      if (type !== contentTypes.handshake) return 'pass';
      if (!isEncrypted) return judgeMessages(record.subarray(headBytes));
      encryptedBytes += record.length;
      return encryptedBytes > encryptedLimitBytes ? 'refuse' : 'pass';
    },
    takeSecret(secret) {
      // A suite that we don't know was not offered, and OpenSSL refuses it.
      if (sealing === undefined) isBroken = true;
      else opener = openRecords(sealing, secret);
    },
    isOver: () => isOver,
  };
}

/** Version, suite and kind of a ServerHello. */
function readHello(body: Uint8Array): { version: number; suite: number; isRetry: boolean } {
  const { version: legacy, suite, isRetry, cursor } = openServerHello(body);
  let version = legacy;
  readExtensions(cursor, (type, content) => {
    if (type === supportedVersions) version = content.number(2);
  });
  return { version, suite, isRetry };
}
