import type { Socket } from 'node:net';
import type { SslCode } from '#shared/catalogue/ssl-check/rules';
import { joinBytes, vectorBytes } from '../../../worker/certificates/grammar/byte-cursor.ts';
import { readClientHello } from '../../unit/ssl-check/read-client-hello.ts';
import { speaks } from '../../unit/ssl-check/speaks.ts';
import {
  alertRecord,
  extension,
  message,
  record,
  type WrittenFlight,
  writeServerFlight,
} from '../../unit/ssl-check/write-server-flight.ts';
import type { Instead, SentRecord, Twist } from './record-front.ts';

/** A server that breaks the protocol, and what an expert would say of it. */
export type Misbehaving = {
  readonly name: string;
  /** How a good server of one version is changed; or what is answered instead of any. */
  readonly serves:
    | { readonly version: 'TLSv1.2' | 'TLSv1.3' | 'both'; readonly twist: Twist }
    | { readonly answers: (socket: Socket) => void };
  /** What is broken of connection and clients, and why something is not tested. */
  readonly told: { readonly broken: readonly SslCode[]; readonly notTested?: string };
};

type Change = (bytes: Uint8Array) => Instead;

const changeCipherSpec = 20;
const handshake = 22;
const sealed = 23;

/** Changes the n-th record, counted from the ServerHello. */
const nth =
  (index: number, change: Change): Twist =>
  (sent) =>
    sent.index === index ? change(sent.bytes) : sent.bytes;
const every =
  (type: number, change: Change): Twist =>
  (sent) =>
    sent.type === type ? change(sent.bytes) : sent.bytes;
/** Of TLS 1.2: the Finished, which is the one sealed record of this type. */
const finished =
  (change: Change): Twist =>
  (sent: SentRecord) =>
    sent.type === handshake && sent.index > 4 ? change(sent.bytes) : sent.bytes;

const before =
  (...records: readonly Uint8Array[]): Change =>
  (bytes) =>
    joinBytes(...records, bytes);
const by =
  (instead: Instead): Change =>
  () =>
    instead;
const flipLast: Change = (bytes) => joinBytes(bytes.slice(0, -1), (bytes.at(-1) ?? 0) ^ 1);
const inVersion =
  (major: number, minor: number): Change =>
  (bytes) =>
    joinBytes(bytes.slice(0, 1), major, minor, bytes.slice(3));
const inPieces =
  (size: number): Change =>
  (bytes) =>
    joinBytes(
      ...Array.from({ length: Math.ceil((bytes.length - 5) / size) }, (_, index) =>
        record(handshake, bytes.slice(5 + index * size, 5 + (index + 1) * size)),
      ),
    );
const emptyRecords = (count: number) =>
  joinBytes(...Array.from({ length: count }, () => record(handshake, new Uint8Array(0))));
const oversizeCertificate = joinBytes(
  record(handshake, joinBytes(11, 2, 0, 0, new Uint8Array(16_000))),
  ...Array.from({ length: 11 }, () => record(handshake, new Uint8Array(16_000))),
);

const tls12 = (name: string, twist: Twist, ...broken: SslCode[]): Misbehaving => ({
  name: `TLS 1.2: ${name}`,
  serves: { version: 'TLSv1.2', twist },
  told: { broken },
});
const tls13 = (name: string, twist: Twist, ...broken: SslCode[]): Misbehaving => ({
  name: `TLS 1.3: ${name}`,
  serves: { version: 'TLSv1.3', twist },
  told: { broken },
});
const tooLate = 'the TLS handshake was not finished in time';
const late = (version: 'TLSv1.2' | 'TLSv1.3' | 'both', name: string, twist: Twist): Misbehaving => ({
  name: `${version}: ${name}`,
  serves: { version, twist },
  told: { broken: [], notTested: tooLate },
});

const once =
  (bytes: Uint8Array) =>
  (socket: Socket): void =>
    void socket.once('data', () => socket.end(bytes));
const answers = (name: string, bytes: Uint8Array, ...broken: SslCode[]): Misbehaving => ({
  name,
  serves: { answers: once(bytes) },
  told: { broken },
});
const says = (
  name: string,
  answer: (bytes: Uint8Array) => Uint8Array,
  ...broken: SslCode[]
): Misbehaving => ({
  name,
  serves: { answers: (socket) => void socket.on('data', (bytes) => socket.write(answer(bytes))) },
  told: { broken },
});

