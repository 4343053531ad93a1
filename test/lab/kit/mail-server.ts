import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

/** A message as a server took it. */
export type Taken = {
  readonly from: string;
  readonly to: readonly string[];
  /** Its fields by lower-case name, unfolded. */
  readonly headers: ReadonlyMap<string, string>;
  /** Decoded. */
  readonly text: string;
  readonly raw: string;
  readonly isOverTls: boolean;
  readonly user: string | undefined;
};

export type MailServerLab = {
  readonly port: number;
  readonly taken: readonly Taken[];
  /** Answers the next steps of clients otherwise: the code to which of them. */
  refuse(at: 'mail' | 'rcpt' | 'data' | 'none', code?: number): void;
  close(): Promise<void>;
};

/** A mail server on loopback that takes everything, without TLS unless told otherwise. */
export async function openMailServer(more: SMTPServerOptions = {}): Promise<MailServerLab> {
  const taken: Taken[] = [];
  let refused: { at: string; code: number } = { at: 'none', code: 0 };
  const answer = (at: string, done: (error?: Error | null) => void) =>
    refused.at === at
      ? done(Object.assign(new Error('a text of the server'), { responseCode: refused.code }))
      : done();
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: more.secure === true || more.key !== undefined ? [] : ['STARTTLS'],
    logger: false,
    ...more,
    onAuth: ({ username, password }, _session, done) =>
      password === 'right' ? done(null, { user: username }) : done(new Error('no')),
    onMailFrom: (_address, _session, done) => answer('mail', done),
    onRcptTo: (_address, _session, done) => answer('rcpt', done),
    onData(stream, session, done) {
      const pieces: Buffer[] = [];
      stream.on('data', (piece: Buffer) => pieces.push(piece));
      stream.on('end', () => {
        if (refused.at === 'data') return answer('data', done);
        const { mailFrom, rcptTo } = session.envelope;
        taken.push({
          from: mailFrom === false ? '' : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          ...readMessage(Buffer.concat(pieces).toString('latin1')),
          isOverTls: session.secure,
          user: session.user as string | undefined,
        });
        done();
      });
    },
  });
  server.on('error', () => undefined); // a client that goes away in the middle
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  return {
    port: (server.server.address() as AddressInfo).port,
    taken,
    refuse: (at, code = 0) => void (refused = { at, code }),
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

function readMessage(raw: string): Pick<Taken, 'headers' | 'text' | 'raw'> {
  const [head = '', ...body] = raw.split('\r\n\r\n');
  const lines = head.replace(/\r\n[ \t]+/g, ' ').split('\r\n');
  const headers = new Map(
    lines.map((line): [string, string] => {
      const [name = '', ...value] = line.split(':');
      return [name.toLowerCase(), value.join(':').trim()];
    }),
  );
  return { headers, text: decode(body.join('\r\n\r\n'), headers.get('content-transfer-encoding')), raw };
}

function decode(body: string, coding = '7bit'): string {
  if (coding === 'base64') return Buffer.from(body, 'base64').toString();
  if (coding !== 'quoted-printable') return Buffer.from(body, 'latin1').toString();
  const bytes = body
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString();
}

/** A server that says what it wants, whoever connects. */
export async function openRawServer(
  greet: (socket: Socket) => void,
): Promise<{ port: number; close(): Promise<void> }> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    greet(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    close() {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
