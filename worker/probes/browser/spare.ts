import type { Driver } from './driver.ts';
import { removeProfile } from './profiles.ts';
import type { WaitingProxy } from './socks-proxy.ts';

/** A browser that has loaded nothing yet, with its driver, its proxy and its folder. It loads one page. */
export type ReadyBrowser = {
  readonly executable: string;
  readonly driver: Driver;
  readonly proxy: WaitingProxy;
  readonly profile: string;
};

/** The browser that a worker starts ahead, for the page that comes next. */
export type SpareBrowser = {
  /** The one that was started ahead, where it lives and is of this executable: whoever takes it, ends it. */
  take(executable: string): Promise<ReadyBrowser | undefined>;
  /** A page begins to load. @returns to be called when it has ended, with how the next browser is started */
  begin(): (start: () => Promise<ReadyBrowser>) => void;
  close(): void;
};

/** Pages come in rows: a domain, a batch, a reader that tries again. A browser that waits longer only holds memory. */
const keptMs = 300_000;

/** Opens the place for it, empty until the first page has been loaded. */
export function openSpareBrowser(): SpareBrowser {
  let spare: Promise<ReadyBrowser | undefined> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let loading = 0;
  let isClosed = false;
  const takeOut = () => {
    clearTimeout(timer);
    const taken = spare;
    spare = undefined;
    return taken;
  };
  const dismiss = () => void takeOut()?.then((ready) => ready && dismissBrowser(ready));
  return {
    async take(executable) {
      const ready = await takeOut();
      if (!ready || (ready.driver.isAlive() && ready.executable === executable)) return ready;
      await dismissBrowser(ready);
      return undefined;
    },
    begin() {
      loading += 1;
      return (start) => {
        loading -= 1;
        // Its start would be measured with a page that still loads.
        if (loading > 0 || spare || isClosed) return;
        // Where it cannot be started, the next page starts its own, and tells why.
        spare = start().catch(() => undefined);
        timer = setTimeout(dismiss, keptMs).unref();
      };
    },
    close() {
      isClosed = true;
      dismiss();
    },
  };
}

async function dismissBrowser({ driver, proxy, profile }: ReadyBrowser): Promise<void> {
  await Promise.all([driver.end(), proxy.close()]);
  await removeProfile(profile);
}
