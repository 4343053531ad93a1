import { MongoServerError } from 'mongodb';
import { duplicateKey, onceMore } from '../../backends/mongo-errors.ts';
import type { Mailbox } from '../../model/mailbox.ts';
import { bodyOf } from './mongo-documents.ts';
import { insertOnce, type StoredBody, type WatchMongo } from './mongo-shared.ts';
import type { IdlePart, MailPart } from './sqlite-mail.ts';

/** Mailboxes, who wants no mail, and what is counted. @param toMailbox reads a document */
export function openMongoMail(
  { read, write }: WatchMongo,
  toMailbox: (document: StoredBody | null) => Mailbox[],
): MailPart {
  const getMailbox = (mailboxId: string) =>
    read(
      async ({ mailboxes }, limit) =>
        toMailbox(await mailboxes.findOne({ _id: String(mailboxId) }, limit))[0],
    );
  return {
    getMailbox,
    keepMailbox: (mailbox) =>
      write(({ mailboxes }, limit) => {
        const { mailboxId: _id, account } = mailbox;
        const kept = { _id, account, mailedAt: 0, lookAt: 0, ...bodyOf(mailbox) };
        return insertOnce(mailboxes.insertOne(kept, limit));
      }),
    async confirmMailbox(mailboxId, now) {
      // Nothing else of its body changes, so two at once write the same.
      const known = await getMailbox(mailboxId);
      if (!known) return;
      const body = JSON.stringify({ ...known, confirmedAt: now });
      await write(({ mailboxes }, limit) =>
        onceMore(() => mailboxes.updateOne({ _id: known.mailboxId }, { $set: { body } }, limit)),
      );
    },
    ...openIdle({ read, write }, toMailbox),
    getStop: (digest) =>
      read(async ({ stops }, limit) => {
        const found = await stops.findOne({ _id: String(digest) }, limit);
        return found ? { at: found.at, isOn: found.isOn } : undefined;
      }),
    setStop: (digest, { at, isOn }) =>
      write(async ({ stops }, limit) => {
        const change = { $set: { at, isOn } };
        await onceMore(() => stops.updateOne({ _id: String(digest) }, change, { ...limit, upsert: true }));
      }),
    takeOne: (name, most, until) =>
      write(async ({ locks }, limit) => {
        // A second `_id` is refused by every server of the protocol; a count that is compared and raised is not.
        for (let place = 0; place < most; place += 1)
          try {
            await locks.insertOne({ _id: `${name} ${place}`, expiresAt: new Date(until) }, limit);
            return true;
          } catch (error) {
            if (!(error instanceof MongoServerError) || error.code !== duplicateKey) throw error;
          }
        return false;
      }),
  };
}

function openIdle(
  { read, write }: WatchMongo,
  toMailbox: (document: StoredBody | null) => Mailbox[],
): IdlePart {
  return {
    noteMailbox: (mailboxId, note) =>
      write(async ({ mailboxes }, limit) => {
        await onceMore(() => mailboxes.updateOne({ _id: String(mailboxId) }, { $set: note }, limit));
      }),
    idleMailboxes: (now, most) =>
      read(async ({ mailboxes }, limit) => {
        const found = await mailboxes
          .find({ lookAt: { $lte: now } }, limit)
          .sort({ lookAt: 1 })
          .limit(most)
          .toArray();
        return found.flatMap((one) => toMailbox(one).map((mailbox) => ({ mailbox, mailedAt: one.mailedAt })));
      }),
    removeMailbox: (mailboxId) =>
      write(async ({ mailboxes }, limit) => {
        await mailboxes.deleteOne({ _id: String(mailboxId) }, limit);
      }),
  };
}
