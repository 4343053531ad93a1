import type { Watch } from '../../model/watch.ts';
import type { WatchStore } from '../../ports/watch-store.ts';
import { giveBack } from '../../time/give-back.ts';

const pageRows = 100;

/** All watches of an account, newest first. */
export async function* watchesOf(
  watches: Pick<WatchStore, 'list'>,
  account: string,
): AsyncGenerator<Watch, void, void> {
  let before: { readonly createdAt: number; readonly id: string } | undefined;
  for (;;) {
    const page = await watches.list(account, { limit: pageRows, before });
    for (const watch of page) {
      yield watch;
      await giveBack();
    }
    const last = page.at(-1);
    if (!last || page.length < pageRows) return;
    before = { createdAt: last.createdAt, id: last.watchId };
  }
}
