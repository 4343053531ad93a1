import type { DatabaseSync } from 'node:sqlite';
import { inTransaction, withSqlite } from '../../backends/sqlite.ts';
import type { Mailbox } from '../../model/mailbox.ts';
import type { WatchStore } from '../../ports/watch-store.ts';

/** What of a store is about e-mail. */
export type MailPart = Pick<
  WatchStore,
  | 'keepMailbox'
  | 'getMailbox'
  | 'confirmMailbox'
  | 'noteMailbox'
  | 'idleMailboxes'
  | 'removeMailbox'
  | 'getStop'
  | 'setStop'
  | 'takeOne'
>;

type ReadMailbox = (row: Record<string, unknown> | undefined) => Mailbox[];

/** Mailboxes, who wants no mail, and what is counted. @param read reads a row */
export function openSqliteMail(database: DatabaseSync, read: ReadMailbox): MailPart {
  const keep = database.prepare(
    'INSERT INTO mailboxes (mailboxId, account, body) VALUES (?, ?, ?) ON CONFLICT (mailboxId) DO NOTHING',
  );
  const change = database.prepare('UPDATE mailboxes SET body = ? WHERE mailboxId = ?');
  const byId = database.prepare('SELECT * FROM mailboxes WHERE mailboxId = ?');
  const stop = database.prepare(
    'INSERT INTO stops (digest, at, isOn) VALUES (?, ?, ?) ON CONFLICT (digest) DO UPDATE SET at = excluded.at, isOn = excluded.isOn',
  );
  const stopOf = database.prepare('SELECT * FROM stops WHERE digest = ?');
  const expire = database.prepare('DELETE FROM taken WHERE until <= ?');
  const take = database.prepare(
    'INSERT INTO taken (name, count, until) VALUES (?, 1, ?) ON CONFLICT (name) DO UPDATE SET count = count + 1 WHERE count < ?',
  );
  return {
    keepMailbox: async (mailbox) =>
      withSqlite(() => void keep.run(mailbox.mailboxId, mailbox.account, JSON.stringify(mailbox))),
    getMailbox: async (mailboxId) => withSqlite(() => read(byId.get(mailboxId))[0]),
    confirmMailbox: async (mailboxId, now) =>
      withSqlite(() =>
        inTransaction(database, () => {
          const [known] = read(byId.get(mailboxId));
          if (known) change.run(JSON.stringify({ ...known, confirmedAt: now }), mailboxId);
        }),
      ),
    ...openIdle(database, read),
    getStop: async (digest) =>
      withSqlite(() => {
        const row = stopOf.get(digest);
        return row && { at: Number(row['at']), isOn: row['isOn'] === 1 };
      }),
    setStop: async (digest, { at, isOn }) => withSqlite(() => void stop.run(digest, at, isOn ? 1 : 0)),
    takeOne: async (name, most, until) =>
      withSqlite(() => {
        expire.run(Date.now());
        return take.run(name, until, most).changes === 1;
      }),
  };
}

/** What ends mailboxes. */
export type IdlePart = Pick<MailPart, 'noteMailbox' | 'idleMailboxes' | 'removeMailbox'>;

function openIdle(database: DatabaseSync, read: ReadMailbox): IdlePart {
  const note = database.prepare(
    'UPDATE mailboxes SET lookAt = ?, mailedAt = MAX(mailedAt, ?) WHERE mailboxId = ?',
  );
  const idle = database.prepare('SELECT * FROM mailboxes WHERE lookAt <= ? ORDER BY lookAt LIMIT ?');
  const remove = database.prepare('DELETE FROM mailboxes WHERE mailboxId = ?');
  return {
    noteMailbox: async (mailboxId, { lookAt, mailedAt = 0 }) =>
      withSqlite(() => void note.run(lookAt, mailedAt, mailboxId)),
    idleMailboxes: async (now, limit) =>
      withSqlite(() =>
        idle
          .all(now, limit)
          .flatMap((row) => read(row).map((mailbox) => ({ mailbox, mailedAt: Number(row['mailedAt']) }))),
      ),
    removeMailbox: async (mailboxId) => withSqlite(() => void remove.run(mailboxId)),
  };
}
