import { expect, test } from 'vitest';
import type { MailAnswer } from '../../../worker/watches/mail/mailer.ts';
import { tellOutage } from '../../../worker/watches/mail/send-mail.ts';

const taken: MailAnswer = { kind: 'taken' };
const away: MailAnswer = { kind: 'refused', failure: 'the mail server could not be reached', isFinal: false };
const unknown: MailAnswer = { kind: 'refused', failure: 'the mail server answered 550', isFinal: true };

test('that the server takes no mail is told once, and so is its end; a receiver it does not know is no outage', async () => {
  const answers = [taken, unknown, away, away, unknown, taken, taken, away];
  const lines: string[] = [];
  const log = {
    warn: (fields: object) => void lines.push(`warn ${JSON.stringify(fields)}`),
    info: () => void lines.push('info'),
  };
  const send = tellOutage(async () => answers.shift() ?? taken, log);
  const message = { from: '', to: '', subject: '', text: '', messageId: '', headers: {} };
  while (answers.length > 0) await send(message, new AbortController().signal);
  const warned = 'warn {"failure":"the mail server could not be reached"}';
  expect(lines).toEqual([warned, 'info', warned]);
});
