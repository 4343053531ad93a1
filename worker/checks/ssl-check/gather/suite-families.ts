import { type KeyKind, kindOfSuite } from '../grammar/key-kind.ts';
import { type Suite, type SuiteSet, suiteSets, suites } from '../grammar/suites.ts';
import type { SuiteLedger } from './suite-ledger.ts';

/** Suites of TLS 1.2 by what servers offer or refuse together, so that few lists end in a refusal. */
export type SuiteFamilies = {
  /** What careful servers have. */
  readonly best: readonly number[];
  /** The same for a certificate with the other kind of key. */
  readonly otherBest: readonly number[];
  /** CBC on curves. */
  readonly curveBlocks: BlockFamily;
  /** CBC without curves, by their kind of exchange. */
  readonly blocks: readonly BlockFamily[];
  /** AEAD without curves, by their kind of exchange. */
  readonly authenticated: readonly (readonly number[])[];
};

/** CBC of one kind of exchange: servers that have it with SHA-1 often have none with SHA-2. */
export type BlockFamily = { readonly sha1: readonly number[]; readonly sha2: readonly number[] };

/** The families of a server that shows a certificate of this kind; null where both are possible. */
export function familiesOf(kind: KeyKind | null): SuiteFamilies {
  const isOwn = ({ name }: Suite) => kindOfSuite(name) === (kind ?? kindOfSuite(name));
  const listOf = (set: SuiteSet, picks: (suite: Suite) => boolean) =>
    suiteSets[set].filter((id) => {
      const suite = suites.get(id);
      return suite !== undefined && isUsual(suite) && picks(suite);
    });
  const isBest = ({ keyExchange, isAead }: Suite) => keyExchange !== 'DHE' && isAead;
  const blocksOf = (set: SuiteSet): BlockFamily => {
    const withHash = (hash: RegExp) =>
      listOf(set, (suite) => !suite.isAead && isOwn(suite) && hash.test(suite.name));
    return { sha1: withHash(/_SHA$/), sha2: withHash(/_SHA(?:256|384)$/) };
  };
  return {
    best: listOf('sound', (suite) => isBest(suite) && isOwn(suite)),
    otherBest: listOf('sound', (suite) => isBest(suite) && !isOwn(suite)),
    curveBlocks: blocksOf('curveBlocks'),
    blocks: withoutCurves.map(blocksOf),
    authenticated: withoutCurves.map((set) => listOf(set, (suite) => suite.isAead && isOwn(suite))),
  };
}

const withoutCurves = ['withoutForwardSecrecy', 'finiteField'] as const;

/** A suite that servers of today may have. */
export function isUsual({ name, cipher }: Suite): boolean {
  return (cipher === 'AES' || cipher === 'CHACHA20') && !/_CCM|_DSS_/.test(name);
}

/** The kind of key of the first suite that was chosen. */
export function kindIn(ledger: SuiteLedger): KeyKind | null {
  const [first] = ledger.accepted();
  return first === undefined ? null : kindOfSuite(nameOf(first.suite));
}

/** A suite and the one that differs from it by the length of its key alone. */
export function pairOf(id: number): readonly number[] {
  const base = baseOf(nameOf(id));
  return [...suites.values()].filter(({ name }) => baseOf(name) === base).map((suite) => suite.id);
}

/** The hash of the longer key is longer too, where it is not SHA-1. */
function baseOf(name: string): string {
  return name.replace(/_(?:128|256)_/, '_').replace(/_SHA(?:256|384)$/, '_SHA2');
}

function nameOf(id: number): string {
  return suites.get(id)?.name ?? '';
}
