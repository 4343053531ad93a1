import { createServer, type Server, type Socket } from 'node:net';
import { createSecureContext, type SecureContextOptions, TLSSocket } from 'node:tls';

/** What a mail server of the lab says. What is left out, a good one says. */
export type Script = {
  /** Whole reply, with its line ends; null says nothing. */
  readonly greeting?: string | null;
  /** Lines of the answer to EHLO, without codes. */
  readonly extensions?: readonly string[];
  /** Whole answer to EHLO. */
  readonly ehlo?: string;
  readonly startTls?: string | null;
  /** Bytes sent directly behind the reply to STARTTLS. */
  readonly early?: string;
  readonly tls?: SecureContextOptions;
  /** Hears the name that a client asks for. */
  readonly onName?: (name: string) => void;
  /** In place of a handshake. */
  readonly inPlace?: (socket: Socket) => void;
  /** In place of what is said after the handshake. */
  readonly inTls?: (tls: TLSSocket) => void;
  /** The answer to EHLO after the handshake. */
  readonly extensionsAfter?: readonly string[];
  /** Does all of it otherwise. */
  readonly raw?: (socket: Socket) => void;
  /** Waits before each reply: a round trip. */
  readonly delayMs?: number;
};

export type MailServer = {
  /** All lines that came, before and behind handshakes. */
  readonly said: readonly string[];
  readonly connections: () => number;
  /** @param later what every connection after the first hears; the same where it is left out */
  serve(script: Script, later?: Script): void;
  close(): Promise<void>;
};

/** Opens a scripted mail server at an address of loopback. */
export async function openMailServer(address: string, port: number, first: Script): Promise<MailServer> {
  let scripts = [first];
  let connections = 0;
  const said: string[] = [];
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    const [script = first] = scripts;
    scripts = scripts.length > 1 ? scripts.slice(1) : scripts;
    if (script.raw) script.raw(socket);
    else converse(socket, script, said);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, address, resolve);
  });
  return {
    said,
    connections: () => connections,
    serve: (script, later) => {
      scripts = later ? [script, later] : [script];
    },
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}

const crlf = '\r\n';

/** A reply of several lines. */
export function reply(code: number, lines: readonly string[]): string {
  return lines.map((line, at) => `${code}${at === lines.length - 1 ? ' ' : '-'}${line}${crlf}`).join('');
}

function converse(socket: Socket, script: Script, said: string[]): void {
  const { greeting = `220 mx.lab.test ESMTP${crlf}`, startTls = `220 go ahead${crlf}`, delayMs = 0 } = script;
  const say = (text: string, next?: () => void) =>
    void setTimeout(() => {
      if (socket.writable) socket.write(text, 'latin1');
      next?.();
    }, delayMs);
  if (greeting !== null) say(greeting);
  onLines(socket, said, (line) => {
    const command = line.slice(0, 8).toUpperCase();
    if (command.startsWith('EHLO'))
      say(script.ehlo ?? reply(250, ['mx.lab.test', ...(script.extensions ?? ['SIZE 1000', 'STARTTLS'])]));
    else if (command === 'STARTTLS') {
      if (startTls === null) return;
      // In one step: with a timer for each, a client's first bytes came between them and were lost.
      say(`${startTls}${script.early ?? ''}`, () => {
        if (startTls.startsWith('220')) secure(socket, script, said);
      });
    } else if (command.startsWith('QUIT')) socket.end(`221 bye${crlf}`);
    else say(`502 not here${crlf}`);
  });
}

function onLines(socket: Socket, said: string[], take: (line: string) => void): void {
  let rest = '';
  socket.on('data', (piece) => {
    rest += piece.toString('latin1');
    for (let end = rest.indexOf(crlf); end >= 0; end = rest.indexOf(crlf)) {
      const line = rest.slice(0, end);
      rest = rest.slice(end + 2);
      said.push(line);
      take(line);
    }
  });
}

function secure(socket: Socket, script: Script, said: string[]): void {
  socket.removeAllListeners('data');
  if (script.inPlace) return script.inPlace(socket);
  const secureContext = createSecureContext(script.tls);
  const tls = new TLSSocket(socket, {
    isServer: true,
    secureContext,
    SNICallback: (name, give) => {
      script.onName?.(name);
      give(null, secureContext);
    },
  });
  tls.on('error', () => socket.destroy());
  const { inTls } = script;
  if (inTls) return void tls.once('secure', () => inTls(tls));
  const after = script.extensionsAfter ?? ['SIZE 1000', 'PIPELINING', 'SMTPUTF8', 'REQUIRETLS'];
  onLines(tls, said, (line) => {
    if (line.startsWith('EHLO'))
      setTimeout(() => tls.write(reply(250, ['mx.lab.test', ...after])), script.delayMs ?? 0);
    else if (line.startsWith('QUIT')) tls.end(`221 bye${crlf}`);
  });
}
