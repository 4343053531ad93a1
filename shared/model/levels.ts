/** Each wider network has so many times what one caller has; all tokens of an account have together what one has. */
const timesWider = 4;

/** What one caller may have of something, and what it and its neighbours may have together: the names under which it is counted. */
export function limitsByLevel(
  { id, kind, levels }: { id: string; kind: 'token' | 'anonymous'; levels: readonly string[] },
  limit: number,
): readonly { readonly name: string; readonly limit: number }[] {
  const times = kind === 'token' ? 1 : timesWider;
  return [id, ...levels.toReversed()].map((name, index) => ({ name, limit: limit * times ** index }));
}
