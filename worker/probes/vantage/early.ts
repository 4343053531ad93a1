/** After so long without an answer a control is asked beside whoever waits. */
const silentMs = 1000;

/** What came of work, or why it need not be waited for. */
export type UnlessOurs<T> = { readonly value: T } | { readonly ours: string };

/**
 * Waits for work. Where it stays silent, it is asked whether that is ours, so that nobody waits for what cannot come.
 * @param whyOurs gives a clause where it is; asked once, after a second of silence
 */
export async function unlessOurs<T>(
  work: Promise<T>,
  whyOurs: () => Promise<string | undefined>,
): Promise<UnlessOurs<T>> {
  const silence = Promise.withResolvers<undefined>();
  const timer = setTimeout(silence.resolve, silentMs, undefined);
  const done = work.then((value) => ({ value }));
  try {
    const first = await Promise.race([done, silence.promise]);
    if (first) return first;
    const early = await Promise.race([done, whyOurs()]);
    if (typeof early !== 'string') return early ?? (await done);
    done.catch(() => undefined); // nobody waits for it any more
    return { ours: early };
  } finally {
    clearTimeout(timer);
  }
}
