/** For so long one answer serves all who ask the same: the kinds of a failure and of a survey are asked one upon the other. */
const sharedMs = 5000;

/** Keeps what was asked for a few seconds, so that one question serves several. */
export function openShared<T>(now: () => number): (key: string, ask: () => Promise<T>) => Promise<T> {
  const known = new Map<string, { readonly at: number; readonly answer: Promise<T> }>();
  return (key, ask) => {
    for (const [old, { at }] of known) if (now() - at > sharedMs) known.delete(old);
    const found = known.get(key);
    if (found) return found.answer;
    const answer = ask();
    known.set(key, { at: now(), answer });
    return answer;
  };
}
