import { LRUCache } from 'lru-cache';
import type { KeptTalk, SmtpProbe } from './port.ts';

/** What was seen of mail hosts, where the runs of all workers find it. */
export type TalkStore = {
  find(key: string): Promise<KeptTalk | undefined>;
  keep(key: string, talk: KeptTalk, keepMs: number): Promise<void>;
};

/** Characters in this process: a conversation is some 10 kB, most of it certificates. */
const keptCharacters = 8_000_000;

/** What is known of mail hosts, by address and name. */
export type MailShelf = { readonly once: SmtpProbe['once'] };

/** Opens the shelf of a process. @param store of all workers; without one each process has its own */
export function openMailShelf(store?: TalkStore): MailShelf {
  const kept = new LRUCache<string, KeptTalk>({
    maxSize: keptCharacters,
    sizeCalculation: ({ text }) => text.length + 200,
  });
  const looks = new Map<string, Promise<KeptTalk>>();
  const find = async (key: string, since: number): Promise<KeptTalk | undefined> => {
    const here = kept.get(key);
    if (here && here.seenAt >= since) return here;
    const stored = await store?.find(key);
    return stored && stored.seenAt >= since ? stored : undefined;
  };
  const make = async (key: string, since: number, look: Parameters<SmtpProbe['once']>[2]) => {
    const known = await find(key, since);
    if (known) return known;
    const { keepMs, ...talk } = await look();
    if (keepMs > 0) {
      kept.set(key, talk, { ttl: keepMs });
      await store?.keep(key, talk, keepMs);
    }
    return talk;
  };
  return {
    async once({ host, address, offer }, since, look) {
      const key = `${offer} ${address} ${host}`;
      for (;;) {
        const open = looks.get(key);
        if (!open) break;
        // A run that ends in the middle takes its look along: then the next makes its own.
        const talk = await open.catch(() => undefined);
        if (talk && talk.seenAt >= since) return talk;
      }
      const making = make(key, since, look);
      looks.set(key, making);
      try {
        return await making;
      } finally {
        looks.delete(key);
      }
    },
  };
}
