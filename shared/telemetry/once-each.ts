/** Kinds that are remembered; a flood of new kinds is not logged without an end. */
const kindsMost = 50;

/** Makes a function that does something the first time that it meets a kind, and nothing after that. */
export function openOnceEach(): (kind: string, act: () => void) => void {
  const met = new Set<string>();
  return (kind, act) => {
    if (met.has(kind) || met.size >= kindsMost) return;
    met.add(kind);
    act();
  };
}