/** A flight as a server of TLS 1.2 writes it, but for what is said otherwise. */
const flight = (more: Partial<WrittenFlight> = {}) =>
  writeServerFlight({
    version: 0x0303,
    suite: 0xc02b,
    certificates: [new Uint8Array(2000)],
    group: 23,
    scheme: 0x0403,
    done: true,
    ...more,
  });
const retries = speaks([], [0x1302, 0x1303, 0x1301], [0x001d, 0x0017]);
const retryRandom = Uint8Array.from(
  Buffer.from('cf21ad74e59a6111be1d8c021e65b891c2a211167abb8c5e079e09e2c8a8339c', 'hex'),
);
const unknownGroup = writeServerFlight({
  version: 0x0304,
  suite: 0x1301,
  random: retryRandom,
  extensions: [extension(43, 3, 4), extension(51, 0x11, 0x11)],
});

/** Harmless: clients pass over it, and so does the check. */
const harmless: readonly Misbehaving[] = [
  tls12('a warning unrecognized_name before the ServerHello', nth(0, before(alertRecord(1, 112)))),
  tls13('a warning unrecognized_name before the ServerHello', nth(0, before(alertRecord(1, 112)))),
  tls12('messages in pieces of seven bytes', (sent) =>
    sent.type === handshake && sent.index < 4 ? inPieces(7)(sent.bytes) : sent.bytes,
  ),
  tls12('a ServerHello in records of one byte', nth(0, inPieces(1))),
  tls12('an empty record before the ServerHello', nth(0, before(emptyRecords(1)))),
  tls12('a HelloRequest in the middle of the handshake', nth(1, before(record(handshake, message(0))))),
  tls13(
    'two ChangeCipherSpecs',
    every(changeCipherSpec, (bytes) => joinBytes(bytes, bytes)),
  ),
];

/** Our own deadline ends these: it says nothing of what the server accepts. */
const deadlines: readonly Misbehaving[] = [
  late('TLSv1.3', 'a sealed flight that comes byte by byte', every(sealed, by('drip'))),
  late('both', 'a flight that comes byte by byte', (sent) =>
    sent.index > 0 && sent.type !== changeCipherSpec ? 'drip' : sent.bytes,
  ),
  late('TLSv1.2', 'a Certificate that comes byte by byte', nth(1, by('drip'))),
];

/** The server answers, and no handshake can be completed. */
const failing: readonly Misbehaving[] = [
  tls13('silence after the ServerHello', every(sealed, by('stop')), 'handshake-not-completed'),
  tls12('silence after the ServerHello', nth(1, by('stop')), 'handshake-not-completed'),
  tls12('silence instead of the Finished', every(changeCipherSpec, by('stop')), 'handshake-not-completed'),
  tls12('closes after the ServerHello', nth(1, by('close')), 'handshake-not-completed'),
  tls12('closes after the Certificate', nth(2, by('close')), 'handshake-not-completed'),
  tls12('closes before its Finished', every(changeCipherSpec, by('close')), 'handshake-not-completed'),
  tls12('resets after the ServerHello', nth(1, by('reset')), 'handshake-not-completed'),
  tls13('closes after the ServerHello', every(sealed, by('close')), 'handshake-not-completed'),
  tls13('resets in the sealed flight', every(sealed, by('reset')), 'handshake-not-completed'),
  tls13('a sealed flight that cannot be opened', every(sealed, flipLast), 'handshake-not-completed'),
  tls13('sealed records of SSL 3.0', every(sealed, inVersion(3, 0)), 'handshake-not-completed'),
  tls13(
    'an alert in clear after the ServerHello',
    every(sealed, by(alertRecord(2, 40))),
    'handshake-not-completed',
  ),
  tls12('a wrong Finished', finished(flipLast), 'handshake-not-completed'),
  tls12('a wrong signature of its key', nth(2, flipLast), 'handshake-not-completed'),
  tls12('records of SSL 3.0', (sent) => inVersion(3, 0)(sent.bytes), 'handshake-not-completed'),
  tls12(
    'application data in the middle of the handshake',
    nth(1, before(record(sealed, new Uint8Array(0)))),
    'handshake-not-completed',
  ),
  tls12('internal_error after the ServerHello', nth(1, by(alertRecord(2, 80))), 'handshake-not-completed'),
  tls12('handshake_failure after the Certificate', nth(2, by(alertRecord(2, 40))), 'handshake-not-completed'),
  tls12(
    'decrypt_error instead of the Finished',
    every(changeCipherSpec, by(alertRecord(2, 51))),
    'handshake-not-completed',
  ),
  tls12(
    'two ServerHellos',
    nth(0, (bytes) => joinBytes(bytes, bytes)),
    'handshake-not-completed',
  ),
  tls12('a Certificate of 131,072 bytes', nth(1, by(oversizeCertificate)), 'chain-too-large'),
  answers(
    'two extensions of one type',
    flight({ extensions: [extension(23), extension(23)] }),
    'handshake-not-completed',
  ),
  answers(
    'a ServerHelloDone without certificates',
    writeServerFlight({ version: 0x0303, suite: 0xc02b, done: true }),
    'handshake-not-completed',
  ),
  says(
    'a HelloRetryRequest after a HelloRetryRequest',
    (bytes) => {
      const reply = retries(readClientHello(bytes));
      return typeof reply === 'string' ? new Uint8Array(0) : reply;
    },
    'handshake-not-completed',
  ),
];

