import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, expect, test } from 'vitest';
import type { MailServer } from '#shared/settings/mail';
import { openMailer } from '../../../worker/watches/mail/mailer.ts';
import { makeAuthority } from '../kit/certificates.ts';
import { type MailServerLab, openMailServer, openRawServer } from '../kit/mail-server.ts';

const authority = await makeAuthority();
setDefaultCACertificates([...getCACertificates('bundled'), authority.cert]);
const open: { close(): Promise<void> }[] = [];
afterAll(() => Promise.all(open.map((one) => one.close())));

const message = {
  from: 'watches@checks.test',
  to: 'me@example.test',
  subject: '[Diagnostic Tools] A test',
  text: 'Grüße\n.\nend\n',
  messageId: 'evt_1@checks.test',
  headers: { 'List-Unsubscribe': '<https://checks.test/mail/stop?key=1>' },
};
const send = (server: Partial<MailServer> & Pick<MailServer, 'port'>, wholeMs = 30_000) =>
  openMailer({ server: { host: '127.0.0.1', isSecure: false, login: undefined, ...server }, wholeMs })(
    message,
    new AbortController().signal,
  );
async function keep<T extends { close(): Promise<void> }>(opening: Promise<T>): Promise<T> {
  const opened = await opening;
  open.push(opened);
  return opened;
}

test('a server gets the message whole, from one sender to one receiver', async () => {
  const server = await keep(openMailServer());
  expect(await send(server)).toEqual({ kind: 'taken' });
  const [taken] = server.taken;
  expect(taken).toMatchObject({ from: message.from, to: [message.to], isOverTls: false });
  expect(taken?.text.replace(/\r/g, '')).toBe(message.text);
  expect(Object.fromEntries(taken?.headers ?? [])).toMatchObject({
    from: message.from,
    to: message.to,
    subject: message.subject,
    'message-id': '<evt_1@checks.test>',
    'list-unsubscribe': '<https://checks.test/mail/stop?key=1>',
    'content-type': 'text/plain; charset=utf-8',
  });
});

const refusals = [
  { at: 'mail', code: 451, isFinal: false },
  { at: 'mail', code: 550, isFinal: false },
  { at: 'rcpt', code: 450, isFinal: false },
  { at: 'rcpt', code: 550, isFinal: true },
  { at: 'data', code: 452, isFinal: false },
  { at: 'data', code: 554, isFinal: false },
] as const;
test.for(refusals)('a $code to $at is told by its number alone', async ({ at, code, isFinal }) => {
  const server: MailServerLab = await keep(openMailServer());
  server.refuse(at, code);
  const failure = `the mail server answered ${code}`;
  expect(await send(server)).toEqual({ kind: 'refused', failure, isFinal });
  server.refuse('none');
  expect(await send(server)).toEqual({ kind: 'taken' });
});

const silent = { kind: 'refused', failure: 'the mail server did not answer in time', isFinal: false };

test('a server that says nothing, or one letter after the other, is left at the deadline', async () => {
  const mute = await keep(openRawServer(() => undefined));
  expect(await send(mute, 1000)).toEqual(silent);
  const slow = await keep(
    openRawServer((socket) => {
      const timer = setInterval(() => socket.write('2'), 50);
      socket.once('close', () => clearInterval(timer));
    }),
  );
  expect(await send(slow, 1000)).toEqual(silent);
});

test.for([
  ['of one line', 'a'.repeat(65_536)],
  ['of many lines', '220-more\r\n'.repeat(6000)],
] as const)('a greeting %s without an end is left long before the deadline', async ([, piece]) => {
  let sent = 0;
  const endless = await keep(
    openRawServer((socket) => {
      socket.write('220-');
      const go = () => {
        while (!socket.destroyed && socket.write(piece)) sent += piece.length;
      };
      socket.on('drain', go);
      go();
    }),
  );
  expect(await send(endless)).toMatchObject({ kind: 'refused', isFinal: false });
  expect(sent).toBeLessThan(50_000_000);
});

test('a server that ends the connection, and one that is not there, are tried again', async () => {
  const ending = await keep(openRawServer((socket) => socket.end('220 hello\r\n')));
  expect(await send(ending)).toMatchObject({ kind: 'refused', isFinal: false });
  const gone = await openRawServer(() => undefined);
  await gone.close();
  expect(await send(gone)).toEqual({
    kind: 'refused',
    failure: 'the mail server could not be reached',
    isFinal: false,
  });
});

test('STARTTLS is used where it is offered, and its certificate is verified', async () => {
  const login = { user: 'diag', password: 'right' };
  const good = await keep(openMailServer(await authority.issue(['localhost'])));
  expect(await send({ ...good, host: 'localhost', login })).toEqual({ kind: 'taken' });
  expect(good.taken).toMatchObject([{ isOverTls: true, user: 'diag' }]);
  expect(await send({ ...good, host: 'localhost', login: { ...login, password: 'wrong' } })).toMatchObject({
    failure: 'the mail server answered 535',
  });
  const other = await keep(openMailServer(await authority.issue(['other.test'])));
  expect(await send({ ...other, host: 'localhost' })).toMatchObject({ kind: 'refused' });
  expect(other.taken).toEqual([]);
});

test('TLS from the start, and no login without TLS', async () => {
  const login = { user: 'diag', password: 'right' };
  const secure = await keep(openMailServer({ ...(await authority.issue(['localhost'])), secure: true }));
  expect(await send({ ...secure, host: 'localhost', isSecure: true, login })).toEqual({ kind: 'taken' });
  const heard: string[] = [];
  const plain = await keep(
    openRawServer((socket) => {
      socket.write('220 hello\r\n');
      socket.on('data', (piece) => {
        heard.push(piece.toString());
        socket.write(piece.toString().startsWith('EHLO') ? '250-here\r\n250 AUTH PLAIN\r\n' : '500 what\r\n');
      });
    }),
  );
  expect(await send({ ...plain, login })).toMatchObject({ kind: 'refused' });
  expect(heard.join('')).not.toMatch(/AUTH/);
});
