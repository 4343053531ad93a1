/** What a body of one kind may be. All of it is counted while the body comes in, before anything understands it. */
export type BodyBounds = {
  /** Media types, in lower case. */
  readonly types: readonly string[];
  readonly bytes: number;
  /** Levels of lists and objects in JSON. */
  readonly depth: number;
  /** Values of JSON, and names of fields. */
  readonly nodes: number;
  /** Lines of a list that are not empty. */
  readonly lines: number;
};

const json = 'application/json';

/** The most targets of a batch or a watch. */
export const mostTargets = 10_000;

/** Enough for the targets and for twice as many, of which the answer can then say how many they are. */
const targetNodes = 2 * mostTargets + 500;
const ofTargets = { bytes: 2_000_000, depth: 8, nodes: targetNodes, lines: mostTargets };

/** The bodies that this service reads, by their kind. There are no others. */
export const bodyBounds = {
  batch: { ...ofTargets, types: [json, 'text/plain', 'application/x-ndjson'] },
  watch: { ...ofTargets, types: [json] },
  'change of a watch': { ...ofTargets, types: [json, 'application/merge-patch+json'] },
  // Of agents: far more than any call needs.
  message: { types: [json], bytes: 262_144, depth: 32, nodes: 10_000, lines: 0 },
  // Of our own pages: a URL of 2,048 characters, each of them percent-encoded, and some room.
  form: { types: ['application/x-www-form-urlencoded'], bytes: 8192, depth: 0, nodes: 0, lines: 0 },
} as const satisfies Record<string, BodyBounds>;

export type BodyKind = keyof typeof bodyBounds;

/** A client that writes each line of a list by itself has so many pieces of any size; those of more have so many bytes on average. */
const pieces = { free: 2 * mostTargets, bytes: 64 } as const;

/** True where a body comes in far more pieces than its bytes need: each piece costs as much as a thousand bytes. */
export function isInPieces(count: number, bytes: number): boolean {
  return count > pieces.free + bytes / pieces.bytes;
}