/** The first answer is none that a client could go on with. */
const refusing: readonly Misbehaving[] = [
  answers('a suite that was not offered', flight({ suite: 0x1234 }), 'server-hello-invalid'),
  answers(
    'an extension that was not asked for',
    flight({ extensions: [extension(0x1234, 1)] }),
    'server-hello-invalid',
  ),
  answers('a compression that does not exist', flight({ compression: 7 }), 'server-hello-invalid'),
  answers('a signature scheme that does not exist', flight({ scheme: 0xfefe }), 'server-hello-invalid'),
  answers('a group that does not exist', flight({ group: 0xfefe }), 'server-hello-invalid'),
  answers('a suite of TLS 1.3 in TLS 1.2', flight({ suite: 0x1301 }), 'server-hello-invalid'),
  says('a HelloRetryRequest for a group that was not offered', () => unknownGroup, 'server-hello-invalid'),
  answers(
    'a version that does not exist',
    flight({ extensions: [extension(43, 3, 5)] }),
    'server-hello-invalid',
  ),
  answers('a fatal unrecognized_name', alertRecord(2, 112), 'tls-alert'),
  answers('internal_error', alertRecord(2, 80), 'tls-alert'),
  answers('decode_error', alertRecord(2, 50), 'tls-alert'),
  answers('inappropriate_fallback to everything', alertRecord(2, 86), 'tls-alert'),
  answers('protocol_version to everything', alertRecord(2, 70), 'parameters-not-common'),
  answers(
    'handshake_failure in two records',
    joinBytes(record(21, Uint8Array.of(2)), record(21, Uint8Array.of(40))),
    'parameters-not-common',
  ),
  answers('half an alert', alertRecord(2, 40).subarray(0, 6), 'connection-closed'),
  answers('a warning user_canceled, then the end', alertRecord(1, 90), 'connection-closed'),
  answers('close_notify', alertRecord(1, 0), 'connection-closed'),
];

/** What comes cannot be read as TLS. */
const unreadable: readonly Misbehaving[] = [
  tls12('records of version 9.9', (sent) => inVersion(9, 9)(sent.bytes), 'port-not-tls'),
  tls12('forty empty records', nth(0, before(emptyRecords(40))), 'server-hello-invalid'),
  tls12(
    'bytes of no record after the ServerHello',
    nth(1, by(new Uint8Array(60).fill(77))),
    'server-hello-invalid',
  ),
  tls12(
    'a record of unknown type after the ServerHello',
    nth(1, before(record(99, new Uint8Array(3)))),
    'server-hello-invalid',
  ),
  answers(
    'a Certificate before the ServerHello',
    record(handshake, message(11, vectorBytes(3, []))),
    'server-hello-invalid',
  ),
  answers(
    'a Certificate with wrong lengths',
    joinBytes(
      writeServerFlight({ version: 0x0303, suite: 0xc02b }),
      record(handshake, message(11, 255, 255, 255, 1)),
    ),
    'server-hello-invalid',
  ),
  answers(
    'a record of 65,535 bytes',
    joinBytes(handshake, 3, 3, 0xff, 0xff, new Uint8Array(65_535)),
    'port-not-tls',
  ),
  says('the ClientHello, sent back', (bytes) => bytes, 'server-hello-invalid'),
];

/** Each server, one thing wrong with it. */
export const misbehavingServers = [...deadlines, ...harmless, ...failing, ...refusing, ...unreadable];
