/** Work that waits for its turn: the next piece is that of the caller who has used the least of this process lately. */
export type TurnOrder<Piece> = {
  /**
   * Puts a piece at the end of its caller's line.
   * @param path what the caller belongs to, the widest first, itself last
   * @param isBackground nobody waits for it: its caller's other pieces come first, but for every tenth turn
   */
  add(path: readonly string[], piece: Piece, isBackground?: boolean): void;
  /** Takes the next piece; undefined where none waits. */
  next(): Piece | undefined;
  /** Charges what a piece of this caller took. */
  charge(path: readonly string[], ms: number): void;
};

/** A caller, or what callers share. */
type Party<Piece> = {
  readonly parties: Map<string, Party<Piece>>;
  readonly pieces: Piece[];
  readonly background: Piece[];
  /** Turns that it had while both waited. */
  turns: number;
  /** Pieces here and below that wait. */
  waiting: number;
  /** What it has used, in ms as they counted at the landmark: later ones count for more, which is the same as forgetting earlier ones. */
  used: number;
};

/** What was used so long ago counts half. */
const halfLifeMs = 4000;
/** The landmark moves on before numbers grow out of hand. */
const growthMost = 2 ** 40;
/** So many of one level are kept in mind before those that have used next to nothing lately are forgotten. */
const partiesMost = 500;
const forgottenMs = 0.1;

/**
 * Opens an order without work. At each level the party that has used the least goes first; pieces of one caller keep the order in which they came,
 * because they may be the bytes of one connection.
 */
export function openTurnOrder<Piece>(now: () => number = () => performance.now()): TurnOrder<Piece> {
  const root = openParty<Piece>();
  let landmark = now();
  const growth = () => {
    const grown = 2 ** ((now() - landmark) / halfLifeMs);
    if (grown < growthMost) return grown;
    for (const party of everyBelow(root)) party.used /= grown;
    landmark = now();
    return 1;
  };
  return {
    add(path, piece, isBackground = false) {
      const parties = open(root, path);
      parties.at(-1)?.[isBackground ? 'background' : 'pieces'].push(piece);
      for (const party of parties) party.waiting += 1;
    },
    next() {
      if (root.waiting === 0) return undefined;
      let party = root;
      party.waiting -= 1;
      while (party.pieces.length + party.background.length === 0) {
        party = leastUsed(party);
        party.waiting -= 1;
      }
      return nextOf(party);
    },
    charge(path, ms) {
      const grown = growth();
      for (const party of open(root, path)) {
        party.used += ms * grown;
        if (party.parties.size > partiesMost) forgetIdle(party, forgottenMs * grown);
      }
    },
  };
}

function openParty<Piece>(): Party<Piece> {
  return { parties: new Map(), pieces: [], background: [], turns: 0, waiting: 0, used: 0 };
}

const backgroundEvery = 10;

function nextOf<Piece>(party: Party<Piece>): Piece | undefined {
  const { pieces, background } = party;
  const hasBoth = pieces.length > 0 && background.length > 0;
  if (hasBoth && (party.turns += 1) % backgroundEvery === 0) return background.shift();
  return pieces.length > 0 ? pieces.shift() : background.shift();
}

/** The parties of a path, everybody first. */
function open<Piece>(root: Party<Piece>, path: readonly string[]): readonly Party<Piece>[] {
  const opened = [root];
  for (const name of path) {
    const above = opened.at(-1) ?? root;
    const party = above.parties.get(name) ?? openParty<Piece>();
    above.parties.set(name, party);
    opened.push(party);
  }
  return opened;
}

function leastUsed<Piece>({ parties }: Party<Piece>): Party<Piece> {
  let least: Party<Piece> | undefined;
  for (const party of parties.values())
    if (party.waiting > 0 && (!least || party.used < least.used)) least = party;
  if (!least) throw new Error('a piece of work that waits stands nowhere');
  return least;
}

function* everyBelow<Piece>(party: Party<Piece>): Iterable<Party<Piece>> {
  yield party;
  for (const below of party.parties.values()) yield* everyBelow(below);
}

function forgetIdle<Piece>({ parties }: Party<Piece>, least: number): void {
  for (const [name, { waiting, used }] of parties) if (waiting === 0 && used < least) parties.delete(name);
}
