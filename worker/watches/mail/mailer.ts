import type SMTPConnection from 'nodemailer/lib/smtp-connection';
import type { MailServer } from '#shared/settings/mail';

/** A message, made of what `shared/render/watches/mail.ts` gives. */
export type Message = {
  readonly from: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** Without brackets; the same each time that it is sent, so that a repeat can be told from a second message. */
  readonly messageId: string;
  readonly headers: Readonly<Record<string, string>>;
};

/** What came of it. `isFinal`: the server said of this receiver that it never will take it. */
export type MailAnswer =
  | { readonly kind: 'taken' }
  | { readonly kind: 'refused'; readonly failure: string; readonly isFinal: boolean };

/** Hands one message to the operator's server. Rejects only with the signal's reason, or for a defect. */
export type SendMail = (message: Message, signal: AbortSignal) => Promise<MailAnswer>;

export type MailerSettings = {
  readonly server: MailServer;
  /** The whole of an attempt, ms. */
  readonly wholeMs: number;
};

const longestReplyBytes = 65_536;
const silenceMs = 15_000;

/**
 * Opens the sending of mail. Each message has a connection of its own, which the deadline closes whatever the server does. Certificates are
 * verified; a login is never sent without TLS.
 */
export function openMailer({ server, wholeMs }: MailerSettings): SendMail {
  return async (message, signal) => {
    signal.throwIfAborted();
    // Most processes never send mail: it is read when the first message is sent.
    const [{ default: Connection }, { default: MailComposer }] = await Promise.all([
      import('nodemailer/lib/smtp-connection'),
      import('nodemailer/lib/mail-composer'),
    ]);
    const sealed = { disableFileAccess: true, disableUrlAccess: true };
    const letter = new MailComposer({ ...message, ...sealed, messageId: `<${message.messageId}>` });
    const bytes = await letter.compile().build();
    const connection = new Connection({
      host: server.host,
      port: server.port,
      secure: server.isSecure,
      requireTLS: server.login !== undefined && !server.isSecure,
      name: message.from.split('@')[1],
      connectionTimeout: silenceMs,
      greetingTimeout: silenceMs,
      socketTimeout: silenceMs,
      socketCloseTimeout: 1000,
      maxResponseSize: longestReplyBytes,
    });
    const late = AbortSignal.timeout(wholeMs);
    const whole = AbortSignal.any([signal, late]);
    try {
      await talk(connection, { server, message, bytes }, whole);
      return { kind: 'taken' };
    } catch (error) {
      signal.throwIfAborted();
      return readFailure(error, late.aborted);
    } finally {
      connection.close();
    }
  };
}

type Talk = { readonly server: MailServer; readonly message: Message; readonly bytes: Buffer };

async function talk(
  connection: SMTPConnection,
  { server, message, bytes }: Talk,
  signal: AbortSignal,
): Promise<void> {
  const { promise: broken, reject } = Promise.withResolvers<never>();
  broken.catch(() => undefined); // it is raced below; what comes after its end is nobody's
  connection.on('error', reject);
  connection.once('end', () => reject(new Error('the connection ended')));
  const abort = () => reject(signal.reason as Error);
  signal.addEventListener('abort', abort, { once: true });
  const step = (start: (done: (error?: Error | null) => void) => void) =>
    Promise.race([
      broken,
      new Promise<void>((resolve, fail) => start((error) => (error ? fail(error) : resolve()))),
    ]);
  try {
    signal.throwIfAborted();
    await step((done) => connection.connect(done));
    const { login } = server;
    if (login)
      await step((done) =>
        connection.login({ credentials: { user: login.user, pass: login.password } }, done),
      );
    await step((done) =>
      connection.send({ from: message.from, to: [message.to], size: bytes.length }, bytes, done),
    );
    connection.quit();
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

type SmtpError = { readonly code?: unknown; readonly responseCode?: unknown; readonly command?: unknown };

/** Nothing of the server's text: it may say more of the operator's network than an account should read. */
function readFailure(error: unknown, isLate: boolean): MailAnswer {
  const { code, responseCode, command } = error as SmtpError;
  if (typeof responseCode === 'number' && responseCode > 0) {
    const isFinal = responseCode >= 500 && command === 'RCPT TO';
    return { kind: 'refused', failure: `the mail server answered ${responseCode}`, isFinal };
  }
  const kind = isLate ? 'ETIMEDOUT' : typeof code === 'string' ? code : 'ECONNECTION';
  return { kind: 'refused', failure: words[kind] ?? 'the mail server could not be used', isFinal: false };
}

const words: Readonly<Record<string, string>> = {
  ETIMEDOUT: 'the mail server did not answer in time',
  ECONNECTION: 'the mail server could not be reached',
  ECONNREFUSED: 'the mail server could not be reached',
  ESOCKET: 'the mail server could not be reached',
  EDNS: 'the mail server could not be reached',
  ETLS: 'the mail server could not be used over TLS',
  EREQUIRETLS: 'the mail server could not be used over TLS',
  EAUTH: 'the mail server refused our login',
  EPROTOCOL: 'the mail server does not speak SMTP',
};
